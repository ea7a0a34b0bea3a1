#include "support/test_trace.h"

#include <algorithm>
#include <stdexcept>

#include "event/text_notation.h"
#include "support/memory_reader.h"

namespace deadheat::test {
namespace {

template <class Id>
std::vector<std::string> all_names(const NameTable<Id>& table) {
  std::vector<std::string> names;
  for (size_t i = 0; i < table.size(); ++i) names.emplace_back(table[static_cast<Id>(i)]);
  return names;
}

}  // namespace

uint64_t TestTrace::object_of(uint64_t variable) const {
  const std::string_view object = split_variable_name(name(Operand::kVariable, variable)).object;
  const std::vector<std::string>& objects = names[static_cast<size_t>(Operand::kObject)];
  const auto found = std::find(objects.begin(), objects.end(), object);
  return found == objects.end() ? UINT64_MAX : static_cast<uint64_t>(found - objects.begin());
}

std::string TestTrace::location_name(LocationId location) const {
  return location == kNoLocation ? std::string{} : locations[index(location)];
}

TestTrace parse_trace(std::string_view text) {
  TestTrace trace;
  Names names;
  LineParser parser(names);
  for (size_t at = 0; (at = text.find_first_not_of(" \n", at)) != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(" \n", at), text.size());
    Event event;
    std::string problem;
    if (!parser.parse(text.substr(at, end - at), event, problem)) throw std::invalid_argument(problem);
    if (event.location == kNoLocation) event.location = names.locations.intern(std::to_string(trace.events.size()));
    trace.events.push_back(event);
    at = end;
  }
  const auto keep = [&](Operand operand, const auto& table) {
    trace.names[static_cast<size_t>(operand)] = all_names(table);
  };
  keep(Operand::kThread, names.threads);
  keep(Operand::kVariable, names.variables);
  keep(Operand::kObject, names.objects);
  keep(Operand::kLock, names.locks);
  keep(Operand::kMessage, names.messages);
  keep(Operand::kBarrier, names.barriers);
  keep(Operand::kSemaphore, names.semaphores);
  keep(Operand::kCondition, names.conditions);
  trace.locations = all_names(names.locations);
  return trace;
}

std::string to_text(const TestTrace& trace) {
  MemoryReader reader(trace, trace.events.size());
  Batch batch;
  reader.next(batch);
  std::string text;
  for (const Event& event : batch.events) format_event(text, event, reader.names());
  return text;
}

}  // namespace deadheat::test
