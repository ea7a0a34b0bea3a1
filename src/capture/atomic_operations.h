// The real atomic operations together with what they mean: shared by the compilers' entry points and libatomic's.
//
// The real operation is always done seq_cst: the weaker orders only permit less.
#pragma once

#include <cstdint>

#include "capture/atomic_model.h"

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
inline T load_atomic(const volatile T* a, int written, uintptr_t pc) {
  Thread* t = modelled(a, sizeof(T), AccessKind::kAtomicRead, pc);
  if (t == nullptr) return real_load(a);
  T value{};
  if (load_again(*t, a, sizeof(T), [&] { value = real_load(a); })) return value;
  if (load_without_lock(*t, a, sizeof(T), pc, [&] { value = real_load(a); })) return value;
  const MemoryOrder order = order_of(written);
  model(*t, a, sizeof(T), order, order, pc, [&] {
    value = real_load(a);
    return Did::kLoad;
  });
  return value;
}

template <class T>
inline void real_store(volatile T* a, T value) {
  if constexpr (sizeof(T) == 16)
    real_change(a, [value](T) { return value; });
  else
    __atomic_store_n(a, value, __ATOMIC_SEQ_CST);
}
template <class T>
inline void store_atomic(volatile T* a, T value, int written, uintptr_t pc) {
  Thread* t = modelled(a, sizeof(T), AccessKind::kAtomicWrite, pc);
  if (t == nullptr) return real_store(a, value);
  const MemoryOrder order = order_of(written);
  model(*t, a, sizeof(T), order, order, pc, [&] {
    real_store(a, value);
    return Did::kStore;
  });
}

template <class T, class Change>
inline T change_atomic(volatile T* a, int written, uintptr_t pc, Change change) {
  Thread* t = modelled(a, sizeof(T), AccessKind::kAtomicWrite, pc);
  if (t == nullptr) return real_change(a, change);
  T old{};
  const MemoryOrder order = order_of(written);
  model(*t, a, sizeof(T), order, order, pc, [&] {
    old = real_change(a, change);
    return Did::kExchange;
  });
  return old;
}

// True if the exchange took place; `expected` becomes what was there.
template <class T>
inline bool exchange_if(volatile T* a, T& expected, T desired, int written, int written_failure, uintptr_t pc) {
  const T wanted = expected;
  Thread* t = modelled(a, sizeof(T), AccessKind::kAtomicWrite, pc);
  if (t == nullptr) {
    expected = real_compare_exchange(a, wanted, desired);
  } else {
    model(*t, a, sizeof(T), order_of(written), order_of(written_failure), pc, [&] {
      expected = real_compare_exchange(a, wanted, desired);
      return expected == wanted ? Did::kExchange : Did::kLoad;
    });
  }
  return expected == wanted;
}

}  // namespace deadheat::live
