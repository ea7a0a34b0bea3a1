#include "base/arena.h"

#include <sys/mman.h>

#include "base/fatal.h"

namespace deadheat {

Arena::~Arena() {
  static_assert(sizeof(Slab) == 16);
  for (Slab* slab = slabs_; slab != nullptr;) {
    Slab* next = slab->next;
    munmap(slab, slab->bytes);
    slab = next;
  }
}

void* Arena::allocate(size_t bytes) {
  const size_t c = size_class_of(bytes);
  const size_t rounded = bytes_of_class(c);
  in_use_ += rounded;
  if (in_use_ > peak_) peak_ = in_use_;
  if (FreeBlock* block = free_[c]; block != nullptr) {
    free_[c] = block->next;
    return block;
  }
  if (static_cast<size_t>(bump_end_ - bump_) >= rounded) {
    void* block = bump_;
    bump_ += rounded;
    return block;
  }
  return allocate_slow(rounded);
}

// A block too large for what is left of the slab: a quarter slab or more gets a mapping of its own, so that little
// of the current slab is ever thrown away.
void* Arena::allocate_slow(size_t bytes) {
  const size_t slab = slab_bytes();
  if (bytes >= slab / 4) return map_slab(bytes);
  bump_ = static_cast<char*>(map_slab(slab));
  bump_end_ = bump_ + slab;
  void* block = bump_;
  bump_ += bytes;
  return block;
}

void* Arena::map_slab(size_t bytes) {
  const bool is_large = bytes + 16 >= kHugePage;
  const size_t unit = is_large ? kHugePage : size_t{4096};
  const size_t wanted = (bytes + 16 + unit - 1) & ~(unit - 1);
  const size_t reserved = is_large ? wanted + kHugePage : wanted;  // room to align
  char* memory =
      static_cast<char*>(mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (memory == MAP_FAILED) fatal("out of memory: the system refused %zu bytes more for detector state", reserved);
  if (is_large) {
    char* aligned = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(memory) + unit - 1) & ~(unit - 1));
    if (aligned > memory) munmap(memory, static_cast<size_t>(aligned - memory));
    if (aligned + wanted < memory + reserved)
      munmap(aligned + wanted, static_cast<size_t>(memory + reserved - aligned - wanted));
    memory = aligned;
    madvise(memory, wanted, MADV_HUGEPAGE);
  }
  mapped_ += wanted;
  Slab* slab = reinterpret_cast<Slab*>(memory);
  slab->next = slabs_;
  slab->bytes = wanted;
  slabs_ = slab;
  return memory + 16;
}

void Arena::free(void* block, size_t bytes) {
  const size_t c = size_class_of(bytes);
  in_use_ -= bytes_of_class(c);
  FreeBlock* freed = static_cast<FreeBlock*>(block);
  freed->next = free_[c];
  free_[c] = freed;
}

}  // namespace deadheat
