// __tsan_init: every instrumented module calls it from a constructor before its own code runs.
#include "live/api.h"

extern "C" __attribute__((visibility("default"))) void __tsan_init() { deadheat::live::watch_this_thread(); }
