// All locks of the run time, in the order in which a thread may take them.
//
// A thread that holds a lock takes only locks of later rows. So no two threads wait for each other. Fork takes all
// locks, from the first row to the last: so in the child no lock is held by a thread that does not exist there.
//
// A row says what may be called while its lock is held:
//   kNothing  only code of the run time, and system calls that do not wait
//   kLibrary  also functions of the C library that run no code of the program
//   kProgram  also functions of the program
// Calls out of the run time say so (calling_out; REAL does it by itself).
//
// To add a lock: add a row here, construct the lock with it, and say beside it what fork has to take:
//   constinit SpinLock heap_lock(Lock::kHeap);
//   DEADHEAT_TAKEN_AT_FORK(kHeap, heap_lock)
// Without the latter nothing links. One row is one lock, or an array of which a thread holds one at a time; only
// HoldAll takes all of an array, in the order of the array. scripts/check-locks finds locks that have no row.
//
// Locks that are held during input and output are of another kind: a thread takes one while it holds none of these, and
// the child of a fork makes them anew (sleep_lock.h).
//
// Development builds check the order and the calls out. They also check that the thread is inside the run time, where
// no signal handler can interrupt it and want the same lock. Other builds pay nothing.
// Tested by scripts/check-locks, test/programs/fork_*.c
#pragma once

#include <cstdint>

// clang-format off
//  row             may call  guards
#define DEADHEAT_LOCKS(X)                                                                                         \
  X(kTold,          kNothing, "what was told")                                                                    \
  X(kSessions,      kNothing, "the sessions of reports, open ones and spare ones")                                \
  X(kObjects,       kNothing, "the objects that races were found on last")                                        \
  X(kSourceLines,   kNothing, "which lines the places in the code are")                                           \
  X(kFinalizer,     kNothing, "the epochs that a Java finalizer takes")                                           \
  X(kSignalActions, kLibrary, "the handlers in our table and in the system's, as a pair")                         \
  X(kSteps,         kNothing, "what threads did to order themselves (an array, by slot; steps.h)")                \
  X(kTables,        kNothing, "what capture keeps by key (an array, a lock for each table)")                     \
  X(kModules,       kNothing, "which modules are instrumented")                                                   \
  X(kModuleTable,   kNothing, "where modules lie, and their paths")                                               \
  X(kExemptions,    kNothing, "benign ranges and tagged objects")                                                 \
  X(kDescriptors,   kNothing, "what descriptors stand for")                                                       \
  X(kEpochs,        kNothing, "the epoch ids that are free, and their collection")                                \
  X(kThreads,       kNothing, "the live threads and the slots of clocks")                                         \
  X(kSyncChains,    kNothing, "the clocks of sync objects (an array, by address; sync.h)")                        \
  X(kLargeAtomics,  kNothing, "atomic objects that no instruction can change (an array, by address)")             \
  X(kUses,          kNothing, "how often memory was used, and under which locks (an array, by address; uses.h)")  \
  X(kSyncSpares,    kNothing, "sync objects that are free")                                                       \
  X(kLockOrder,     kNothing, "the graph of lock orders")                                                         \
  X(kStripes,       kNothing, "the shadow (an array, by address)")                                                \
  X(kFreeRecords,   kNothing, "records that are free (an array, by size)")                                        \
  X(kFreeByteReads, kNothing, "blocks of byte reads that are free")                                               \
  X(kPaths,         kNothing, "the index of call paths")                                                          \
  X(kShadowZones,   kNothing, "which memory has a shadow")                                                        \
  X(kHeap,          kNothing, "the run time's own heap")
// clang-format on

namespace deadheat::live {

enum class Lock : uint8_t {
#define DEADHEAT_ROW(row, runs, guards) row,
  DEADHEAT_LOCKS(DEADHEAT_ROW)
#undef DEADHEAT_ROW
};
enum class Runs : uint8_t { kNothing, kLibrary, kProgram };

// All locks of a row; defined beside them, by DEADHEAT_TAKEN_AT_FORK.
template <Lock kRow>
void lock_all();
template <Lock kRow>
void unlock_all();
#define DEADHEAT_ROW(row, runs, guards) \
  template <>                           \
  void lock_all<Lock::row>();           \
  template <>                           \
  void unlock_all<Lock::row>();
DEADHEAT_LOCKS(DEADHEAT_ROW)
#undef DEADHEAT_ROW

template <Lock kRow>
class HoldAll {
 public:
  HoldAll() { lock_all<kRow>(); }
  ~HoldAll() { unlock_all<kRow>(); }
  HoldAll(const HoldAll&) = delete;
  HoldAll& operator=(const HoldAll&) = delete;
};

// For fork (process/fork_locks.cpp).
void lock_all_rows();
void unlock_all_rows();

#ifdef NDEBUG
inline void lock_taking(Lock) {}
inline void lock_left(Lock) {}
inline void calling_out(Runs) {}
#else
void lock_taking(Lock row);  // dies if it breaks a rule
void lock_left(Lock row);
void calling_out(Runs what);
#endif
// Whether lock_taking allows several locks of the row: set where an array is taken as a whole.
class TakingAll {
 public:
#ifdef NDEBUG
  explicit TakingAll(Lock) {}
#else
  explicit TakingAll(Lock row);
  ~TakingAll();
#endif
  TakingAll(const TakingAll&) = delete;
  TakingAll& operator=(const TakingAll&) = delete;
};

}  // namespace deadheat::live

#define DEADHEAT_TAKEN_AT_FORK(row, the_lock) \
  template <>                                 \
  void lock_all<Lock::row>() {                \
    (the_lock).lock();                        \
  }                                           \
  template <>                                 \
  void unlock_all<Lock::row>() {              \
    (the_lock).unlock();                      \
  }
// The elements of an array have a member `lock`.
#define DEADHEAT_ARRAY_TAKEN_AT_FORK(row, array)         \
  template <>                                            \
  void lock_all<Lock::row>() {                           \
    const TakingAll all(Lock::row);                      \
    for (auto& element : (array)) element.lock.lock();   \
  }                                                      \
  template <>                                            \
  void unlock_all<Lock::row>() {                         \
    for (auto& element : (array)) element.lock.unlock(); \
  }
