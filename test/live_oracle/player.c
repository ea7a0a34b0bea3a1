// Performs the steps of a program (program.h) in their order, each by the thread and from the place in the code that
// the step names.
//
//   player STEPS ANSWER      the steps, one a line; what the test must know of this run: where places and blocks are
//
// Nothing in here is instrumented: the turns that force the order order nothing for the detector. Whatever the detector
// is meant to see (the compilers' entry points, functions of the C library) is called from a site: a few
// instructions whose return address has a line of its own (sites.c, written by the test).
#define _GNU_SOURCE
#include <linux/futex.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

// Calls the function with up to six arguments.
typedef uintptr_t Site(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, void* function);
extern Site* const sites[];
extern const int site_count;

enum { kSteps = 8192, kThreads = 256, kLocks = 8, kBlocks = 2048, kGlobals = 4 };

// Objects of their own for the question what a byte belongs to.
_Alignas(1024) unsigned char global_0[4096];
_Alignas(64) unsigned char global_1[256];
_Alignas(64) unsigned char global_2[64];
_Alignas(16) unsigned char global_3[64];

// clang-format off
#define OPERATIONS(X) \
  X(read) X(write) X(read_range) X(write_range) X(sweep_read) X(sweep_write) X(memset) X(memcpy) X(memmove) \
  X(load) X(store) X(exchange) X(cas) X(cas_failed) X(fence) X(malloc) X(calloc) X(free) X(realloc) X(mmap) \
  X(mmap_over) X(munmap) X(mremap) X(mremap_moved) X(create) X(join) X(detach) X(end) X(lock) X(unlock) \
  X(trylock_failed) X(write_lock) X(read_lock) X(rw_unlock) X(post) X(wait) X(tell) X(hear) X(call) X(return) \
  X(spend)
// clang-format on
enum operation {
#define ENUMERATOR(name) k_##name,
  OPERATIONS(ENUMERATOR)
};
static const char* const names[] = {
#define NAME(name) #name,
    OPERATIONS(NAME)};

struct step {
  int thread, operation, site;
  int block;    // what is accessed; the thread, lock, semaphore or order where it is none
  long offset;  // in the block
  long size;
  int order;   // of an atomic operation; of an access: which entry point
  int block2;  // the source of a copy; the new block of a realloc
  long offset2;
};

static struct step steps[kSteps];
static int count;
static int turn;
static int woken[kThreads];  // a futex for each thread: it may be its turn
static int task[kThreads];
static pthread_t threads[kThreads];
static pthread_mutex_t mutexes[kLocks], own_mutexes[kThreads];
static pthread_rwlock_t rwlocks[kLocks];
static sem_t semaphores[kLocks];
static char told[kLocks];
static unsigned char* blocks[kBlocks];
static struct move {
  int step, block;
  void* to;
} moves[kSteps];
static int move_count;

static void* play(void* self);

static long raw_6(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long fourth __asm__("r10") = d;
  register long fifth __asm__("r8") = e;
  register long sixth __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                   : "rcx", "r11", "memory");
  return result;
}
static long raw(long number, long a, long b, long c) { return raw_6(number, a, b, c, 0, 0, 0); }

static void fail(const struct step* s, const char* why) {
  fprintf(stderr, "player: step %d, %s: %s\n", (int)(s - steps), names[s->operation], why);
  _Exit(3);
}
static void check(const struct step* s, uintptr_t error) {
  if ((int)error != 0) fail(s, strerror((int)error));
}

// ---- calls from a site ----

static uintptr_t at(const struct step* s, void* function, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d,
                    uintptr_t e, uintptr_t f) {
  return sites[s->site](a, b, c, d, e, f, function);
}
#define AT_1(f, a) at(s, (void*)(f), (uintptr_t)(a), 0, 0, 0, 0, 0)
#define AT_2(f, a, b) at(s, (void*)(f), (uintptr_t)(a), (uintptr_t)(b), 0, 0, 0, 0)
#define AT_3(f, a, b, c) at(s, (void*)(f), (uintptr_t)(a), (uintptr_t)(b), (uintptr_t)(c), 0, 0, 0)
#define AT_4(f, a, b, c, d) at(s, (void*)(f), (uintptr_t)(a), (uintptr_t)(b), (uintptr_t)(c), (uintptr_t)(d), 0, 0)
#define AT_5(f, a, b, c, d, e) \
  at(s, (void*)(f), (uintptr_t)(a), (uintptr_t)(b), (uintptr_t)(c), (uintptr_t)(d), (uintptr_t)(e), 0)
#define AT_6(f, a, b, c, d, e, g) \
  at(s, (void*)(f), (uintptr_t)(a), (uintptr_t)(b), (uintptr_t)(c), (uintptr_t)(d), (uintptr_t)(e), (uintptr_t)(g))

#define ENTRIES(bytes)                                                                                   \
  extern void __tsan_read##bytes(void*), __tsan_write##bytes(void*), __tsan_volatile_read##bytes(void*), \
      __tsan_volatile_write##bytes(void*), __tsan_read_write##bytes(void*);
ENTRIES(1)
ENTRIES(2)
ENTRIES(4)
ENTRIES(8)
ENTRIES(16)
#define UNALIGNED_ENTRIES(bytes) \
  extern void __tsan_unaligned_read##bytes(const void*), __tsan_unaligned_write##bytes(void*);
UNALIGNED_ENTRIES(2)
UNALIGNED_ENTRIES(4)
UNALIGNED_ENTRIES(8)
UNALIGNED_ENTRIES(16)
extern void __tsan_read_range(void*, size_t), __tsan_write_range(void*, size_t);
extern void __tsan_func_entry(void*), __tsan_func_exit(void);
extern void __tsan_acquire(void*), __tsan_release(void*), __tsan_atomic_thread_fence(int);

// By log2 of the size, and by how the compiler came to call it.
enum { kWays = 3 };
typedef void Entry(void*);
static Entry* const readers[5][kWays] = {{__tsan_read1, __tsan_read1, __tsan_volatile_read1},
                                         {__tsan_read2, (Entry*)__tsan_unaligned_read2, __tsan_volatile_read2},
                                         {__tsan_read4, (Entry*)__tsan_unaligned_read4, __tsan_volatile_read4},
                                         {__tsan_read8, (Entry*)__tsan_unaligned_read8, __tsan_volatile_read8},
                                         {__tsan_read16, (Entry*)__tsan_unaligned_read16, __tsan_volatile_read16}};
static Entry* const writers[5][kWays] = {{__tsan_write1, __tsan_read_write1, __tsan_volatile_write1},
                                         {__tsan_write2, __tsan_unaligned_write2, __tsan_read_write2},
                                         {__tsan_write4, __tsan_unaligned_write4, __tsan_read_write4},
                                         {__tsan_write8, __tsan_unaligned_write8, __tsan_read_write8},
                                         {__tsan_write16, __tsan_unaligned_write16, __tsan_read_write16}};

static int log2_of(long size) { return __builtin_ctzl((unsigned long)size); }

// ---- atomic operations ----

#define ATOMIC_ENTRIES(bits)                                                       \
  extern void __tsan_atomic##bits##_load(void), __tsan_atomic##bits##_store(void), \
      __tsan_atomic##bits##_exchange(void), __tsan_atomic##bits##_fetch_add(void), \
      __tsan_atomic##bits##_compare_exchange_strong(void);
ATOMIC_ENTRIES(8)
ATOMIC_ENTRIES(16)
ATOMIC_ENTRIES(32)
ATOMIC_ENTRIES(64)
ATOMIC_ENTRIES(128)
#define BY_SIZE(name)                                                                                            \
  static void* const name##_entries[5] = {__tsan_atomic8_##name, __tsan_atomic16_##name, __tsan_atomic32_##name, \
                                          __tsan_atomic64_##name, __tsan_atomic128_##name};
BY_SIZE(load)
BY_SIZE(store)
BY_SIZE(exchange)
BY_SIZE(fetch_add)
BY_SIZE(compare_exchange_strong)
// For objects of any size.
extern void any_load(void) __asm__("__atomic_load");
extern void any_store(void) __asm__("__atomic_store");
extern void any_exchange(void) __asm__("__atomic_exchange");
extern void any_compare_exchange(void) __asm__("__atomic_compare_exchange");

// Failing is as strong as the exchange lets it be.
static int failure_order(int order) {
  return order == __ATOMIC_ACQ_REL ? __ATOMIC_ACQUIRE : order == __ATOMIC_RELEASE ? __ATOMIC_RELAXED : order;
}

static void atomic(const struct step* s, unsigned char* p) {
  const int order = s->order, size = (int)s->size;
  const int has_entry = (size & (size - 1)) == 0 && size <= 16 && (uintptr_t)p % (unsigned)size == 0;
  const int k = log2_of(size);
  const int wide = size == 16;  // a value takes two registers
  unsigned char value[64] = {7}, other[64];
  switch (s->operation) {
    case k_load:
      if (!has_entry) AT_4(any_load, size, p, other, order);
      if (has_entry) AT_2(load_entries[k], p, order);
      return;
    case k_store:
      if (!has_entry) AT_4(any_store, size, p, value, order);
      if (has_entry && wide) AT_4(store_entries[k], p, 7, 0, order);
      if (has_entry && !wide) AT_3(store_entries[k], p, 7, order);
      return;
    case k_exchange: {
      void* const* entries = s->offset % 3 == 0 ? exchange_entries : fetch_add_entries;
      if (!has_entry) AT_5(any_exchange, size, p, value, other, order);
      if (has_entry && wide) AT_4(entries[k], p, 1, 0, order);
      if (has_entry && !wide) AT_3(entries[k], p, 1, order);
      return;
    }
    default: {
      void* const entry = compare_exchange_strong_entries[k];
      for (int i = 0; i < size; ++i) other[i] = ((volatile unsigned char*)p)[i];  // what it expects to find
      if (s->operation == k_cas_failed) ++other[0];
      if (!has_entry) AT_6(any_compare_exchange, size, p, other, value, order, failure_order(order));
      if (has_entry && wide) AT_6(entry, p, other, 9, 0, order, failure_order(order));
      if (has_entry && !wide) AT_5(entry, p, other, 9, order, failure_order(order));
    }
  }
}

// ---- memory that comes and goes ----

static void note_block(const struct step* s, int block, void* memory) {
  if (memory == NULL || memory == MAP_FAILED) fail(s, "no memory");
  blocks[block] = memory;
  moves[move_count++] = (struct move){(int)(s - steps), block, memory};
}

static void memory_comes_or_goes(const struct step* s, unsigned char* p) {
  enum { kUsable = PROT_READ | PROT_WRITE, kPlain = MAP_PRIVATE | MAP_ANONYMOUS };
  switch (s->operation) {
    case k_malloc:
      return note_block(s, s->block, (void*)AT_1(malloc, s->size));
    case k_calloc:
      return note_block(s, s->block, (void*)AT_2(calloc, s->size, 1));
    case k_free:
      AT_1(free, p);
      return;
    case k_realloc:
      return note_block(s, s->block2, (void*)AT_2(realloc, p, s->size));
    case k_mmap:
      return note_block(s, s->block, (void*)AT_6(mmap, NULL, s->size, kUsable, kPlain, -1, 0));
    case k_mmap_over:
      if ((unsigned char*)AT_6(mmap, p, s->size, kUsable, kPlain | MAP_FIXED, -1, 0) != p) fail(s, "not there");
      return;
    case k_munmap:
      return check(s, AT_2(munmap, p, s->size));
    case k_mremap:
      return note_block(s, s->block, (void*)AT_4(mremap, p, s->offset2, s->size, MREMAP_MAYMOVE));
    default: {
      void* to = (void*)raw_6(SYS_mmap, 0, s->size, PROT_NONE, kPlain, -1, 0);
      return note_block(s, s->block, (void*)AT_5(mremap, p, s->offset2, s->size, MREMAP_MAYMOVE | MREMAP_FIXED, to));
    }
  }
}

static void perform(const struct step* s) {
  unsigned char* p =
      s->block >= 0 && s->block < kBlocks && blocks[s->block] != NULL ? blocks[s->block] + s->offset : NULL;
  switch ((enum operation)s->operation) {
    case k_read:
      AT_1(readers[log2_of(s->size)][s->order], p);
      break;
    case k_write:
      AT_1(writers[log2_of(s->size)][s->order], p);
      break;
    case k_read_range:
      AT_2(__tsan_read_range, p, s->size);
      break;
    case k_write_range:
      AT_2(__tsan_write_range, p, s->size);
      break;
    case k_sweep_read:
      for (long i = 0; i < s->size; i += s->order) AT_1(readers[log2_of(s->order)][0], p + i);
      break;
    case k_sweep_write:
      for (long i = 0; i < s->size; i += s->order) AT_1(writers[log2_of(s->order)][0], p + i);
      break;
    case k_memset:
      AT_3(memset, p, 5, s->size);
      break;
    case k_memcpy:
      AT_3(memcpy, p, blocks[s->block2] + s->offset2, s->size);
      break;
    case k_memmove:
      AT_3(memmove, p, blocks[s->block2] + s->offset2, s->size);
      break;
    case k_load:
    case k_store:
    case k_exchange:
    case k_cas:
    case k_cas_failed:
      atomic(s, p);
      break;
    case k_fence:
      AT_1(__tsan_atomic_thread_fence, s->order);
      break;
    case k_malloc:
    case k_calloc:
    case k_free:
    case k_realloc:
    case k_mmap:
    case k_mmap_over:
    case k_munmap:
    case k_mremap:
    case k_mremap_moved:
      memory_comes_or_goes(s, p);
      break;
    case k_create:
      check(s, AT_4(pthread_create, &threads[s->block], NULL, play, (intptr_t)s->block));
      // What it is given when it starts depends on who is there: always the same threads.
      while (__atomic_load_n(&task[s->block], __ATOMIC_ACQUIRE) == 0) sched_yield();
      break;
    case k_join:
      check(s, AT_2(pthread_join, threads[s->block], NULL));
      break;
    case k_detach:
      check(s, AT_1(pthread_detach, threads[s->block]));
      break;
    case k_end:
      break;
    case k_lock:
      check(s, AT_1(pthread_mutex_lock, &mutexes[s->block]));
      break;
    case k_unlock:
      check(s, AT_1(pthread_mutex_unlock, &mutexes[s->block]));
      break;
    case k_trylock_failed:
      if ((int)AT_1(pthread_mutex_trylock, &mutexes[s->block]) == 0) fail(s, "it was free");
      break;
    case k_write_lock:
      check(s, AT_1(pthread_rwlock_wrlock, &rwlocks[s->block]));
      break;
    case k_read_lock:
      check(s, AT_1(pthread_rwlock_rdlock, &rwlocks[s->block]));
      break;
    case k_rw_unlock:
      check(s, AT_1(pthread_rwlock_unlock, &rwlocks[s->block]));
      break;
    case k_post:
      check(s, AT_1(sem_post, &semaphores[s->block]));
      break;
    case k_wait:
      check(s, AT_1(sem_wait, &semaphores[s->block]));
      break;
    case k_tell:
      AT_1(__tsan_release, &told[s->block]);
      break;
    case k_hear:
      AT_1(__tsan_acquire, &told[s->block]);
      break;
    case k_call:
      __tsan_func_entry((char*)sites[s->site] + 1);  // somewhere in it
      break;
    case k_return:
      __tsan_func_exit();
      break;
    case k_spend:
      for (long i = 0; i < s->size; ++i) {
        check(s, AT_1(pthread_mutex_lock, &own_mutexes[s->thread]));
        check(s, AT_1(pthread_mutex_unlock, &own_mutexes[s->thread]));
      }
      break;
  }
}

// ---- turns ----

static void await_turn(int me, int number) {
  for (;;) {
    const int seen = __atomic_load_n(&woken[me], __ATOMIC_ACQUIRE);
    if (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) == number) return;
    raw(SYS_futex, (long)&woken[me], FUTEX_WAIT_PRIVATE, seen);
  }
}
static void wake(int thread) {
  __atomic_fetch_add(&woken[thread], 1, __ATOMIC_RELEASE);
  raw(SYS_futex, (long)&woken[thread], FUTEX_WAKE_PRIVATE, 1);
}
// A step is over when its thread is, if it ends by it.
static void await_end_before(int number) {
  const struct step* before = &steps[number - 1];
  if (number == 0 || before->operation != k_end) return;
  while (raw(SYS_tgkill, raw(SYS_getpid, 0, 0, 0), task[before->thread], 0) == 0) sched_yield();
}

static void* play(void* self) {
  const int me = (int)(intptr_t)self;
  __atomic_store_n(&task[me], (int)raw(SYS_gettid, 0, 0, 0), __ATOMIC_RELEASE);
  for (int i = 0; i < count; ++i) {
    if (steps[i].thread != me) continue;
    await_turn(me, i);
    await_end_before(i);
    perform(&steps[i]);
    __atomic_store_n(&turn, i + 1, __ATOMIC_RELEASE);
    const int next = i + 1 < count ? steps[i + 1].thread : 0;
    if (next != me) wake(next);
    if (steps[i].operation == k_end) break;
  }
  return NULL;
}

static int operation_named(const char* name) {
  for (int i = 0; i < (int)(sizeof names / sizeof names[0]); ++i)
    if (strcmp(names[i], name) == 0) return i;
  fprintf(stderr, "player: unknown operation %s\n", name);
  _Exit(3);
}

int main(int argc, char** argv) {
  FILE* in = argc == 3 ? fopen(argv[1], "r") : NULL;
  FILE* answer = argc == 3 ? fopen(argv[2], "w") : NULL;
  if (in == NULL || answer == NULL) return 3;
  char name[32];
  for (struct step* s = steps;
       count < kSteps && fscanf(in, "%d %31s %d %d %ld %ld %d %d %ld", &s->thread, name, &s->site, &s->block,
                                &s->offset, &s->size, &s->order, &s->block2, &s->offset2) == 9;
       ++s, ++count)
    s->operation = operation_named(name);
  fclose(in);
  for (int i = 0; i < kLocks; ++i) {
    pthread_mutex_init(&mutexes[i], NULL);
    pthread_rwlock_init(&rwlocks[i], NULL);
    sem_init(&semaphores[i], 0, 0);
    fprintf(answer, "mutex %d %lu\nrwlock %d %lu\n", i, (unsigned long)&mutexes[i], i, (unsigned long)&rwlocks[i]);
  }
  for (int i = 0; i < kThreads; ++i) pthread_mutex_init(&own_mutexes[i], NULL);
  unsigned char* const globals[kGlobals] = {global_0, global_1, global_2, global_3};
  for (int i = 0; i < kGlobals; ++i) fprintf(answer, "block -1 %d %lu\n", i, (unsigned long)(blocks[i] = globals[i]));
  extern char __executable_start[];
  for (int i = 0; i < site_count; ++i)
    fprintf(answer, "site %d %lu\n", i, (unsigned long)((char*)sites[i] - __executable_start));
  play(NULL);
  await_turn(0, count);
  await_end_before(count);
  for (int i = 0; i < move_count; ++i)
    fprintf(answer, "block %d %d %lu\n", moves[i].step, moves[i].block, (unsigned long)moves[i].to);
  fclose(answer);
  return 0;
}
