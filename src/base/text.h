// Text without the C library: what code inside a watched program uses to look at names and paths.
//
// `std::string_view` compares by memcmp, which we intercept, and `substr` may throw; these do neither.
#pragma once

#include <cstddef>
#include <string_view>

namespace deadheat {

constexpr bool same_text(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) return false;
  return true;
}

// The bytes from `begin` up to `end`, which must lie within the text.
constexpr std::string_view slice(std::string_view text, size_t begin, size_t end) {
  return {text.data() + begin, end - begin};
}

constexpr bool starts_with(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && same_text(slice(text, 0, prefix.size()), prefix);
}

constexpr bool ends_with(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && same_text(slice(text, text.size() - suffix.size(), text.size()), suffix);
}

// What comes after the last slash of a path.
constexpr std::string_view base_name(std::string_view path) {
  size_t begin = path.size();
  while (begin > 0 && path[begin - 1] != '/') --begin;
  return slice(path, begin, path.size());
}

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace deadheat
