// The library that features load; each side has a copy of its own. Its constructor and destructor race the first time.
#include <atomic>

extern int construction_raced[2], destruction_raced[2];
extern std::atomic<int> plugin_races[2];

namespace {

__thread int calls;  // a block that the loader makes for each thread

#if PLUGIN_SIDE < 2
__attribute__((constructor)) void construct() {
  if (plugin_races[PLUGIN_SIDE].load(std::memory_order_relaxed) == 1) {
    construction_raced[PLUGIN_SIDE] = 2;  // race constructor
  }
}
__attribute__((destructor)) void destruct() {
  if (plugin_races[PLUGIN_SIDE].load(std::memory_order_relaxed) == 1) {
    destruction_raced[PLUGIN_SIDE] = 2;  // race destructor
  }
}
#endif

}  // namespace

extern "C" int plugin_call(int by) {
  calls += by;
  return calls;
}
