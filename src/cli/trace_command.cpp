// `deadheat trace print|stats|generate`: looking at traces and making them.
#include "cli/trace_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/stats.h"
#include "cli/choice.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "cli/trace_analysis.h"
#include "event/text_notation.h"
#include "event/trace.h"
#include "replay/trace_generator.h"

namespace deadheat::cli {

namespace {

struct PrintOptions {
  TraceInput input;
  uint64_t from = 0;
  uint64_t count = UINT64_MAX;
};

int print(const PrintOptions& options) {
  const auto reader = open_trace(options.input.path, {options.input.lenient});
  const uint64_t end = options.from + std::min(options.count, UINT64_MAX - options.from);
  Output output("-");
  Batch batch;
  std::string text;
  while (reader->next(batch) && batch.first_event < end) {
    for (size_t i = 0; i < batch.events.size(); ++i) {
      const uint64_t number = batch.first_event + i;
      if (number >= options.from && number < end) format_event(text, batch.events[i], reader->names());
    }
    std::fwrite(text.data(), 1, text.size(), output.file());
    text.clear();
  }
  output.finish();
  say_losses(options.input.path, reader->losses());
  return 0;
}

struct TraceStats {
  std::array<uint64_t, kEventKindCount> by_kind{};
  uint64_t events = 0;
  uint64_t bytes = 0;
  uint64_t ranges = 0;  // accesses to bytes of memory

  uint64_t count(std::initializer_list<AccessKind> kinds) const {
    uint64_t sum = 0;
    for (const EventKindInfo& row : kEventKinds)
      for (AccessKind kind : kinds)
        if (row.access == kind) sum += by_kind[static_cast<size_t>(row.kind)];
    return sum;
  }
};

struct NamedCount {
  std::string_view name;
  uint64_t count;
};

std::vector<NamedCount> name_counts(const Names& names) {
  return {{"threads", names.threads.size()},       {"variables", names.variables.size()},
          {"objects", names.objects.size()},       {"locks", names.locks.size()},
          {"messages", names.messages.size()},     {"barriers", names.barriers.size()},
          {"semaphores", names.semaphores.size()}, {"conditions", names.conditions.size()},
          {"locations", names.locations.size()}};
}

// How a kind is called in statistics: its notation, but compare-exchange is two.
std::string_view kind_name(const EventKindInfo& row) {
  if (row.kind == EventKind::kCasOk) return "cas ok";
  if (row.kind == EventKind::kCasFail) return "cas fail";
  return row.notation;
}

struct Shares {
  uint64_t reads, writes, rest;
};

Shares shares_of(const TraceStats& stats) {
  const uint64_t reads = stats.count({AccessKind::kRead});
  const uint64_t writes = stats.count({AccessKind::kWrite});
  const uint64_t nothing = stats.by_kind[0];
  return {reads, writes, stats.events - reads - writes - nothing};
}

double bytes_per_event(const TraceStats& stats) {
  return stats.events == 0 ? 0 : static_cast<double>(stats.bytes) / static_cast<double>(stats.events);
}

std::string as_text(const TraceStats& stats, const Names& names) {
  const Shares shares = shares_of(stats);
  std::string text = fmt::format("{:<16} {:>14}\n", "events", stats.events);
  text +=
      fmt::format("{:<16} {:>14}\n{:<16} {:>14.2f}\n", "bytes", stats.bytes, "bytes per event", bytes_per_event(stats));
  text += fmt::format("{:<16} {:>14.2f} %\n", "plain reads", percent(shares.reads, stats.events));
  text += fmt::format("{:<16} {:>14.2f} %\n", "plain writes", percent(shares.writes, stats.events));
  text += fmt::format("{:<16} {:>14.2f} %\n", "synchronisation", percent(shares.rest, stats.events));
  text += '\n';
  for (const NamedCount& named : name_counts(names)) text += fmt::format("{:<16} {:>14}\n", named.name, named.count);
  text += fmt::format("{:<16} {:>14}\n\n", "memory accesses", stats.ranges);
  for (const EventKindInfo& row : kEventKinds) {
    const uint64_t count = stats.by_kind[static_cast<size_t>(row.kind)];
    if (count != 0)
      text += fmt::format("{:<16} {:>14} {:>9.4f} %  {}\n", kind_name(row), count, percent(count, stats.events),
                          row.meaning);
  }
  return text;
}

nlohmann::ordered_json run_json(const RunInfo& run);

std::string as_json(const TraceStats& stats, const Names& names, const Losses& losses, const RunInfo* run) {
  using Json = nlohmann::ordered_json;
  const Shares shares = shares_of(stats);
  Json json = {{"events", stats.events}, {"bytes", stats.bytes}, {"bytes_per_event", bytes_per_event(stats)}};
  json["percent"] = {{"reads", percent(shares.reads, stats.events)},
                     {"writes", percent(shares.writes, stats.events)},
                     {"synchronisation", percent(shares.rest, stats.events)}};
  for (const NamedCount& named : name_counts(names)) json[std::string(named.name)] = named.count;
  json["memory_accesses"] = stats.ranges;
  json["kinds"] = Json::object();
  for (const EventKindInfo& row : kEventKinds)
    json["kinds"][std::string(kind_name(row))] = stats.by_kind[static_cast<size_t>(row.kind)];
  json["losses"] = {{"skipped_lines", losses.skipped_lines},
                    {"skipped_blocks", losses.skipped_blocks},
                    {"truncated", losses.truncated}};
  if (run != nullptr) json["run"] = run_json(*run);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// What is known of the program that was recorded.
std::string run_text(const RunInfo& run) {
  std::string text =
      fmt::format("\n{:<16} {}\n{:<16} {}\n{:<16} {}\n", "recorded", run.command, "process", run.process, "accesses",
                  fmt::format("{}{}", run.every_access ? "every one" : "without repeated ones",
                              run.has_pauses ? ", with pauses" : ""));
  text += fmt::format("{:<16} {}\n", "call paths", run.paths.size() - 1);
  for (const RunInfo::Module& module : run.modules)
    text += fmt::format("module           {}{}{}\n", module.path, module.build_id.empty() ? "" : " ", module.build_id);
  std::map<uint32_t, const RunInfo::Thread*> threads;
  for (const RunInfo::Thread& thread : run.threads) threads[thread.number] = &thread;
  for (const auto& [number, thread] : threads) {
    text += fmt::format("thread           T{}", number);
    if (!thread->name.empty()) text += fmt::format(" '{}'", thread->name);
    if (thread->created_by != 0)
      text += fmt::format(", created by T{} at {}", thread->created_by - 1, run.location_name(thread->created_at));
    text += "\n";
  }
  return text;
}

nlohmann::ordered_json run_json(const RunInfo& run) {
  nlohmann::ordered_json json = {{"command", run.command},
                                 {"process", run.process},
                                 {"every_access", run.every_access},
                                 {"has_pauses", run.has_pauses},
                                 {"call_paths", run.paths.size() - 1},
                                 {"modules", nlohmann::ordered_json::array()},
                                 {"threads", nlohmann::ordered_json::array()}};
  for (const RunInfo::Module& module : run.modules)
    json["modules"].push_back({{"path", module.path}, {"build_id", module.build_id}, {"begin", module.begin}});
  std::map<uint32_t, const RunInfo::Thread*> threads;
  for (const RunInfo::Thread& thread : run.threads) threads[thread.number] = &thread;
  for (const auto& [number, thread] : threads) json["threads"].push_back({{"number", number}, {"name", thread->name}});
  return json;
}

int stats(const TraceInput& input, ReportFormat format) {
  const auto reader = open_trace(input.path, {input.lenient});
  TraceStats counted;
  Batch batch;
  ProgressBar bar;
  while (reader->next(batch)) {
    for (const Event& event : batch.events) {
      ++counted.by_kind[static_cast<size_t>(event.kind)];
      if (event.is_range) ++counted.ranges;
    }
    counted.events += batch.events.size();
    bar.update({counted.events, reader->progress()});
  }
  bar.clear();
  counted.bytes = reader->bytes_read();
  const RunInfo* const run = reader->run();
  print_to_stdout(format == ReportFormat::kJson
                      ? as_json(counted, reader->names(), reader->losses(), run)
                      : as_text(counted, reader->names()) + (run == nullptr ? "" : run_text(*run)));
  say_losses(input.path, reader->losses());
  return 0;
}

int generate(const GeneratorOptions& options, const OutputForm& output) {
  std::unique_ptr<TraceReader> generator;
  try {
    generator = generate_trace(options);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
  write_trace(*generator, output);
  return 0;
}

void add_print(CLI::App& trace, Action& action) {
  CLI::App& command = *trace.add_subcommand("print", "Print events in the text notation");
  const auto options = std::make_shared<PrintOptions>();
  add_trace_input(command, options->input);
  command.add_option("--from", options->from, "Begin with event number N [0]")->option_text("N");
  command.add_option("--count", options->count, "Print at most N events [all]")->option_text("N");
  command.callback([options, &action] { action = [options] { return print(*options); }; });
}

void add_stats(CLI::App& trace, Action& action) {
  CLI::App& command = *trace.add_subcommand("stats", "Count the events of a trace by kind, and its names");
  const auto input = std::make_shared<TraceInput>();
  const auto format = std::make_shared<ReportFormat>(ReportFormat::kText);
  add_trace_input(command, *input);
  add_choice(command, "--format", *format, {"text", "json"}, "Write the counts in this form");
  command.callback([input, format, &action] { action = [input, format] { return stats(*input, *format); }; });
}

void add_generate(CLI::App& trace, Action& action) {
  struct Options {
    GeneratorOptions generator;
    OutputForm output;
  };
  CLI::App& command = *trace.add_subcommand(
      "generate", "Make a synthetic trace, well-formed and without races unless --races asks for some");
  const auto options = std::make_shared<Options>();
  GeneratorOptions& generator = options->generator;
  command
      .add_option("OUT", options->output.path,
                  "Write the trace here, in binary form if the name ends in .dht; - is standard output [-]")
      ->option_text(" ");
  std::vector<std::string_view> shapes;
  std::string meanings = "What the threads do (";
  for (const TraceShapeInfo& shape : kTraceShapes) {
    meanings += fmt::format("{}{}: {}", shapes.empty() ? "" : "; ", shape.name, shape.meaning);
    shapes.push_back(shape.name);
  }
  add_choice(command, "--shape", generator.shape, shapes, meanings + ")");
  command.add_option("--events", generator.events, "Make exactly N events [1000000]")->option_text("N");
  command.add_option("--threads", generator.threads, "Use N threads [4]")->option_text("N");
  command.add_option("--variables", generator.variables, "Use at most N variables [1000000]")->option_text("N");
  command
      .add_option("--reads", generator.reads,
                  "Make this share of the events plain reads, in the shapes mix and objects [82]")
      ->option_text("PERCENT");
  command
      .add_option("--writes", generator.writes,
                  "Make this share of the events plain writes, in the shapes mix and objects [14]")
      ->option_text("PERCENT");
  command.add_option("--races", generator.races, "Make races on N variables, named racy0, racy1, ... [0]")
      ->option_text("N");
  command.add_option("--seed", generator.seed, "Use this seed; the same seed and options give the same trace [1]")
      ->option_text("N");
  add_output_form(command, options->output);
  command.callback(
      [options, &action] { action = [options] { return generate(options->generator, options->output); }; });
}

}  // namespace

void add_trace_command(CLI::App& app, Action& action) {
  CLI::App& trace = *app.add_subcommand("trace", "Look at traces and make synthetic ones");
  trace.require_subcommand(1);
  add_print(trace, action);
  add_stats(trace, action);
  add_generate(trace, action);
}

}  // namespace deadheat::cli
