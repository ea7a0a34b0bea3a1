#include "support/capture.h"

#include <cstdlib>

namespace deadheat::test {

std::string captured(const std::function<void(std::FILE*)>& write) {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* stream = open_memstream(&text, &size);
  write(stream);
  std::fclose(stream);
  std::string result(text, size);
  std::free(text);
  return result;
}

}  // namespace deadheat::test
