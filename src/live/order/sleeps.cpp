#include "live/order/sleeps.h"

#include "live/ground/heap.h"
#include "live/ground/inside.h"

namespace deadheat::live {

struct Slept {
  static constexpr size_t kMost = 64;  // threads looked at
  NodeId where{};
  size_t count = 0;
  Epoch come[kMost];
};

void note_slept(Thread& t, uintptr_t pc) {
  const Inside inside;
  if (t.slept == nullptr) t.slept = static_cast<Slept*>(heap_allocate(sizeof(Slept)));
  t.slept->where = t.stack_cache.child(context_node(t), frame_key(pc));
  t.slept->count = live_epochs(t.slept->come, Slept::kMost);
}

NodeId slept_after(const Thread& t, Epoch access) {
  if (t.slept == nullptr) return kNoNode;
  for (size_t i = 0; i < t.slept->count; ++i)
    if (t.slept->come[i].slot() == access.slot() && access.clock() <= t.slept->come[i].clock()) return t.slept->where;
  return kNoNode;
}

void forget_sleeps(Thread& t) {
  if (t.slept != nullptr) heap_free(t.slept, sizeof(Slept));
  t.slept = nullptr;
}

}  // namespace deadheat::live
