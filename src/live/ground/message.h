// Text from inside the program: a formatter without heap or locale, and the two ways to say something.
//
// Conversions: %s %d %u %x %p %c %% with l, ll, z and a width with optional zero fill; %.*s.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace deadheat::live {

// Appends to a buffer of fixed size; what does not fit is cut off. (GrowingText has room for everything.)
class Text {
 public:
  Text(char* buffer, size_t capacity) : buffer_(buffer), capacity_(capacity) { buffer_[0] = 0; }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;

  void add(const char* format, ...) __attribute__((format(printf, 2, 3)));
  void add_list(const char* format, va_list arguments);
  void put(char c) {
    if (__builtin_expect(size_ + 1 >= capacity_, 0) && !grow()) return;
    buffer_[size_++] = c;
    buffer_[size_] = 0;
  }
  void put(std::string_view text) {
    for (const char c : text) put(c);
  }

  const char* data() const { return buffer_; }
  size_t size() const { return size_; }
  void clear() {
    size_ = 0;
    buffer_[0] = 0;
  }

 protected:
  bool grow();

  char* buffer_;
  size_t capacity_;
  size_t size_ = 0;
  bool grows_ = false;  // the buffer is a mapping of its own

 private:
  void number(uint64_t value, unsigned base, bool negative, unsigned width, char fill);
};

// A text of any length. Only where the system has no memory left it is cut off.
class GrowingText : public Text {
 public:
  GrowingText();
  ~GrowingText();

 private:
  char few_[256];
};

// Writes the bytes to where reports go (log_path, else standard error).
void write_log(const char* data, size_t bytes);

// 2, or -1 in a program that was started without it.
extern int standard_error;

// One line, "deadheat: ..." on standard error.
void say(const char* format, ...) __attribute__((format(printf, 1, 2), cold));
// The same, then the program ends with code 70: for what Deadheat cannot go on from.
[[noreturn]] void die(const char* format, ...) __attribute__((format(printf, 1, 2), cold));

}  // namespace deadheat::live
