// libatomic's functions: what compilers call for atomic objects that are large, of unknown size or alignment, or
// (Clang) of 16 bytes.
//
// All of them are ours, so no program needs libatomic and all parts of one agree on the locks: objects of 1, 2, 4, 8 or
// 16 bytes that are aligned are changed by one instruction, all others under a lock chosen by address.
#include "capture/atomic_operations.h"

using namespace deadheat;
using namespace deadheat::live;

#define PC reinterpret_cast<uintptr_t>(__builtin_return_address(0))

// The compiler has opinions about functions of these names; ours have others, and get the names from the assembler.
#define ATOMIC(result, name, ...)                                                                                    \
  extern "C" __attribute__((visibility("default"))) result libatomic_##name(__VA_ARGS__) __asm__("__atomic_" #name); \
  extern "C" __attribute__((visibility("default"))) result libatomic_##name(__VA_ARGS__)

namespace {

void copy(void* to, const volatile void* from, size_t bytes) {
  __builtin_memcpy(to, const_cast<const void*>(from), bytes);
}
bool equal(const volatile void* a, const void* b, size_t bytes) {
  return __builtin_memcmp(const_cast<const void*>(a), b, bytes) == 0;
}

// Any size. `perform` does it, alone with the object, and says what it was.
template <class Perform>
void large(const volatile void* object, size_t bytes, AccessKind kind, int order, int failure, uintptr_t pc,
           Perform perform) {
  atomic_step({object, bytes, kind, order_of(order), order_of(failure), pc, AtomicSize::kLarge}, perform);
}

// Calls `on` with a value of the unsigned type of that size, if the object is one that an instruction can handle.
template <class On>
bool by_size(size_t bytes, const volatile void* object, On on) {
  if (bytes == 0 || (bytes & (bytes - 1)) != 0 || reinterpret_cast<uintptr_t>(object) % bytes != 0) return false;
  switch (bytes) {
    case 1:
      on(a8{});
      return true;
    case 2:
      on(a16{});
      return true;
    case 4:
      on(a32{});
      return true;
    case 8:
      on(a64{});
      return true;
    case 16:
      on(a128{});
      return true;
    default:
      return false;
  }
}

template <class T>
T value_at(const void* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof(T));
  return value;
}

}  // namespace

// ---- any size ----

ATOMIC(void, load, size_t bytes, const volatile void* object, void* to, int order) {
  const uintptr_t pc = PC;
  if (by_size(bytes, object, [&]<class T>(T) {
        const T value = load_atomic(static_cast<const volatile T*>(object), order, pc);
        __builtin_memcpy(to, &value, sizeof(T));
      }))
    return;
  large(object, bytes, AccessKind::kAtomicRead, order, order, pc, [&] {
    copy(to, object, bytes);
    return AtomicDid::kLoad;
  });
}
ATOMIC(void, store, size_t bytes, volatile void* object, const void* from, int order) {
  const uintptr_t pc = PC;
  if (by_size(bytes, object, [&]<class T>(T) {
        const T value = value_at<T>(from);
        store_atomic(static_cast<volatile T*>(object), value, order, pc);
      }))
    return;
  large(object, bytes, AccessKind::kAtomicWrite, order, order, pc, [&] {
    copy(const_cast<void*>(object), from, bytes);
    return AtomicDid::kStore;
  });
}
ATOMIC(void, exchange, size_t bytes, volatile void* object, const void* from, void* old, int order) {
  const uintptr_t pc = PC;
  if (by_size(bytes, object, [&]<class T>(T) {
        const T value = value_at<T>(from);
        const T before = change_atomic(static_cast<volatile T*>(object), order, pc, [value](T) { return value; });
        __builtin_memcpy(old, &before, sizeof(T));
      }))
    return;
  large(object, bytes, AccessKind::kAtomicWrite, order, order, pc, [&] {
    // `from` and `old` may be the same place.
    char* at = static_cast<char*>(const_cast<void*>(object));
    for (size_t i = 0; i < bytes; ++i) {
      const char before = at[i];
      at[i] = static_cast<const char*>(from)[i];
      static_cast<char*>(old)[i] = before;
    }
    return AtomicDid::kExchange;
  });
}
ATOMIC(bool, compare_exchange, size_t bytes, volatile void* object, void* expected, const void* desired, int order,
       int failure) {
  const uintptr_t pc = PC;
  bool exchanged = false;
  if (by_size(bytes, object, [&]<class T>(T) {
        T wanted = value_at<T>(expected);
        exchanged = exchange_if(static_cast<volatile T*>(object), wanted, value_at<T>(desired), order, failure, pc);
        if (!exchanged) __builtin_memcpy(expected, &wanted, sizeof(T));
      }))
    return exchanged;
  large(object, bytes, AccessKind::kAtomicWrite, order, failure, pc, [&] {
    exchanged = equal(object, expected, bytes);
    if (exchanged)
      copy(const_cast<void*>(object), desired, bytes);
    else
      copy(expected, object, bytes);
    return exchanged ? AtomicDid::kExchange : AtomicDid::kLoad;
  });
  return exchanged;
}
ATOMIC(bool, is_lock_free, size_t bytes, const volatile void* object) {
  return by_size(bytes, object, [](auto) {});
}

// ---- one size each ----

#define CHANGE(n, bits, name, expression)                                              \
  ATOMIC(a##bits, fetch_##name##_##n, volatile a##bits* a, a##bits v, int order) {     \
    const auto change = [v](a##bits old) { return static_cast<a##bits>(expression); }; \
    return change_atomic(a, order, PC, change);                                        \
  }                                                                                    \
  ATOMIC(a##bits, name##_fetch_##n, volatile a##bits* a, a##bits v, int order) {       \
    const auto change = [v](a##bits old) { return static_cast<a##bits>(expression); }; \
    return change(change_atomic(a, order, PC, change));                                \
  }
#define SIZE(n, bits)                                                                                    \
  ATOMIC(a##bits, load_##n, const volatile a##bits* a, int order) { return load_atomic(a, order, PC); }  \
  ATOMIC(void, store_##n, volatile a##bits* a, a##bits v, int order) { store_atomic(a, v, order, PC); }  \
  ATOMIC(a##bits, exchange_##n, volatile a##bits* a, a##bits v, int order) {                             \
    return change_atomic(a, order, PC, [v](a##bits) { return v; });                                      \
  }                                                                                                      \
  ATOMIC(bool, compare_exchange_##n, volatile a##bits* a, a##bits* expected, a##bits desired, int order, \
         int failure) {                                                                                  \
    return exchange_if(a, *expected, desired, order, failure, PC);                                       \
  }                                                                                                      \
  ATOMIC(bool, test_and_set_##n, volatile a##bits* a, int order) {                                       \
    return change_atomic(a, order, PC, [](a##bits) { return a##bits{1}; }) != 0;                         \
  }                                                                                                      \
  CHANGE(n, bits, add, old + v)                                                                          \
  CHANGE(n, bits, sub, old - v)                                                                          \
  CHANGE(n, bits, and, old& v)                                                                           \
  CHANGE(n, bits, or, old | v)                                                                           \
  CHANGE(n, bits, xor, old ^ v)                                                                          \
  CHANGE(n, bits, nand, ~(old & v))

SIZE(1, 8)
SIZE(2, 16)
SIZE(4, 32)
SIZE(8, 64)
SIZE(16, 128)

// ---- <stdatomic.h>'s own, for calls through a pointer ----

#define FLAG(result, name, ...)                                                                          \
  extern "C" __attribute__((visibility("default"))) result stdatomic_##name(__VA_ARGS__) __asm__(#name); \
  extern "C" __attribute__((visibility("default"))) result stdatomic_##name(__VA_ARGS__)

FLAG(void, atomic_thread_fence, int order) { fence(order); }
FLAG(void, atomic_signal_fence, int) {}
FLAG(bool, atomic_flag_test_and_set_explicit, volatile a8* a, int order) {
  return change_atomic(a, order, PC, [](a8) { return a8{1}; }) != 0;
}
FLAG(bool, atomic_flag_test_and_set, volatile a8* a) {
  return change_atomic(a, __ATOMIC_SEQ_CST, PC, [](a8) { return a8{1}; }) != 0;
}
FLAG(void, atomic_flag_clear_explicit, volatile a8* a, int order) { store_atomic(a, a8{0}, order, PC); }
FLAG(void, atomic_flag_clear, volatile a8* a) { store_atomic(a, a8{0}, __ATOMIC_SEQ_CST, PC); }
