// Where things are, for tests that start programs or read files of the repository; without a slash at the end.
#pragma once

#include <string>

namespace deadheat::test {

std::string programs_folder();  // DEADHEAT_BIN of the environment, if it is set
std::string source_folder();

}  // namespace deadheat::test
