#include "event/trace.h"

#include "event/byte_stream.h"
#include "event/text_trace.h"

namespace deadheat {

std::unique_ptr<TraceReader> open_trace(const std::string& path, const ReaderOptions& options) {
  InputFile file(path);
  return std::make_unique<TextReader>(std::move(file), std::string_view{}, options);
}

std::unique_ptr<TraceWriter> create_trace(const std::string& path, TraceForm form) {
  (void)form;
  return std::make_unique<TextWriter>(path);
}

}  // namespace deadheat
