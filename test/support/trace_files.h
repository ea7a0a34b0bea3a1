// Traces in files: whole ones read and written, for tests of the two forms.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "event/text_notation.h"
#include "event/trace.h"
#include "support/temporary_folder.h"

namespace deadheat::test {

// Everything that a reader hands out of one file.
struct ReadTrace {
  std::vector<Event> events;
  std::vector<uint64_t> numbers;       // of the events
  std::vector<std::string> positions;  // of the first events of each batch
  std::vector<VariableInfo> variables;
  std::string text;  // the events in the text notation
  Losses losses;
  std::string error;  // of the TraceError that ended it, if one did
};

inline ReadTrace read_all(const std::string& path, bool lenient = false) {
  ReadTrace trace;
  try {
    const auto reader = open_trace(path, {.lenient = lenient});
    try {
      Batch batch;
      while (reader->next(batch)) {
        for (size_t i = 0; i < batch.events.size(); ++i) {
          trace.events.push_back(batch.events[i]);
          trace.numbers.push_back(batch.first_event + i);
          if (i < 16) trace.positions.push_back(reader->position(batch, i));
          format_event(trace.text, batch.events[i], reader->names());
        }
        trace.variables.insert(trace.variables.end(), batch.new_variables.begin(), batch.new_variables.end());
      }
    } catch (const TraceError& error) {
      trace.error = error.what();
    }
    trace.losses = reader->losses();
  } catch (const TraceError& error) {
    trace.error = error.what();
  }
  return trace;
}

inline void convert(const std::string& from, const std::string& to, TraceForm form) {
  const auto reader = open_trace(from);
  const auto writer = create_trace(to, form);
  Batch batch;
  while (reader->next(batch)) writer->write(batch, reader->names());
  writer->finish();
}

}  // namespace deadheat::test
