// Binary traces as streams: reads and writes the blocks of `binary_format.h`.
//
// Promises Memory is bounded by the names and a few buffers, whatever the file says. A file that ends early is read up
//          to its last whole block, and `losses().truncated` says so. A corrupt block is a TraceError that names its
//          offset; with `lenient` it is skipped, the reader finds the next block by its marker and checksum, and
//          events keep their numbers, because every block knows the number of its first one.
// Cost     Reading is zstd's decompression of 2 to 3 bytes and some 3 ns an event (bench: `trace decode`).
// Tested by test/unit/binary_trace_test.cpp, test/fuzz
#pragma once

#include <zstd.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "event/binary_format.h"
#include "event/byte_stream.h"
#include "event/event_block.h"
#include "event/names_block.h"
#include "event/trace.h"

namespace deadheat {

// A file with a window to look ahead in.
class ForwardBuffer {
 public:
  ForwardBuffer(InputFile file, std::string_view head);

  // The next `size` bytes; fewer only at the end of the file.
  std::string_view peek(size_t size);
  void skip(size_t size);  // at most what was peeked
  uint64_t offset() const { return offset_; }
  const InputFile& file() const { return file_; }

 private:
  InputFile file_;
  std::unique_ptr<char[]> bytes_;
  size_t capacity_;
  size_t begin_ = 0;  // the unread part
  size_t end_ = 0;
  uint64_t offset_ = 0;  // in the file, of the byte at `begin_`
};

class BinaryReader final : public TraceReader {
 public:
  // `head` is what was already read of the file to tell its form.
  BinaryReader(InputFile file, std::string_view head, const ReaderOptions& options);

  bool next(Batch& batch) override;
  std::string position(const Batch& batch, size_t i) const override;
  double progress() const override { return input_.file().progress(); }
  uint64_t bytes_read() const override { return input_.offset(); }
  const RunInfo* run() const override { return run_ ? &*run_ : nullptr; }

 private:
  void read_first_run();
  bool next_event_block();
  bool find_header(BlockHeader& header);
  bool read_payload(const BlockHeader& header, std::string_view& payload);
  bool skip_payload(const BlockHeader& header);
  void corrupt(const std::string& what);

  ForwardBuffer input_;
  ReaderOptions options_;
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> zstd_{ZSTD_createDCtx(), ZSTD_freeDCtx};
  std::vector<char> payload_;  // of the current block, and the decoder's slack
  EventBlockDecoder decoder_;
  uint64_t block_offset_ = 0;  // of the current block
  uint64_t next_event_ = 0;
  size_t variables_told_ = 0;
  std::optional<RunInfo> run_;
  bool ended_ = false;
};

class BinaryWriter final : public TraceWriter {
 public:
  explicit BinaryWriter(const std::string& path, bool growing = false);
  void write(const Batch& batch, const Names& names) override;
  void write_run(const RunInfo& run) override;
  // As much as fits into the block. Returns how many were taken; with fewer than all the block must be ended, with the
  // names that its events need.
  size_t write_events(std::span<const Event> events) { return events_.add(events); }
  // The same for events of one thread that are made where they are needed (EventBlockEncoder::add_run).
  template <class Source>
  size_t write_accesses(ThreadId thread, size_t count, Source& source) {
    return events_.add_run(thread, count, source);
  }
  template <class Source>
  size_t write_row(ThreadId thread, size_t count, uint64_t step, Source& source) {
    return events_.add_row(thread, count, step, source);
  }
  uint32_t block() const { return events_.block(); }
  void end_block(const Names& names);
  // Events that were given so far.
  uint64_t events() const { return first_event_ + events_.count(); }
  // Of what was given so far, as far as blocks are full.
  uint64_t bytes_written() const { return bytes_written_; }
  void flush() override;
  void finish() override;

 private:
  void take_names(const Names& names);
  void write_names();
  void write_block_of_events();
  void write_block(BlockType type, uint32_t count, std::span<const std::string_view> columns);

  OutputFile file_;
  std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> zstd_{ZSTD_createCCtx(), ZSTD_freeCCtx};
  NamesBlockEncoder names_;
  std::string pending_names_;
  uint32_t pending_name_count_ = 0;
  EventBlockEncoder events_;
  uint64_t first_event_ = 0;  // of the block that is being filled
  std::string compressed_;
  RunInfoEncoder run_;
  uint64_t bytes_written_ = 0;
};

}  // namespace deadheat
