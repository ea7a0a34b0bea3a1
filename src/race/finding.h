// What was found, before it is text: a race with both its accesses, a misuse of a lock, a thread that was not joined,
// ...
//
// Both halves use this type: the engine fills it from a trace (findings.h), the run time inside the watched program
// (live/report/draft.h). The writers in src/report know no other.
//
// Views    A finding owns nothing. Its texts and lists belong to something that lives longer: a FindingStore, or the
//          session of a report. Texts that are not known are empty.
// Promises Inside rules: plain data, no heap, no exceptions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/access_kind.h"

namespace deadheat {

// X(kind, title in the report, name for programs, type of suppression)
#define DEADHEAT_FINDINGS(X)                                                                                   \
  X(Race, "data race", "data-race", kRace)                                                                     \
  X(VptrRace, "data race on vptr (ctor/dtor vs virtual call)", "data-race-vptr", kRace)                        \
  X(FreeRace, "heap-use-after-free (race with free)", "heap-use-after-free", kRace)                            \
  X(UseAfterFree, "heap-use-after-free", "heap-use-after-free", kRace)                                         \
  X(FreeVptrRace, "heap-use-after-free (virtual call vs free)", "heap-use-after-free-vptr", kRace)             \
  X(ExternalRace, "race on external object", "external-race", kRace)                                           \
  X(ThreadLeak, "thread leak", "thread-leak", kThread)                                                         \
  X(DoubleLock, "double lock of a mutex", "mutex-double-lock", kMutex)                                         \
  X(InvalidMutex, "use of an invalid mutex (e.g. uninitialized or destroyed)", "mutex-invalid-access", kMutex) \
  X(BadUnlock, "unlock of an unlocked mutex (or by a wrong thread)", "mutex-bad-unlock", kMutex)               \
  X(BadReadLock, "read lock of a write locked mutex", "mutex-bad-read-lock", kMutex)                           \
  X(BadReadUnlock, "read unlock of a write locked mutex", "mutex-bad-read-unlock", kMutex)                     \
  X(DestroyLocked, "destroy of a locked mutex", "mutex-destroy-locked", kMutex)                                \
  X(MutexHeld, "mutex held in the wrong context", "mutex-held-in-wrong-context", kMutex)                       \
  X(SignalUnsafe, "signal-unsafe call inside of a signal", "signal-unsafe-call", kSignal)                      \
  X(SpoiledErrno, "signal handler spoils errno", "errno-in-signal-handler", kSignal)                           \
  X(IgnoringEnd, "thread finished with ignores enabled", "thread-finished-ignoring", kThread)                  \
  X(LockOrder, "lock-order-inversion (potential deadlock)", "lock-order-inversion", kDeadlock)

enum class FindingKind : uint8_t {
#define DEADHEAT_ENUMERATOR(kind, title, name, type) k##kind,
  DEADHEAT_FINDINGS(DEADHEAT_ENUMERATOR)
#undef DEADHEAT_ENUMERATOR
};
const char* finding_title(FindingKind kind);
const char* finding_name(FindingKind kind);

// A place in the code.
struct StackFrame {
  std::string_view function = {};
  std::string_view file = {};  // of a trace's location: all of its text, with no line
  std::string_view module = {};
  std::string_view build_id = {};  // of the module, lower-case hex
  int line = 0;
  int column = 0;
  uint64_t offset = 0;  // in the module
  uint64_t pc = 0;
  bool inlined = false;  // into the next frame
  bool ours = false;     // an interceptor
  bool foreign = false;  // its module is known to have no instrumentation
};
// Innermost first. The location of an access in a trace is a stack of one frame.
using StackView = std::span<const StackFrame>;

struct SideLock {
  uint64_t address = 0;
  bool for_reading = false;
};

// One access of a race.
struct Side {
  AccessKind kind = AccessKind::kNone;
  uint32_t thread = 0;                // 0 is the main thread
  std::string_view thread_name = {};  // in a trace threads have names only
  uint64_t event = 0;                 // its number in the trace; live programs have none
  uint64_t address = 0, bytes = 0;
  StackView stack = {};
  std::span<const SideLock> locks = {};  // held then, in the order in which they were taken

  std::string_view location() const { return stack.empty() ? std::string_view{} : stack.front().file; }
};

// What the bytes are that a finding is about.
struct Memory {
  enum Kind : uint8_t { kUnknown, kGlobal, kHeap, kStack, kThreadLocal, kDescriptor, kVariable };
  Kind kind = kUnknown;
  std::string_view name = {};  // of a global, a variable on a stack, or a variable of a trace (`x`, `a[3]`, `0x10:8`)
  uint64_t begin = 0, bytes = 0;
  uint32_t thread = 0;  // whose stack or thread-local data it is; the one that allocated the block, opened the file
  std::string_view module = {};  // of a global
  std::string_view build_id = {};
  uint64_t offset = 0;
  int fd = 0;
  bool fd_closed = false;
  StackView stack = {};      // of the allocation, or the function whose variable it is
  StackFrame declared = {};  // where a variable on a stack is declared
};

// A stack that a finding shows beside its accesses, and the words above it.
struct FindingStack {
  enum Head : uint8_t { kPlain, kAnd, kSignal, kCreatedAt, kIgnoredSince, kAcquiredWhileHolding, kAcquiredBefore };
  Head head = kPlain;
  int signal = 0;
  uint64_t lock = 0, held = 0;  // of an acquisition
  uint32_t thread = 0;
  std::string_view thread_name = {};
  StackView stack = {};
};

// M0, M1, ... of a finding.
struct FindingLock {
  uint64_t address = 0;
  bool destroyed = false;
  StackView created_at = {};
};

struct FindingThread {
  uint32_t number = 0;  // 0 is the main thread
  std::string_view name = {};
  int os_id = 0;
  bool running = false;
  uint32_t parent = 0;
  bool creation_known = false;
  StackView created_at = {};
};

// ---- why the two accesses of a race are not ordered ----

// Something that a thread did around its access that can order it with others.
struct SyncStep {
  std::string_view op = {};      // lock, unlock, fork, join, ... as in traces; empty if there is no such step
  std::string_view object = {};  // what it was done to: a lock, a thread, an atomic
  uint64_t address = 0;          // of the object, if it has one
  uint64_t event = 0;            // its number in the trace: a greater one came later
  StackView stack = {};
};

// A step in the picture of the two threads, which shows a few steps around each access.
struct TimelineStep {
  unsigned side = 0;  // the thread: 0 is the one that completed the race (sides[0]), 1 the earlier one
  bool is_access = false;
  SyncStep step = {};  // of the access: op is read, write, ...
  // The step of the other thread, by its index in the timeline, that this one is ordered before because of what was
  // done to the same object; -1 for none.
  int orders = -1;
};

// How many of the other accesses of the memory held a lock.
struct LockUse {
  uint64_t lock = 0;  // its address, as in Finding::locks
  uint64_t accesses = 0;
  bool held[2] = {false, false};  // by the two sides
};

struct Explanation {
  SyncStep before[2], after[2];             // of each side: the last step before the access, the first after it
  bool forgotten[2] = {false, false};       // of each side: these are not known any more
  uint64_t other_accesses = 0;              // of this memory, besides the two
  std::span<const LockUse> lock_uses = {};  // most accesses first
  // The step of the earlier thread up to which the later one knew, at its access, what that thread had done, and the step
  // by which it came to know; no op if it knew nothing, or if that is not known.
  SyncStep met_from, met_to;
  std::span<const TimelineStep> timeline = {};  // in the order of the run
};

struct Finding {
  FindingKind kind = FindingKind::kRace;
  std::string_view external_type = {};  // of an external object
  // Of a race: [0] completed it, [1] is the earlier access, of no kind or left out if the detector does not know it.
  // Further threads that came by later follow (RaceTrack).
  std::span<const Side> sides = {};
  uint64_t both_begin = 0, both_end = 0;      // the bytes that both touched
  StackView sleep = {};                       // between the two, if time seems to have ordered them
  std::span<const FindingStack> stacks = {};  // of anything else than a race
  Memory memory;
  std::span<const FindingLock> locks = {};  // in order of appearance
  unsigned cycle_length = 0;                // of a lock order: the first locks form the cycle
  std::span<const FindingThread> threads = {};
  unsigned repeated = 0;   // thread leaks of the same place
  int rank = 0;            // RaceTrack: higher is more likely real; 0 for detectors that do not rank
  int group = 0;           // of ranked warnings: those with one number are probably one bug (groups.h)
  uint64_t races = 1;      // how many this one stands for (fold.h),
  uint64_t variables = 1;  // and on how many variables
  const Explanation* explanation = nullptr;  // null where nobody looked

  bool is_race() const { return !sides.empty(); }
  const Side* earlier() const { return sides.size() > 1 && sides[1].kind != AccessKind::kNone ? &sides[1] : nullptr; }
  std::span<const Side> later() const { return sides.size() > 2 ? sides.subspan(2) : std::span<const Side>{}; }
  // The stack that stands for the finding in its summary.
  StackView summary_stack() const;
};

}  // namespace deadheat
