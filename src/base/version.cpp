#include "base/version.h"

namespace deadheat {

const char* const kVersion = DEADHEAT_VERSION;

}  // namespace deadheat
