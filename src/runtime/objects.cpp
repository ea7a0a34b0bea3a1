#include "runtime/objects.h"

#include "runtime/blocks.h"
#include "runtime/modules.h"
#include "runtime/spin_lock.h"
#include "runtime/thread.h"

namespace deadheat::live {
namespace {

enum : uint64_t { kUnknown, kStack, kThreadLocal, kFirstPlace };

struct Known {
  uintptr_t begin, end;
  uint64_t key;
  bool on_heap;
};
constexpr unsigned kMost = 64;
// Guarded by the lock.
constinit SpinLock known_lock(Lock::kObjects);
Known known[kMost];
unsigned next;  // to be replaced

uint64_t remember(uintptr_t begin, uintptr_t end, uint64_t key, bool on_heap) {
  const SpinGuard held(known_lock);
  known[next] = {begin, end, key, on_heap};
  next = (next + 1) % kMost;
  return key;
}

uint64_t key_of(const Block& block) { return kFirstPlace + (uint64_t{1} << 63 | block.allocated_at); }

// A block may have been freed, and another be there.
bool holds_still(const Known& k) {
  Block block;
  return !k.on_heap || (block_of(k.begin, block) && block.begin == k.begin && key_of(block) == k.key);
}

uint64_t key_of_global(const Module& module, uintptr_t address) {
  const char* name = nullptr;
  uintptr_t begin = 0;
  size_t bytes = 0;
  if (symbolize_data(module, address - module.bias, name, begin, bytes) && bytes != 0)
    return remember(module.bias + begin, module.bias + begin + bytes, kFirstPlace + module.bias + begin, false);
  constexpr uintptr_t kPage = 4096;
  const uintptr_t page = address & ~(kPage - 1);
  return remember(page, page + kPage, kUnknown, false);
}

bool recall(uintptr_t address, uint64_t& key) {
  const SpinGuard held(known_lock);
  for (const Known& k : known) {
    if (address < k.begin || address >= k.end || !holds_still(k)) continue;
    key = k.key;
    return true;
  }
  return false;
}

}  // namespace

uint64_t object_key(uintptr_t address) {
  uint64_t key = kUnknown;
  if (recall(address, key)) return key;
  Module module;
  if (module_of(address, module)) return key_of_global(module, address);
  ThreadUid thread = 0;
  bool thread_local_data = false;
  if (thread_of_memory(address, thread, thread_local_data)) return thread_local_data ? kThreadLocal : kStack;
  Block block;
  if (block_of(address, block)) return remember(block.begin, block.begin + block.bytes, key_of(block), true);
  return kUnknown;
}

DEADHEAT_TAKEN_AT_FORK(kObjects, known_lock)

}  // namespace deadheat::live
