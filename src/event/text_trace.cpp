#include "event/text_trace.h"

#include <fmt/format.h>

#include <cstring>

namespace deadheat {

namespace {
constexpr size_t kBatchEvents = 4096;
constexpr size_t kBufferBytes = 1 << 20;  // and the longest line
constexpr size_t kWriteBytes = 1 << 18;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
}  // namespace

TextReader::TextReader(InputFile file, std::string_view head, const ReaderOptions& options)
    : file_(std::move(file)), options_(options), buffer_(std::make_unique_for_overwrite<char[]>(kBufferBytes)) {
  std::memcpy(buffer_.get(), head.data(), head.size());
  end_ = head.size() + file_.read(buffer_.get() + head.size(), kBufferBytes - head.size());
  at_end_ = end_ < kBufferBytes;
  if (std::string_view(buffer_.get(), end_).starts_with(kByteOrderMark)) begin_ = kByteOrderMark.size();
}

// The next line without its end; false at the end of the file. Of a line longer than the buffer only the beginning is
// handed out, with `line_too_long_` set.
bool TextReader::next_line(std::string_view& line) {
  line_too_long_ = false;
  const void* found = std::memchr(buffer_.get() + begin_, '\n', end_ - begin_);
  if (found == nullptr && !at_end_) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    bytes_before_ += begin_;
    begin_ = 0;
    const size_t had = end_;
    end_ += file_.read(buffer_.get() + end_, kBufferBytes - end_);
    at_end_ = end_ < kBufferBytes;
    found = std::memchr(buffer_.get() + had, '\n', end_ - had);
  }
  if (found == nullptr && begin_ == end_) return false;
  ++line_number_;
  const char* start = buffer_.get() + begin_;
  const char* stop = found != nullptr ? static_cast<const char*>(found) : buffer_.get() + end_;
  line = {start, static_cast<size_t>(stop - start)};
  begin_ = static_cast<size_t>(stop - buffer_.get()) + (found != nullptr ? 1 : 0);
  if (found == nullptr && !at_end_) {
    line_too_long_ = true;
  } else if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return true;
}

void TextReader::malformed(Batch& batch, const std::string& problem) {
  if (!options_.lenient) {
    error_ = fmt::format("{}:{}: {}", file_.name(), line_number_, problem);
    return;
  }
  ++losses_.skipped_lines;
  batch.events.push_back({});
  batch.lines.push_back(line_number_);
}

bool TextReader::next(Batch& batch) {
  batch.clear();
  batch.first_event = events_;
  const size_t known_variables = names_.variable_info.size();
  std::string_view line;
  std::string problem;
  Event event;
  while (batch.events.size() < kBatchEvents && error_.empty() && next_line(line)) {
    if (line_too_long_) {
      const bool comment = line[0] == '#';
      // Skip the rest of it in pieces of a buffer; they are one line.
      std::string_view rest;
      const uint64_t number = line_number_;
      while (line_too_long_ && next_line(rest)) line_number_ = number;
      if (!comment) malformed(batch, fmt::format("the line is longer than {} bytes", kBufferBytes));
    } else if (is_comment(line)) {
      continue;
    } else if (parser_.parse(line, event, problem)) {
      batch.events.push_back(event);
      batch.lines.push_back(line_number_);
    } else {
      malformed(batch, problem);
    }
  }
  if (batch.events.empty() && !error_.empty()) throw TraceError(error_);
  batch.new_variables.assign(names_.variable_info.begin() + static_cast<ptrdiff_t>(known_variables),
                             names_.variable_info.end());
  events_ += batch.events.size();
  return !batch.events.empty();
}

std::string TextReader::position(const Batch& batch, size_t i) const {
  return fmt::format("{}:{}", file_.name(), batch.lines[i]);
}

void TextWriter::write(const Batch& batch, const Names& names) {
  for (const Event& event : batch.events) format_event(buffer_, event, names);
  if (buffer_.size() < kWriteBytes) return;
  file_.write(buffer_);
  buffer_.clear();
}

void TextWriter::finish() {
  file_.write(buffer_);
  buffer_.clear();
  file_.commit();
}

}  // namespace deadheat
