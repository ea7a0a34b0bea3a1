#include "live/ground/tls.h"

namespace deadheat::live {

__thread Tls tls;
__thread Postponed postponed;

}  // namespace deadheat::live
