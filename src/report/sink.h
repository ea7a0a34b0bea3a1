// Where a report is written to: text, appended piece by piece.
//
// Inside a watched program a sink is a Text of ours, outside a file or a string (parts.h); the writers are the same.
// Promises Inside rules: no heap, no locale, nothing of the C library.
// Tested by test/unit/finding_report_test.cpp
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace deadheat {

struct Hex {
  uint64_t value;
};
struct Address {  // 0x and at least twelve digits
  uint64_t value;
};
struct Padded {  // with blanks behind it
  std::string_view text;
  size_t width;
};

// Of the watched program: what would not stay on its line, or would change what a terminal shows, is written as \x1b.
struct Name {
  std::string_view text;
};

class Sink {
 public:
  using Append = void (*)(void* to, std::string_view text);
  Sink(Append append, void* to) : append_(append), to_(to) {}

  template <class... Parts>
  void put(const Parts&... parts) {
    (add(parts), ...);
  }

 private:
  void add(std::string_view text) { append_(to_, text); }
  void add(char c) { append_(to_, {&c, 1}); }
  void add(Hex hex) {
    add("0x");
    number(hex.value, 16, 1);
  }
  void add(Address address) {
    add("0x");
    number(address.value, 16, 12);
  }
  void add(Name name);  // harmless.cpp
  void add(Padded padded) {
    add(padded.text);
    for (size_t i = padded.text.size(); i < padded.width; ++i) add(' ');
  }
  template <std::integral Number>
  void add(Number value) {
    if constexpr (std::is_signed_v<Number>) {
      if (value < 0) {
        add('-');
        return number(-static_cast<uint64_t>(value), 10, 1);
      }
    }
    number(static_cast<uint64_t>(value), 10, 1);
  }
  void number(uint64_t value, unsigned base, unsigned least) {
    char digits[24];
    size_t begin = sizeof digits;
    for (; value != 0 || sizeof digits - begin < least; value /= base)
      digits[--begin] = "0123456789abcdef"[value % base];
    add(std::string_view{digits + begin, sizeof digits - begin});
  }

  Append append_;
  void* to_;
};

}  // namespace deadheat
