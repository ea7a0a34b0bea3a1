// The real atomic operations together with what they mean: shared by the compilers' entry points and libatomic's.
//
// The real operation is always seq_cst, which every program that asks for a weaker order accepts.
#pragma once

#include <cstdint>

#include "live/hits.h"

namespace deadheat::live {

__extension__ using a128 = unsigned __int128;
using a8 = uint8_t;
using a16 = uint16_t;
using a32 = uint32_t;
using a64 = uint64_t;

// 16 bytes go through cmpxchg16b, inline: libatomic's functions are the program's.
template <class T>
inline T real_compare_exchange(volatile T* a, T expected, T desired) {
  return __sync_val_compare_and_swap(a, expected, desired);
}
template <class T>
inline T real_load(const volatile T* a) {
  if constexpr (sizeof(T) == 16)
    return real_compare_exchange(const_cast<volatile T*>(a), T{0}, T{0});
  else
    return __atomic_load_n(a, __ATOMIC_SEQ_CST);
}
// The new value is a function of the old one.
template <class T, class Change>
inline T real_change(volatile T* a, Change change) {
  T old = sizeof(T) == 16 ? *a : __atomic_load_n(a, __ATOMIC_RELAXED);
  for (;;) {
    const T seen = real_compare_exchange(a, old, static_cast<T>(change(old)));
    if (seen == old) return old;
    old = seen;
  }
}

template <class T>
inline void real_store(volatile T* a, T value) {
  if constexpr (sizeof(T) == 16)
    real_change(a, [value](T) { return value; });
  else
    __atomic_store_n(a, value, __ATOMIC_SEQ_CST);
}

// GCC sets hint bits (lock elision) above the order.
inline MemoryOrder order_of(int written) {
  const int order = written & 0x7fff;
  return order >= 0 && order <= 5 ? static_cast<MemoryOrder>(order) : MemoryOrder::kSeqCst;
}

// What an operation that the compiler wrote with this order does to `a`.
template <class T>
inline AtomicOperation operation(const volatile T* a, AccessKind kind, int written, int failure, uintptr_t pc) {
  return {a, sizeof(T), kind, order_of(written), order_of(failure), pc};
}

template <class T>
inline T load_atomic(const volatile T* a, int written, uintptr_t pc) {
  T value{};
  atomic_load(operation(a, AccessKind::kAtomicRead, written, written, pc), [&] { value = real_load(a); });
  return value;
}

template <class T>
inline void store_atomic(volatile T* a, T value, int written, uintptr_t pc) {
  atomic_step(operation(a, AccessKind::kAtomicWrite, written, written, pc), [&] {
    real_store(a, value);
    return AtomicDid::kStore;
  });
}

template <class T, class Change>
inline T change_atomic(volatile T* a, int written, uintptr_t pc, Change change) {
  T old{};
  atomic_step(operation(a, AccessKind::kAtomicWrite, written, written, pc), [&] {
    old = real_change(a, change);
    return AtomicDid::kExchange;
  });
  return old;
}

// True if the exchange took place; `expected` becomes what was there.
template <class T>
inline bool exchange_if(volatile T* a, T& expected, T desired, int written, int written_failure, uintptr_t pc) {
  const T wanted = expected;
  atomic_step(operation(a, AccessKind::kAtomicWrite, written, written_failure, pc), [&] {
    expected = real_compare_exchange(a, wanted, desired);
    return expected == wanted ? AtomicDid::kExchange : AtomicDid::kLoad;
  });
  return expected == wanted;
}

inline void fence(int written) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  atomic_fence(order_of(written));
}

}  // namespace deadheat::live
