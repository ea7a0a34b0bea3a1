// The version of Deadheat, as CMakeLists.txt states it.
#pragma once

namespace deadheat {

extern const char* const kVersion;

}  // namespace deadheat
