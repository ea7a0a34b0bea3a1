#include "support/paths.h"

#include <cstdlib>

namespace deadheat::test {

std::string programs_folder() {
  const char* const other = std::getenv("DEADHEAT_BIN");
  return other != nullptr ? other : DEADHEAT_BIN_DIR;
}
std::string source_folder() { return DEADHEAT_SOURCE_DIR; }

}  // namespace deadheat::test
