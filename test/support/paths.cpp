#include "support/paths.h"

namespace deadheat::test {

std::string programs_folder() { return DEADHEAT_BIN_DIR; }
std::string source_folder() { return DEADHEAT_SOURCE_DIR; }

}  // namespace deadheat::test
