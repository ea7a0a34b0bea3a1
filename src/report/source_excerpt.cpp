#include "report/source_excerpt.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

namespace deadheat {

FileAndLine file_and_line(const StackFrame& frame) {
  if (frame.line != 0) return {frame.file, frame.line};
  const size_t colon = frame.file.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return {frame.file, 0};
  int line = 0;
  const char* const end = frame.file.data() + frame.file.size();
  const auto [stopped, error] = std::from_chars(frame.file.data() + colon + 1, end, line);
  if (error != std::errc{} || stopped != end || line <= 0) return {frame.file, 0};
  return {frame.file.substr(0, colon), line};
}

const SourceFiles::File& SourceFiles::file(std::string_view name) {
  if (const auto known = files_.find(name); known != files_.end()) return known->second;
  File& file = files_[std::string(name)];
  if (name.empty() || name.find('\0') != std::string_view::npos) return file;
  std::string path(name);
  if (path[0] != '/' && !root_.empty()) path = root_ + "/" + path;
  constexpr off_t kLargest = 16 << 20;
  struct stat status{};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > kLargest) return file;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  file.text = text.str();
  file.changed = static_cast<uint64_t>(status.st_mtime);
  std::string_view rest = file.text;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    file.lines.push_back(line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return file;
}

SourceExcerpt SourceFiles::around(const StackFrame& frame, uint64_t run_started, int around) {
  SourceExcerpt excerpt;
  const auto [name, line] = file_and_line(frame);
  if (line <= 0) return excerpt;
  const File& found = file(name);
  const int count = static_cast<int>(found.lines.size());
  if (line > count) return excerpt;
  for (int i = std::max(1, line - around); i <= std::min(count, line + around); ++i)
    excerpt.lines.push_back({i, found.lines[static_cast<size_t>(i - 1)], i == line});
  excerpt.is_newer = run_started != 0 && found.changed > run_started;
  return excerpt;
}

}  // namespace deadheat
