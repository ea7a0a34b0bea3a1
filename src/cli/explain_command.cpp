// `deadheat explain TRACE EVENT EVENT`: the edges that order two events of a trace, or where their threads last met.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/trace_analysis.h"
#include "engine/order_chain.h"
#include "event/event.h"
#include "report/parts.h"

namespace deadheat::cli {

namespace {

struct Options {
  TraceInput input;
  uint64_t first = 0, second = 0;
};

struct Shown {
  std::string thread, what, location;
};

std::string operand_of(const Event& e, const Names& names) {
  if (e.is_range) return fmt::format("{:#x}:{}", e.target, e.size);
  switch (info(e.kind).operand) {
    case Operand::kNone:
      return "";
    case Operand::kVariable:
      return std::string(names.variables[e.variable()]);
    case Operand::kObject:
      return std::string(names.objects[e.object()]);
    case Operand::kLock:
      return std::string(names.locks[e.lock()]);
    case Operand::kThread:
      return std::string(names.threads[e.other_thread()]);
    case Operand::kMessage:
      return std::string(names.messages[static_cast<MessageId>(e.target)]);
    case Operand::kBarrier:
      return std::string(names.barriers[static_cast<BarrierId>(e.target)]);
    case Operand::kSemaphore:
      return std::string(names.semaphores[static_cast<SemaphoreId>(e.target)]);
    case Operand::kCondition:
      return std::string(names.conditions[static_cast<ConditionId>(e.target)]);
  }
  return "";
}

// What is at the events that are told, and around the two that were asked for.
struct Around {
  std::map<uint64_t, Shown> events;
  std::optional<uint64_t> after_first;    // the first one of its thread that can order it with others
  std::optional<uint64_t> before_second;  // the last one of its thread
};

Around look_up(TraceReader& reader, const Options& options, const OrderAnswer& answer) {
  Around around;
  std::set<uint64_t> wanted = {options.first, options.second};
  for (const OrderEdge& edge : answer.chain) wanted.insert({edge.from, edge.to});
  std::optional<ThreadId> first_thread;
  std::map<ThreadId, std::pair<uint64_t, Event>> last;  // that can order, of each thread
  const auto keep = [&](uint64_t number, const Event& e) {
    const std::string operand = operand_of(e, reader.names());
    around.events[number] = {std::string(reader.names().threads[e.thread]),
                             fmt::format("{}{}", info(e.kind).notation, operand.empty() ? "" : "(" + operand + ")"),
                             std::string(reader.names().location(e.location))};
  };
  for (Batch batch; reader.next(batch);) {
    for (size_t i = 0; i < batch.events.size(); ++i) {
      const Event& e = batch.events[i];
      const uint64_t number = batch.first_event + i;
      if (wanted.contains(number)) keep(number, e);
      if (number == options.first) first_thread = e.thread;
      if (number == options.second) {
        if (const auto found = last.find(e.thread); found != last.end()) {
          around.before_second = found->second.first;
          keep(found->second.first, found->second.second);
        }
      }
      if (!can_order(e)) continue;
      if (first_thread == e.thread && number > options.first && !around.after_first) {
        around.after_first = number;
        keep(number, e);
      }
      if (number < options.second) last[e.thread] = {number, e};
    }
  }
  return around;
}

std::string line(const Around& around, uint64_t event, size_t width) {
  const auto found = around.events.find(event);
  if (found == around.events.end()) return "";
  const Shown& shown = found->second;
  return fmt::format("  {:<{}}  event {}, {}{}\n", harmless(shown.thread), width, event, harmless(shown.what),
                     shown.location.empty() ? "" : ", at " + harmless(shown.location));
}

int run(Options options) {
  if (options.first == options.second) throw UsageError("explain: the two events are the same");
  if (options.first > options.second) std::swap(options.first, options.second);
  uint64_t events = 0;
  OrderAnswer answer;
  {
    const auto reader = open_trace(options.input.path, {.lenient = options.input.lenient});
    answer = order_between(*reader, options.first, options.second, options.input.lenient, events);
  }
  if (options.second >= events)
    throw UsageError(fmt::format("explain: there is no event {}: the trace has {}", options.second,
                                 counted(events, "event", "events")));
  const Reopen reopen = reopen_of(options.input);
  const auto again = reopen();
  if (again == nullptr) throw UsageError(fmt::format("{}: cannot be read twice", options.input.path));
  const Around around = look_up(*again, options, answer);
  size_t width = 0;
  for (const auto& [number, shown] : around.events) width = std::max(width, shown.thread.size());
  std::string text;
  const auto tell = [&](uint64_t event) { text += line(around, event, width); };
  const auto tell_chain = [&](uint64_t after) {
    for (const OrderEdge& edge : answer.chain) {
      if (edge.from != after) tell(edge.from);
      tell(edge.to);
      after = edge.to;
    }
    return after;
  };
  if (answer.ordered) {
    text += fmt::format("Event {} is ordered before event {}{}:\n", options.first, options.second,
                        answer.chain.empty() ? ", since one thread did both" : "");
    tell(options.first);
    if (tell_chain(options.first) != options.second) tell(options.second);
  } else {
    text += fmt::format("Nothing orders event {} before event {}.\n", options.first, options.second);
    tell(options.first);
    tell(options.second);
    if (answer.chain.empty()) {
      text += "What the first thread did never reached the second one before.\n";
    } else {
      text += "The last that the second thread knows of the first one came to it so:\n";
      tell_chain(UINT64_MAX);
    }
    if (around.after_first) {
      text += "After its event the first thread next did something that can order it:\n";
      tell(*around.after_first);
    }
    if (around.before_second) {
      text += "Before its event the second thread last did something that can order it:\n";
      tell(*around.before_second);
    }
  }
  print_to_stdout(text);
  return kExitNoRaces;
}

}  // namespace

void add_explain_command(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("explain", "Say what orders two events of a trace, or that nothing does");
  const auto options = std::make_shared<Options>();
  add_trace_input(command, options->input);
  command.add_option("EVENT", options->first, "The number of an event, from 0, as reports give it")
      ->required()
      ->option_text(" ");
  command.add_option("OTHER", options->second, "The number of another event")->required()->option_text(" ");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace deadheat::cli
