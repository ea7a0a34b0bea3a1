#include "event/binary_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace deadheat {

namespace {

constexpr size_t kReadBytes = 1 << 18;
constexpr size_t kNamesBytes = 1 << 20;  // after which pending names are written
// Level 3 is where more effort stops paying: level 6 saves 3 % more at a third of the speed.
constexpr int kCompressionLevel = 3;
constexpr int kQuickLevel = 1;  // while a program runs and may wait for us
// Beyond it a first event number is nonsense, and adding to it could wrap.
constexpr uint64_t kMaxEvents = uint64_t{1} << 62;

}  // namespace

ForwardBuffer::ForwardBuffer(InputFile file, std::string_view head)
    : file_(std::move(file)),
      bytes_(std::make_unique_for_overwrite<char[]>(kReadBytes)),
      capacity_(kReadBytes),
      end_(head.size()) {
  std::copy(head.begin(), head.end(), bytes_.get());
}

std::string_view ForwardBuffer::peek(size_t size) {
  if (end_ - begin_ < size) {
    if (size > capacity_) {
      auto larger = std::make_unique_for_overwrite<char[]>(size);
      std::copy(bytes_.get() + begin_, bytes_.get() + end_, larger.get());
      bytes_ = std::move(larger);
      capacity_ = size;
    } else {
      std::memmove(bytes_.get(), bytes_.get() + begin_, end_ - begin_);
    }
    end_ -= begin_;
    begin_ = 0;
    end_ += file_.read(bytes_.get() + end_, capacity_ - end_);
  }
  return {bytes_.get() + begin_, std::min(size, end_ - begin_)};
}

void ForwardBuffer::skip(size_t size) {
  begin_ += size;
  offset_ += size;
}

BinaryReader::BinaryReader(InputFile file, std::string_view head, const ReaderOptions& options)
    : input_(std::move(file), head), options_(options) {
  const std::string_view start = input_.peek(kFileHeadBytes);
  if (start.size() < kFileHeadBytes) {
    losses_.truncated = ended_ = true;
    return;
  }
  uint32_t version = 0;
  std::memcpy(&version, start.data() + kBinaryMagic.size(), sizeof version);
  if (version != kBinaryVersion)
    throw TraceError(fmt::format("{}: is a binary trace of version {}; expected version {}", input_.file().name(),
                                 version, kBinaryVersion));
  input_.skip(kFileHeadBytes);
  read_first_run();
}

// What is known of a recorded program at the beginning is known before the first event is asked for.
void BinaryReader::read_first_run() {
  BlockHeader header;
  const std::string_view bytes = input_.peek(kBlockHeaderBytes);
  if (bytes.size() != kBlockHeaderBytes || !parse_header(bytes, header) ||
      static_cast<BlockType>(header.type) != BlockType::kRun)
    return;
  block_offset_ = input_.offset();
  input_.skip(kBlockHeaderBytes);
  std::string_view payload;
  if (!read_payload(header, payload)) return;
  run_.emplace();
  if (const char* wrong = decode_run_info(payload, header.count, *run_)) corrupt(wrong);
}

void BinaryReader::corrupt(const std::string& what) {
  if (!options_.lenient)
    throw TraceError(fmt::format("{}: corrupt block at offset {}: {}", input_.file().name(), block_offset_, what));
  ++losses_.skipped_blocks;
}

// Moves to the next header; false at the end of the file.
bool BinaryReader::find_header(BlockHeader& header) {
  block_offset_ = input_.offset();
  std::string_view bytes = input_.peek(kBlockHeaderBytes);
  if (bytes.size() == kBlockHeaderBytes && !parse_header(bytes, header)) {
    corrupt("its header is damaged");
    do {
      input_.skip(1);
      const std::string_view window = input_.peek(kReadBytes);
      const size_t found = window.find(kBlockMarker);
      // Without a marker all but its possible beginning at the end of the window can go.
      input_.skip(found != std::string_view::npos ? found : window.size() - std::min(window.size(), size_t{3}));
      bytes = input_.peek(kBlockHeaderBytes);
    } while (bytes.size() == kBlockHeaderBytes && !parse_header(bytes, header));
    block_offset_ = input_.offset();
  }
  if (bytes.size() < kBlockHeaderBytes) {
    losses_.truncated = true;  // there was no end block
    return false;
  }
  input_.skip(kBlockHeaderBytes);
  return true;
}

// False if the file ends before the payload does.
bool BinaryReader::skip_payload(const BlockHeader& header) {
  for (size_t left = header.stored_size; left > 0;) {
    const size_t got = input_.peek(std::min(left, kReadBytes)).size();
    if (got == 0) {
      losses_.truncated = true;
      return false;
    }
    input_.skip(got);
    left -= got;
  }
  return true;
}

// Leaves the uncompressed payload in `payload`; an empty view (and a count of a skipped block) if it is corrupt. False
// if the file ends before the payload does.
bool BinaryReader::read_payload(const BlockHeader& header, std::string_view& payload) {
  payload = {};
  if (header.raw_size > kMaxRawBytes || header.stored_size > ZSTD_compressBound(kMaxRawBytes) ||
      (header.flags & ~kFlagZstd) != 0 || ((header.flags & kFlagZstd) == 0 && header.stored_size != header.raw_size)) {
    corrupt("its header makes no sense");
    return skip_payload(header);
  }
  const std::string_view stored = input_.peek(header.stored_size);
  if (stored.size() < header.stored_size) {
    losses_.truncated = true;
    return false;
  }
  if (payload_.size() < header.raw_size + EventBlockDecoder::kSlackBytes)
    payload_.resize(header.raw_size + EventBlockDecoder::kSlackBytes);
  if (checksum_of(stored) != header.payload_checksum) {
    corrupt("its checksum does not match");
  } else if ((header.flags & kFlagZstd) == 0) {
    std::copy(stored.begin(), stored.end(), payload_.begin());
    payload = {payload_.data(), stored.size()};
  } else {
    const size_t size =
        ZSTD_decompressDCtx(zstd_.get(), payload_.data(), header.raw_size, stored.data(), stored.size());
    if (size == header.raw_size)
      payload = {payload_.data(), size};
    else
      corrupt("it cannot be decompressed");
  }
  input_.skip(stored.size());
  return true;
}

// Reads blocks until one with events is ready in the decoder; false at the end.
bool BinaryReader::next_event_block() {
  BlockHeader header;
  std::string_view payload;
  while (!ended_ && find_header(header)) {
    const auto type = static_cast<BlockType>(header.type);
    if (type == BlockType::kEnd) {
      ended_ = true;
      if (header.first_event != next_event_)
        corrupt(fmt::format("it ends the trace after {} events, but {} were read", header.first_event, next_event_));
      if (!input_.peek(1).empty()) {
        block_offset_ = input_.offset();
        corrupt("there are bytes after the end of the trace");
      }
      return false;
    }
    if (type != BlockType::kNames && type != BlockType::kEvents && type != BlockType::kRun) {
      if (!skip_payload(header)) break;
      continue;
    }
    const uint64_t skipped = losses_.skipped_blocks;
    if (!read_payload(header, payload)) break;
    if (losses_.skipped_blocks != skipped) continue;
    if (type == BlockType::kNames) {
      if (const char* wrong = decode_names(payload, header.count, names_)) corrupt(wrong);
      continue;
    }
    if (type == BlockType::kRun) {
      if (!run_) run_.emplace();
      if (const char* wrong = decode_run_info(payload, header.count, *run_)) corrupt(wrong);
      continue;
    }
    // Numbers may leave a gap where a block was lost, but never go back.
    const bool gap = options_.lenient && header.first_event > next_event_ && header.first_event < kMaxEvents;
    if (header.first_event != next_event_ && !gap) {
      corrupt(fmt::format("it begins with event {}; expected event {}", header.first_event, next_event_));
    } else if (header.count > kMaxBlockEvents) {
      corrupt("it has too many events");
    } else if (const char* wrong = decoder_.begin(payload, header.count, names_)) {
      corrupt(wrong);
    } else if (header.count > 0) {
      next_event_ = header.first_event;
      return true;
    }
  }
  ended_ = true;
  return false;
}

bool BinaryReader::next(Batch& batch) {
  for (;;) {
    if (decoder_.remaining() == 0 && !next_event_block()) {
      batch.clear();
      batch.first_event = next_event_;
      return false;
    }
    const auto count = std::min<uint32_t>(decoder_.remaining(), EventBlockDecoder::kChunkEvents);
    // Not cleared before: the events of the last batch are overwritten, not constructed anew.
    batch.events.resize(count);
    if (const char* wrong = decoder_.decode(batch.events.data(), count)) {
      corrupt(wrong);
      continue;
    }
    batch.first_event = next_event_;
    batch.offset = block_offset_;
    batch.lines.clear();
    const std::span new_variables = std::span(names_.variable_info).subspan(variables_told_);
    batch.new_variables.assign(new_variables.begin(), new_variables.end());
    variables_told_ = names_.variable_info.size();
    next_event_ += count;
    return true;
  }
}

std::string BinaryReader::position(const Batch& batch, size_t i) const {
  return fmt::format("{}: event {} (block at offset {})", input_.file().name(), batch.first_event + i, batch.offset);
}

BinaryWriter::BinaryWriter(const std::string& path, bool growing) : file_(path, growing) {
  ZSTD_CCtx_setParameter(zstd_.get(), ZSTD_c_compressionLevel, growing ? kQuickLevel : kCompressionLevel);
  std::string head(kBinaryMagic);
  head.append(reinterpret_cast<const char*>(&kBinaryVersion), sizeof kBinaryVersion);
  head.resize(kFileHeadBytes);
  file_.write(head);
}

void BinaryWriter::write(const Batch& batch, const Names& names) {
  take_names(names);
  for (std::span<const Event> left(batch.events); !left.empty();) {
    left = left.subspan(events_.add(left));
    if (!left.empty() || events_.count() == kMaxBlockEvents) write_block_of_events();
  }
}

void BinaryWriter::end_block(const Names& names) {
  take_names(names);
  flush();
}

// They may not live until the block is full.
void BinaryWriter::take_names(const Names& names) {
  while (const uint32_t added = names_.encode(names, kNamesBytes, pending_names_)) {
    pending_name_count_ += added;
    if (pending_names_.size() >= kNamesBytes) write_names();
  }
}

void BinaryWriter::write_run(const RunInfo& run) {
  std::string items;
  while (const uint32_t count = run_.encode(run, items)) {
    const std::string_view column = items;
    write_block(BlockType::kRun, count, {&column, 1});
    items.clear();
  }
}

void BinaryWriter::write_names() {
  if (pending_name_count_ == 0) return;
  const std::string_view column = pending_names_;
  write_block(BlockType::kNames, pending_name_count_, {&column, 1});
  pending_names_.clear();
  pending_name_count_ = 0;
}

void BinaryWriter::write_block_of_events() {
  write_names();
  const uint32_t count = events_.count();
  write_block(BlockType::kEvents, count, events_.finish());
  first_event_ += count;
}

void BinaryWriter::flush() {
  if (events_.count() > 0) write_block_of_events();
}

void BinaryWriter::finish() {
  flush();
  write_block(BlockType::kEnd, 0, {});
  file_.commit();
}

// The columns become one zstd frame; between them the compressor is flushed, so that it adapts to each.
void BinaryWriter::write_block(BlockType type, uint32_t count, std::span<const std::string_view> columns) {
  size_t raw_size = 0;
  for (const std::string_view column : columns) raw_size += column.size();
  if (raw_size > kMaxRawBytes)
    throw TraceError(fmt::format("{}: a name is longer than a binary trace can hold", file_.name()));
  // A flush costs a few bytes beyond the bound of one piece.
  compressed_.resize(ZSTD_compressBound(raw_size) + 64 * columns.size());
  ZSTD_outBuffer out = {compressed_.data(), compressed_.size(), 0};
  // The size is told beforehand, so that small blocks do not pay for the tables of large ones.
  ZSTD_CCtx_setPledgedSrcSize(zstd_.get(), raw_size);
  bool compressed = raw_size > 0;
  for (size_t i = 0; i < columns.size() && compressed; ++i) {
    ZSTD_inBuffer in = {columns[i].data(), columns[i].size(), 0};
    const bool last = i + 1 == columns.size();
    compressed = ZSTD_compressStream2(zstd_.get(), &out, &in, last ? ZSTD_e_end : ZSTD_e_flush) == 0;
  }
  ZSTD_CCtx_reset(zstd_.get(), ZSTD_reset_session_only);
  if (!compressed || out.pos >= raw_size) {
    compressed = false;
    compressed_.clear();
    for (const std::string_view column : columns) compressed_ += column;
  } else {
    compressed_.resize(out.pos);
  }
  BlockHeader header;
  header.type = static_cast<uint16_t>(type);
  header.flags = compressed ? kFlagZstd : 0;
  header.first_event = first_event_;
  header.count = count;
  header.stored_size = static_cast<uint32_t>(compressed_.size());
  header.raw_size = static_cast<uint32_t>(raw_size);
  header.payload_checksum = checksum_of(compressed_);
  std::string bytes;
  append_header(bytes, header);
  file_.write(bytes);
  file_.write(compressed_);
  bytes_written_ += bytes.size() + compressed_.size();
}

}  // namespace deadheat
