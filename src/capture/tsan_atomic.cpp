// __tsan_atomicN_*: every atomic operation of an instrumented program.
//
// live/hits.h decides what is learned and published.
#include "capture/atomic_operations.h"

using namespace deadheat::live;

#define EXPORT extern "C" __attribute__((visibility("default")))
#define PC reinterpret_cast<uintptr_t>(__builtin_return_address(0))

#define ATOMIC_CHANGE(bits, name, expression)                                                    \
  EXPORT a##bits __tsan_atomic##bits##_fetch_##name(volatile a##bits* a, a##bits v, int order) { \
    return change_atomic(a, order, PC, [v](a##bits old) { return expression; });                 \
  }
#define ATOMIC(bits)                                                                                              \
  EXPORT a##bits __tsan_atomic##bits##_load(const volatile a##bits* a, int order) {                               \
    return load_atomic(a, order, PC);                                                                             \
  }                                                                                                               \
  EXPORT void __tsan_atomic##bits##_store(volatile a##bits* a, a##bits v, int order) {                            \
    store_atomic(a, v, order, PC);                                                                                \
  }                                                                                                               \
  EXPORT a##bits __tsan_atomic##bits##_exchange(volatile a##bits* a, a##bits v, int order) {                      \
    return change_atomic(a, order, PC, [v](a##bits) { return v; });                                               \
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

EXPORT void __tsan_atomic_thread_fence(int order) { fence(order); }
// A signal fence orders nothing between threads.
EXPORT void __tsan_atomic_signal_fence(int) {}
