#include "live/ground/heap.h"

#include "base/size_classes.h"
#include "live/ground/message.h"
#include "live/ground/spin_lock.h"

namespace deadheat::live {
namespace {

struct FreeBlock {
  FreeBlock* next;
};

constexpr size_t kSlabBytes = size_t{256} << 10;

constinit SpinLock heap_lock(Lock::kHeap);
FreeBlock* free_blocks[kSizeClasses];
char* bump;
char* bump_end;
size_t mapped_bytes;

char* map_slab(size_t bytes) {
  bytes = (bytes + 4095) & ~size_t{4095};
  void* slab = sys::map(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
  if (slab == nullptr) die("out of memory: the system refused %zu bytes for the state of threads and locks", bytes);
  mapped_bytes += bytes;
  return static_cast<char*>(slab);
}

}  // namespace

void* heap_allocate(size_t bytes) {
  const size_t c = size_class_of(bytes);
  const size_t rounded = bytes_of_class(c);
  SpinGuard guard(heap_lock);
  if (FreeBlock* block = free_blocks[c]; block != nullptr) {
    free_blocks[c] = block->next;
    return block;
  }
  if (static_cast<size_t>(bump_end - bump) < rounded) {
    if (rounded >= kSlabBytes / 4) return map_slab(rounded);
    bump = map_slab(kSlabBytes);
    bump_end = bump + kSlabBytes;
  }
  void* block = bump;
  bump += rounded;
  return block;
}

void heap_free(void* block, size_t bytes) {
  SpinGuard guard(heap_lock);
  FreeBlock* freed = static_cast<FreeBlock*>(block);
  const size_t c = size_class_of(bytes);
  freed->next = free_blocks[c];
  free_blocks[c] = freed;
}

size_t heap_bytes_mapped() { return mapped_bytes; }

DEADHEAT_TAKEN_AT_FORK(kHeap, heap_lock)

}  // namespace deadheat::live
