// A trace as a stream: batches of events, the names behind their ids, and where each event stands in its file.
//
// A batch is decoded once and then only read, also by several analysis workers at a time. A batch carries what a worker
// must know of the variables that it is the first to use, so no worker looks into a table that is still growing.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "event/event.h"
#include "event/names.h"
#include "event/run_info.h"

namespace deadheat {

// An input that cannot be read or does not make sense: one line that says where and what was expected. Exit code 2.
struct TraceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Batch {
  uint64_t first_event = 0;  // number of events[0] in the file, from 0; the others follow without a gap
  std::vector<Event> events;
  // Variables that appear first in this batch: their ids are the next ones, in this order.
  std::vector<VariableInfo> new_variables;
  // Where events stand: lines[i] is the line of events[i] in a text file; empty for a binary one, whose block begins
  // at `offset`.
  std::vector<uint64_t> lines;
  uint64_t offset = 0;

  void clear() {
    events.clear();
    new_variables.clear();
    lines.clear();
  }
};

// What a reader met and went on from: counted with `--lenient`, otherwise the first one is a TraceError.
struct Losses {
  uint64_t skipped_lines = 0;    // malformed lines of text
  uint64_t skipped_blocks = 0;   // corrupt blocks of a binary file
  uint64_t skipped_events = 0;   // events that made no sense where they stood
  uint64_t repaired_events = 0;  // events that made sense after a small repair
  bool truncated = false;        // a binary file that ends within a block: read up to the last whole one, and said
};

struct ReaderOptions {
  bool lenient = false;
};

class TraceReader {
 public:
  virtual ~TraceReader() = default;

  // Fills `batch` with the next events; false at the end. Throws TraceError.
  virtual bool next(Batch& batch) = 0;

  // "file.std:12" or "file.dht: event 7 (block at offset 4096)": how an error names the event at `i` in `batch`.
  virtual std::string position(const Batch& batch, size_t i) const = 0;

  // How far the reader is, from 0 to 1, or a negative number if that cannot be known (a pipe).
  virtual double progress() const = 0;

  // Bytes of the file that were needed so far.
  virtual uint64_t bytes_read() const { return 0; }

  const Names& names() const { return names_; }
  // Of a recorded program, as far as it was read; null for any other trace.
  virtual const RunInfo* run() const { return nullptr; }
  const Losses& losses() const { return losses_; }

 protected:
  Names names_;
  Losses losses_;
};

// Opens a trace in either form, told by its first bytes; "-" is standard input. Throws TraceError.
std::unique_ptr<TraceReader> open_trace(const std::string& path, const ReaderOptions& options = {});

// Writes events whose ids belong to the names of the reader (or generator) they come from.
class TraceWriter {
 public:
  virtual ~TraceWriter() = default;
  virtual void write(const Batch& batch, const Names& names) = 0;
  // What is known of the program that was recorded, before the events that need it. Text has no place for it.
  virtual void write_run(const RunInfo&) {}
  // Whatever was written can be read from a growing file.
  virtual void flush() {}
  // Must be called once at the end; throws TraceError if the file could not be written whole.
  virtual void finish() = 0;
};

enum class TraceForm { kText, kBinary };

// "-" is standard output. A file that is `growing` is written in its place, block by block, and can be read up to the
// last one if the writer is killed; others appear whole or not at all.
std::unique_ptr<TraceWriter> create_trace(const std::string& path, TraceForm form, bool growing = false);

}  // namespace deadheat
