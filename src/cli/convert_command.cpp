// `deadheat convert IN OUT`: a trace from either form into either form, whole or reduced to its racy variables.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/progress_bar.h"
#include "cli/trace_analysis.h"
#include "cli/trace_command.h"
#include "cli/usage.h"
#include "engine/reduce.h"
#include "event/trace.h"

namespace deadheat::cli {

namespace {

struct Options {
  TraceInput input;
  OutputForm output;
  bool only_racy = false;
};

int run(const Options& options) {
  auto reader = open_trace(options.input.path, {options.input.lenient});
  if (options.only_racy) {
    if (options.input.path == "-")
      throw UsageError("--only-racy reads the trace twice; expected a file, not standard input");
    Losses losses;  // said for the second reading
    RacyPlaces racy = RacyPlaces::find(*reader, options.input.lenient, losses);
    reader = std::make_unique<RacyReader>(open_trace(options.input.path, {options.input.lenient}), std::move(racy));
  }
  write_trace(*reader, options.output);
  say_losses(options.input.path, reader->losses());
  return 0;
}

}  // namespace

TraceForm OutputForm::form() const {
  if (binary || text) return binary ? TraceForm::kBinary : TraceForm::kText;
  return path.ends_with(".dht") ? TraceForm::kBinary : TraceForm::kText;
}

void add_output_form(CLI::App& command, OutputForm& output) {
  CLI::Option* binary = command.add_flag("--binary", output.binary, "Write the binary form whatever OUT is called");
  command.add_flag("--text", output.text, "Write the text form whatever OUT is called")->excludes(binary);
}

void write_trace(TraceReader& reader, const OutputForm& output) {
  const auto writer = create_trace(output.path, output.form());
  ProgressBar bar;
  Batch batch;
  uint64_t events = 0;
  const auto write_run = [&] {
    if (reader.run() != nullptr) writer->write_run(*reader.run());
  };
  while (reader.next(batch)) {
    write_run();
    writer->write(batch, reader.names());
    events += batch.events.size();
    bar.update({events, reader.progress()});
  }
  write_run();
  writer->finish();
}

void add_convert_command(CLI::App& app, Action& action) {
  CLI::App& command =
      *app.add_subcommand("convert", "Write a trace in the other form: binary if OUT ends in .dht, otherwise text");
  const auto options = std::make_shared<Options>();
  command.add_option("IN", options->input.path, "A trace in either form; - is standard input")
      ->required()
      ->option_text(" ");
  command.add_option("OUT", options->output.path, "Write the trace here; - is standard output")
      ->required()
      ->option_text(" ");
  add_output_form(command, options->output);
  command.add_flag(
      "--only-racy", options->only_racy,
      "Leave out the plain accesses of variables and bytes without a race: a small trace with the same races");
  command.add_flag("--lenient", options->input.lenient,
                   "Write 'nop' for a malformed line, skip a corrupt block, and say how many there were");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace deadheat::cli
