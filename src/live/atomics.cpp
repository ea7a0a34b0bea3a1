// Atomic operations by the rules of the C++20 memory model (detect/order_rules.h): what is not in line (hits.h).
// Tested by test/programs/atomic_*.c, test/live_oracle
#include "live/ground/hash.h"
#include "live/hits.h"

namespace deadheat::live {
namespace {

struct alignas(64) ObjectLock {
  SpinLock lock{Lock::kLargeAtomics};
};
constinit ObjectLock object_locks[64];  // by address

}  // namespace

DEADHEAT_ARRAY_TAKEN_AT_FORK(kLargeAtomics, object_locks)

SpinLock& large_atomic_lock(const volatile void* object) {
  return object_locks[spread<6>(reinterpret_cast<uintptr_t>(object) >> 4)].lock;
}

void note_atomic_slow(Thread& t, AccessKind kind, const AtomicOperation& of) {
  if (in_force(of.order) == MemoryOrder::kRelaxed) return;
  note_step_at_slow(t, is_write(kind) ? StepKind::kStore : StepKind::kLoad, reinterpret_cast<uintptr_t>(of.object),
                    of.pc);
}

void atomic_fence(MemoryOrder written) {
  Thread* const t = modelled();
  if (t == nullptr) return;
  const MemoryOrder order = in_force(written);
  const Inside inside;
  {
    Party party(*t);
    order::fence(party, order);
    if constexpr (record::kOn) record::fence(*t, order);
    if (acquires(order)) t->seen_relaxed.clear();  // C knows it all
  }
  note_step_at(*t, StepKind::kFence, 0, reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
}

}  // namespace deadheat::live
