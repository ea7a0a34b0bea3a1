#include "live/ground/options.h"

namespace deadheat::live {

constinit RuntimeOptions options;

}  // namespace deadheat::live
