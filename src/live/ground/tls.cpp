#include "live/ground/tls.h"

namespace deadheat::live {

// A mark with an id that no epoch has.
const uint64_t no_cells[2] = {0xfffffffefffffffe, 0xfffffffefffffffe};

__thread Tls tls;
// The name by which compiled code knows it.
extern "C" __thread Tls __deadheat_thread
    __attribute__((alias("_ZN8deadheat4live3tlsE"), tls_model("initial-exec"), visibility("default")));
__thread Postponed postponed;

}  // namespace deadheat::live
