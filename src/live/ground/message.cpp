#include "live/ground/message.h"

#include "live/ground/sys.h"

namespace deadheat::live {

int standard_error = 2;

bool Text::grow() {
  if (!grows_) return false;
  const long moved = sys::call(SYS_mremap, reinterpret_cast<long>(buffer_), static_cast<long>(capacity_),
                               static_cast<long>(2 * capacity_), MREMAP_MAYMOVE);
  if (sys::failed(moved)) return false;
  buffer_ = reinterpret_cast<char*>(moved);
  capacity_ *= 2;
  return true;
}

GrowingText::GrowingText() : Text(few_, sizeof few_) {
  constexpr size_t kFirst = size_t{64} << 10;
  char* const mapped = static_cast<char*>(sys::reserve(kFirst));
  if (mapped == nullptr) return;
  buffer_ = mapped;
  capacity_ = kFirst;
  grows_ = true;
}

GrowingText::~GrowingText() {
  if (grows_) sys::unmap(buffer_, capacity_);
}

void Text::number(uint64_t value, unsigned base, bool negative, unsigned width, char fill) {
  char digits[24];
  unsigned count = 0;
  do {
    digits[count++] = "0123456789abcdef"[value % base];
    value /= base;
  } while (value != 0);
  if (negative) digits[count++] = '-';
  for (; width > count; --width) put(fill);
  while (count > 0) put(digits[--count]);
}

void Text::add(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_list(format, arguments);
  va_end(arguments);
}

void Text::add_list(const char* format, va_list arguments) {
  for (; *format != 0; ++format) {
    if (*format != '%') {
      put(*format);
      continue;
    }
    ++format;
    char fill = ' ';
    if (*format == '0') fill = *format++;
    unsigned width = 0;
    while (*format >= '0' && *format <= '9') width = width * 10 + static_cast<unsigned>(*format++ - '0');
    int limit = -1;
    if (format[0] == '.' && format[1] == '*') {
      limit = va_arg(arguments, int);
      format += 2;
    }
    bool is_long = false;
    while (*format == 'l' || *format == 'z') {
      is_long = true;
      ++format;
    }
    switch (*format) {
      case 's': {
        const char* text = va_arg(arguments, const char*);
        if (text == nullptr) text = "(null)";
        for (int i = 0; (limit < 0 || i < limit) && text[i] != 0; ++i) put(text[i]);
        break;
      }
      case 'd': {
        const int64_t value = is_long ? va_arg(arguments, long) : va_arg(arguments, int);
        number(value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value), 10, value < 0, width, fill);
        break;
      }
      case 'u':
      case 'x': {
        const uint64_t value = is_long ? va_arg(arguments, unsigned long) : va_arg(arguments, unsigned);
        number(value, *format == 'x' ? 16 : 10, false, width, fill);
        break;
      }
      case 'p':
        put("0x");
        number(reinterpret_cast<uintptr_t>(va_arg(arguments, void*)), 16, false, 12, '0');
        break;
      case 'c':
        put(static_cast<char>(va_arg(arguments, int)));
        break;
      default:
        put(*format);
    }
  }
}

namespace {
void write_line(const char* format, va_list arguments) {
  char buffer[600];
  Text text(buffer, sizeof buffer);
  text.put("deadheat: ");
  text.add_list(format, arguments);
  text.put('\n');
  sys::write(standard_error, text.data(), text.size());
}
}  // namespace

void say(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line(format, arguments);
  va_end(arguments);
}

void die(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line(format, arguments);
  va_end(arguments);
  sys::exit(70);
}

}  // namespace deadheat::live
