// Names that do no harm to a terminal.
#include "base/text.h"
#include "report/finding_report.h"

namespace deadheat {

size_t utf8_length(std::string_view text) {
  const auto byte = [text](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xc2 && lead < 0xe0   ? 2
                        : lead >= 0xe0 && lead < 0xf0 ? 3
                        : lead >= 0xf0 && lead < 0xf5 ? 4
                                                      : 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Forms that are too long, halves of pairs, and what is beyond the last character.
  if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) >= 0xa0) || (lead == 0xf0 && byte(1) < 0x90) ||
      (lead == 0xf4 && byte(1) >= 0x90))
    return 0;
  return length;
}

namespace {

// The character that a text begins with; the text is UTF-8 up to its end.
unsigned decoded(std::string_view letter) {
  const auto byte = [letter](size_t i) { return static_cast<unsigned char>(letter.data()[i]); };
  if (letter.size() == 1) return byte(0);
  unsigned code = byte(0) & (0x7f >> letter.size());
  for (size_t i = 1; i < letter.size(); ++i) code = code << 6 | (byte(i) & 0x3f);
  return code;
}

// Controls, and what is not seen but changes what is: the direction of the text, the end of a line, characters of no
// width. The web page has the same list (page.js).
bool is_hidden(unsigned c) {
  struct Range {
    unsigned first, last;
  };
  constexpr Range kHidden[] = {{0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},
                               {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
                               {0xfeff, 0xfeff}, {0xfff9, 0xfffb}};
  for (const Range& range : kHidden)
    if (range.first <= c && c <= range.last) return true;
  return false;
}

}  // namespace

void Sink::add(Name name) {
  constexpr char kDigits[] = "0123456789abcdef";
  const std::string_view text = name.text;
  size_t plain = 0;  // what stands before was written
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8_length(slice(text, at, text.size()));
    if (length != 0 && !is_hidden(decoded(slice(text, at, at + length)))) {
      at += length;
      continue;
    }
    add(slice(text, plain, at));
    plain = at + (length == 0 ? 1 : length);
    for (; at < plain; ++at) {
      const auto byte = static_cast<unsigned char>(text.data()[at]);
      add(std::string_view("\\x"));
      add(kDigits[byte >> 4]);
      add(kDigits[byte & 15]);
    }
  }
  add(slice(text, plain, text.size()));
}

}  // namespace deadheat
