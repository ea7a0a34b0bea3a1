#include "event/trace.h"

#include <array>

#include "event/binary_trace.h"
#include "event/byte_stream.h"
#include "event/text_trace.h"

namespace deadheat {

std::unique_ptr<TraceReader> open_trace(const std::string& path, const ReaderOptions& options) {
  InputFile file(path);
  std::array<char, kBinaryMagic.size()> start;
  const std::string_view head(start.data(), file.read(start.data(), start.size()));
  // What is left of a binary file that was cut within its magic is still one.
  if (!head.empty() && kBinaryMagic.starts_with(head))
    return std::make_unique<BinaryReader>(std::move(file), head, options);
  return std::make_unique<TextReader>(std::move(file), head, options);
}

std::unique_ptr<TraceWriter> create_trace(const std::string& path, TraceForm form, bool growing) {
  if (form == TraceForm::kBinary) return std::make_unique<BinaryWriter>(path, growing);
  return std::make_unique<TextWriter>(path);
}

}  // namespace deadheat
