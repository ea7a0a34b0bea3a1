// The instrumented half of the player: everything that the compiler must tell the run time about.
#include "player.h"

// Packed, so that the compiler does not promise an alignment that is not there.
struct __attribute__((packed)) two {
  volatile uint16_t bytes;
};
struct __attribute__((packed)) four {
  volatile uint32_t bytes;
};
struct __attribute__((packed)) eight {
  volatile uint64_t bytes;
};

void read_bytes(void* p, int size) {
  switch (size) {
    case 1:
      (void)*(volatile uint8_t*)p;
      break;
    case 2:
      (void)((struct two*)p)->bytes;
      break;
    case 4:
      (void)((struct four*)p)->bytes;
      break;
    default:
      (void)((struct eight*)p)->bytes;
      break;
  }
}

void write_bytes(void* p, int size) {
  switch (size) {
    case 1:
      *(volatile uint8_t*)p = 1;
      break;
    case 2:
      ((struct two*)p)->bytes = 1;
      break;
    case 4:
      ((struct four*)p)->bytes = 1;
      break;
    default:
      ((struct eight*)p)->bytes = 1;
      break;
  }
}

// Order and size must be constants for the compiler to pass them on.
#define FOR_EACH_ORDER(DO)  \
  switch (order) {          \
    case RELAXED:           \
      DO(__ATOMIC_RELAXED); \
      break;                \
    case ACQUIRE:           \
      DO(__ATOMIC_ACQUIRE); \
      break;                \
    case RELEASE:           \
      DO(__ATOMIC_RELEASE); \
      break;                \
    case ACQ_REL:           \
      DO(__ATOMIC_ACQ_REL); \
      break;                \
    default:                \
      DO(__ATOMIC_SEQ_CST); \
      break;                \
  }
#define FOR_EACH_SIZE(NAME)                        \
  void NAME(void* p, int size, enum order order) { \
    switch (size) {                                \
      case 1:                                      \
        return NAME##_8(p, order);                 \
      case 2:                                      \
        return NAME##_16(p, order);                \
      case 4:                                      \
        return NAME##_32(p, order);                \
      default:                                     \
        return NAME##_64(p, order);                \
    }                                              \
  }
#define LOAD(o) (void)__atomic_load_n(p, o)
#define STORE(o) __atomic_store_n(p, 7, o)
#define MODIFY(o) (void)__atomic_fetch_add(p, 1, o)
#define ATOMICS(bits)                                             \
  static void load_##bits(uint##bits##_t* p, enum order order) {  \
    switch (order) {                                              \
      case RELAXED:                                               \
        LOAD(__ATOMIC_RELAXED);                                   \
        break;                                                    \
      case ACQUIRE:                                               \
        LOAD(__ATOMIC_ACQUIRE);                                   \
        break;                                                    \
      default:                                                    \
        LOAD(__ATOMIC_SEQ_CST);                                   \
        break;                                                    \
    }                                                             \
  }                                                               \
  static void store_##bits(uint##bits##_t* p, enum order order) { \
    switch (order) {                                              \
      case RELAXED:                                               \
        STORE(__ATOMIC_RELAXED);                                  \
        break;                                                    \
      case RELEASE:                                               \
        STORE(__ATOMIC_RELEASE);                                  \
        break;                                                    \
      default:                                                    \
        STORE(__ATOMIC_SEQ_CST);                                  \
        break;                                                    \
    }                                                             \
  }                                                               \
  static void modify_##bits(uint##bits##_t* p, enum order order) { FOR_EACH_ORDER(MODIFY) }

ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)
FOR_EACH_SIZE(load)
FOR_EACH_SIZE(store)
FOR_EACH_SIZE(modify)

void fence(enum order order) {
#define FENCE(o) __atomic_thread_fence(o)
  FOR_EACH_ORDER(FENCE)
}
