// __tsan_atomicN_*: every atomic operation of an instrumented program.
//
// The model decides what is learned and published (atomic_model.h); here is the real operation, always done seq_cst:
// the weaker orders only permit less.
#include <cstdint>

#include "capture/atomic_model.h"

using namespace deadheat::live;

#define EXPORT extern "C" __attribute__((visibility("default")))
#define PC reinterpret_cast<uintptr_t>(__builtin_return_address(0))

namespace {

__extension__ using a128 = unsigned __int128;
using a8 = uint8_t;
using a16 = uint16_t;
using a32 = uint32_t;
using a64 = uint64_t;

// 16 bytes go through cmpxchg16b, inline: libatomic's functions are the program's.
template <class T>
T real_compare_exchange(volatile T* a, T expected, T desired) {
  return __sync_val_compare_and_swap(a, expected, desired);
}
template <class T>
T real_load(const volatile T* a) {
  if constexpr (sizeof(T) == 16)
    return real_compare_exchange(const_cast<volatile T*>(a), T{0}, T{0});
  else
    return __atomic_load_n(a, __ATOMIC_SEQ_CST);
}
// The new value is a function of the old one.
template <class T, class Change>
T real_change(volatile T* a, Change change) {
  T old = sizeof(T) == 16 ? *a : __atomic_load_n(a, __ATOMIC_RELAXED);
  for (;;) {
    const T seen = real_compare_exchange(a, old, static_cast<T>(change(old)));
    if (seen == old) return old;
    old = seen;
  }
}

template <class T>
T load_atomic(const volatile T* a, int written, uintptr_t pc) {
  Thread* t = modelled();
  if (t == nullptr) return real_load(a);
  T value{};
  if (load_without_lock(*t, a, sizeof(T), pc, [&] { value = real_load(a); })) return value;
  const Order order = order_of(written);
  model(*t, a, sizeof(T), order, order, pc, [&] {
    value = real_load(a);
    return Did::kLoad;
  });
  return value;
}

template <class T, class Change>
T change_atomic(volatile T* a, int written, uintptr_t pc, Did did, Change change) {
  Thread* t = modelled();
  if (t == nullptr) return real_change(a, change);
  T old{};
  const Order order = order_of(written);
  model(*t, a, sizeof(T), order, order, pc, [&] {
    old = real_change(a, change);
    return did;
  });
  return old;
}

// True if the exchange took place; `expected` becomes what was there.
template <class T>
bool exchange_if(volatile T* a, T& expected, T desired, int written, int written_failure, uintptr_t pc) {
  const T wanted = expected;
  Thread* t = modelled();
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

}  // namespace

#define ATOMIC_CHANGE(bits, name, expression)                                                    \
  EXPORT a##bits __tsan_atomic##bits##_fetch_##name(volatile a##bits* a, a##bits v, int order) { \
    return change_atomic(a, order, PC, Did::kExchange, [v](a##bits old) { return expression; }); \
  }
#define ATOMIC(bits)                                                                                              \
  EXPORT a##bits __tsan_atomic##bits##_load(const volatile a##bits* a, int order) {                               \
    return load_atomic(a, order, PC);                                                                             \
  }                                                                                                               \
  EXPORT void __tsan_atomic##bits##_store(volatile a##bits* a, a##bits v, int order) {                            \
    change_atomic(a, order, PC, Did::kStore, [v](a##bits) { return v; });                                         \
  }                                                                                                               \
  EXPORT a##bits __tsan_atomic##bits##_exchange(volatile a##bits* a, a##bits v, int order) {                      \
    return change_atomic(a, order, PC, Did::kExchange, [v](a##bits) { return v; });                               \
  }                                                                                                               \
  ATOMIC_CHANGE(bits, add, old + v)                                                                               \
  ATOMIC_CHANGE(bits, sub, old - v)                                                                               \
  ATOMIC_CHANGE(bits, and, old& v)                                                                                \
  ATOMIC_CHANGE(bits, or, old | v)                                                                                \
  ATOMIC_CHANGE(bits, xor, old ^ v)                                                                               \
  ATOMIC_CHANGE(bits, nand, ~(old & v))                                                                           \
  EXPORT int __tsan_atomic##bits##_compare_exchange_strong(volatile a##bits* a, a##bits* c, a##bits v, int order, \
                                                           int failure) {                                         \
    return exchange_if(a, *c, v, order, failure, PC);                                                             \
  }                                                                                                               \
  EXPORT int __tsan_atomic##bits##_compare_exchange_weak(volatile a##bits* a, a##bits* c, a##bits v, int order,   \
                                                         int failure) {                                           \
    return exchange_if(a, *c, v, order, failure, PC);                                                             \
  }                                                                                                               \
  EXPORT a##bits __tsan_atomic##bits##_compare_exchange_val(volatile a##bits* a, a##bits c, a##bits v, int order, \
                                                            int failure) {                                        \
    exchange_if(a, c, v, order, failure, PC);                                                                     \
    return c;                                                                                                     \
  }

ATOMIC(8)
ATOMIC(16)
ATOMIC(32)
ATOMIC(64)
ATOMIC(128)

EXPORT void __tsan_atomic_thread_fence(int order) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (Thread* t = modelled()) fence(*t, order_of(order));
}
// A signal fence orders nothing between threads.
EXPORT void __tsan_atomic_signal_fence(int) {}
