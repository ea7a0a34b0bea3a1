#include "base/fatal.h"

#include <unistd.h>

#include <cstdarg>
#include <cstdio>

namespace deadheat {

void fatal(const char* format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  int length = std::vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  if (length < 0) length = 0;
  if (length > static_cast<int>(sizeof line) - 2) length = sizeof line - 2;
  line[length++] = '\n';
  [[maybe_unused]] ssize_t prefix = write(2, "deadheat: ", 10);
  [[maybe_unused]] ssize_t written = write(2, line, static_cast<size_t>(length));
  _exit(kExitInternal);
}

}  // namespace deadheat
