#include "live/report/objects.h"

#include "live/ground/spin_lock.h"
#include "live/ground/tables.h"
#include "live/modules/symbols.h"
#include "live/order/descriptors.h"
#include "live/order/thread.h"
#include "live/report/source_lines.h"
#include "live/shadow/blocks.h"

namespace deadheat::live {
namespace {

enum Kind : uint64_t { kUnknown, kStack, kThreadLocal, kDescriptor, kBlock, kGlobal, kUnnamed };

struct Known {
  uintptr_t begin, end;
  uint64_t key;
  NodeId allocated_at;  // of a block
};
constexpr unsigned kMost = 64;
constexpr uint32_t kMostWords = 1u << 16;
// Guarded by the lock.
constinit SpinLock known_lock(Lock::kObjects);
Known known[kMost];
unsigned next;                   // to be replaced
KeyMap known_words(kMostWords);  // of globals, by address; emptied when full
uint32_t known_generation;       // of the modules

Object remember(const Known& k) {
  const SpinGuard held(known_lock);
  known[next] = k;
  next = (next + 1) % kMost;
  return {k.key, number_of(k.allocated_at)};
}

// A block may have been freed, and another be there.
bool holds_still(const Known& k) {
  Block block;
  return k.allocated_at == kNoNode ||
         (block_of(k.begin, block) && block.begin == k.begin && block.allocated_at == k.allocated_at);
}

// What is known of the data of modules holds until one is unloaded. The lock is held.
void forget_if_unloaded(uint32_t generation) {
  if (generation == known_generation) return;
  known_generation = generation;
  known_words.clear();
  for (Known& k : known)
    if (k.allocated_at == kNoNode) k = {};
}

bool recall(uintptr_t address, Object& object) {
  uint32_t generation = 0;
  modules_stable(generation);
  const SpinGuard held(known_lock);
  forget_if_unloaded(generation);
  for (const Known& k : known) {
    if (address < k.begin || address >= k.end || !holds_still(k)) continue;
    object = {k.key, number_of(k.allocated_at)};
    return true;
  }
  const uint64_t* const found = known_words.find(address);
  if (found != nullptr) object = {*found, 0};
  return found != nullptr;
}

Object global_at(const Module& module, uintptr_t address) {
  const char* name = nullptr;
  uintptr_t begin = 0;
  size_t bytes = 0;
  const uint64_t path = text_key(module.path);
  if (!symbolize_data(module, address - module.bias, name, begin, bytes) || bytes == 0) {
    constexpr uintptr_t kPage = 4096;
    const uintptr_t page = address & ~(kPage - 1);
    return remember({page, page + kPage, mix(kUnnamed, path), kNoNode});
  }
  const uint64_t key = mix(kGlobal, mix(path, begin));
  {
    const SpinGuard held(known_lock);
    if (known_words.is_full()) known_words.clear();
    known_words.put(address, key);
  }
  return remember({module.bias + begin, module.bias + begin + bytes, key, kNoNode});
}

// Variables of functions that were called at the same line; those of a thread's first function by the place where the
// thread was created.
Object stack_at(uintptr_t address, ThreadUid thread) {
  EnteredFunction functions[2];
  const uintptr_t caller = functions_around(address, functions) != 0 ? functions[0].return_address : 0;
  if (const uint64_t call = caller == 0 ? 0 : call_key(caller); call != 0) return {mix(kStack, call), caller};
  const NodeId created_at = info_of(thread).created_at;
  return {mix(kStack, ~path_key(created_at)), number_of(created_at)};
}

}  // namespace

Object object_at(uintptr_t address) {
  Object object = {kUnknown, 0};
  if (recall(address, object)) return object;
  DescriptorInfo descriptor;
  if (descriptor_of(address, descriptor))
    return {mix(kDescriptor, path_key(descriptor.opened_at)), number_of(descriptor.opened_at)};
  Module module;
  if (module_of(address, module)) return global_at(module, address);
  ThreadUid thread;
  bool thread_local_data = false;
  if (thread_of_memory(address, thread, thread_local_data))
    return thread_local_data ? Object{kThreadLocal, 0} : stack_at(address, thread);
  Block block;
  if (block_of(address, block))
    return remember(
        {block.begin, block.begin + block.bytes, mix(kBlock, path_key(block.allocated_at)), block.allocated_at});
  return object;
}

DEADHEAT_TAKEN_AT_FORK(kObjects, known_lock)

}  // namespace deadheat::live
