// Where libdeadheat.so and its company are: found from the place of the running program, as built or as installed.
#pragma once

#include <optional>
#include <string>

#include "wrapper/wrapper.h"

namespace deadheat::wrapper {

// The folder of the program that is running; empty if the system does not tell.
std::string own_folder();

// Looks in ../lib, in the system's folder for libraries beside it, and in ../lib64; none if it is in none of them.
std::optional<RunTime> find_run_time(const std::string& program_folder);

}  // namespace deadheat::wrapper
