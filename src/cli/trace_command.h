// What the commands that write traces share: where the trace goes and in which form.
#pragma once

#include <string>

#include "event/trace.h"

namespace CLI {
class App;
}

namespace deadheat::cli {

struct OutputForm {
  std::string path = "-";
  bool binary = false;
  bool text = false;

  // What was asked for; else binary for a path that ends in .dht.
  TraceForm form() const;
};
void add_output_form(CLI::App& command, OutputForm& output);

// Writes all of the reader's events. Throws TraceError.
void write_trace(TraceReader& reader, const OutputForm& output);

}  // namespace deadheat::cli
