// Memory for states: everything a detector, filter or shadow allocates comes from an arena.
//
// An arena hands out blocks by size class and takes them back onto a free list of that class. It counts what is in use,
// so the memory of a detector is measured and not guessed. It takes pages from the operating system, never from the
// heap of the watched program. Not thread safe: one arena has one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "base/size_classes.h"

namespace deadheat {

class Arena {
 public:
  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Memory of at least `bytes`, aligned to 16, contents undefined. Stops the program when the system has no more.
  void* allocate(size_t bytes);
  // Gives back what `allocate(bytes)` returned; `bytes` must be the same number.
  void free(void* block, size_t bytes);

  template <class T, class... Args>
  T* make(Args&&... args) {
    return new (allocate(sizeof(T))) T(std::forward<Args>(args)...);
  }
  template <class T>
  void destroy(T* object) {
    object->~T();
    free(object, sizeof(T));
  }

  size_t bytes_in_use() const { return in_use_; }
  size_t peak_bytes() const { return peak_; }

 private:
  static constexpr size_t kSlabBytes = size_t{1} << 20;
  // An arena that has grown large takes slabs that the system can back with huge pages: a detector touches its states
  // in the order of the program's accesses, and with small pages most of the time would go into page table walks.
  static constexpr size_t kHugePage = size_t{2} << 20;
  static constexpr size_t kLargeSlabBytes = 4 * kHugePage - 16;
  static constexpr size_t kLargeArena = size_t{4} << 20;

  struct FreeBlock {
    FreeBlock* next;
  };
  struct Slab {
    Slab* next;
    size_t bytes;
  };

  void* allocate_slow(size_t bytes);
  size_t slab_bytes() const { return mapped_ < kLargeArena ? kSlabBytes : kLargeSlabBytes; }
  void* map_slab(size_t bytes);

  FreeBlock* free_[kSizeClasses] = {};
  char* bump_ = nullptr;
  char* bump_end_ = nullptr;
  Slab* slabs_ = nullptr;
  size_t mapped_ = 0;
  size_t in_use_ = 0;
  size_t peak_ = 0;
};

// A growing array in an arena, for states that are trivially copyable. It has an owner that knows the arena, so it
// does not carry a pointer to it: 16 bytes when empty.
template <class T>
class ArenaVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  ArenaVector() = default;

  uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }

  void push_back(Arena& arena, const T& value) { insert(arena, size_, value); }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }

  void insert(Arena& arena, uint32_t at, const T& value) {
    const T copy = value;
    if (size_ == capacity_) reserve(arena, capacity_ == 0 ? 2 : capacity_ * 2);
    for (uint32_t i = size_; i > at; --i) data_[i] = data_[i - 1];
    data_[at] = copy;
    ++size_;
  }
  void erase(uint32_t at) {
    for (uint32_t i = at + 1; i < size_; ++i) data_[i - 1] = data_[i];
    --size_;
  }
  // New elements are value-initialised.
  void resize(Arena& arena, uint32_t size) {
    if (size > capacity_) reserve(arena, size > 2 * capacity_ ? size : 2 * capacity_);
    for (uint32_t i = size_; i < size; ++i) data_[i] = T{};
    size_ = size;
  }
  void reserve(Arena& arena, uint32_t capacity) {
    if (capacity <= capacity_) return;
    T* grown = static_cast<T*>(arena.allocate(capacity * sizeof(T)));
    for (uint32_t i = 0; i < size_; ++i) grown[i] = data_[i];
    if (data_ != nullptr) arena.free(data_, capacity_ * sizeof(T));
    data_ = grown;
    capacity_ = capacity;
  }
  void assign(Arena& arena, const ArenaVector& other) {
    reserve(arena, other.size_);
    for (uint32_t i = 0; i < other.size_; ++i) data_[i] = other.data_[i];
    size_ = other.size_;
  }
  // Gives the memory back; the vector is empty afterwards.
  void release(Arena& arena) {
    if (data_ != nullptr) arena.free(data_, capacity_ * sizeof(T));
    data_ = nullptr;
    size_ = capacity_ = 0;
  }

 private:
  T* data_ = nullptr;
  uint32_t size_ = 0;
  uint32_t capacity_ = 0;
};

}  // namespace deadheat
