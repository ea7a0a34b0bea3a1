// What a report tells, before it is text: filled in by whoever found something, printed by report_text.cpp, written as
// JSON by report_json.cpp, asked about by the program through report_query.cpp.
//
// Each is part of a session (report_session.h) and belongs to the thread that has it open.
#pragma once

#include <cstddef>
#include <cstdint>

#include "live/ground/message.h"
#include "live/order/thread.h"
#include "live/process/modules.h"
#include "live/report/report_stack.h"

namespace deadheat::live {

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

// One access of a race.
struct Side {
  uintptr_t address = 0;
  size_t bytes = 0;
  AccessKind kind{};
  ThreadUid thread = 0;
  NodeId origin = 0;
  NodeId locks = 0;
  uint64_t top = 0;  // pc of the access
  ReportStack stack;
};

// What the memory is.
struct Location {
  enum Kind { kUnknown, kGlobal, kHeap, kStack, kThreadLocal, kDescriptor } kind = kUnknown;
  const char* name = nullptr;
  uintptr_t begin = 0;
  size_t bytes = 0;
  ThreadUid thread = 0;
  char module[512] = {};
  uintptr_t offset = 0;
  int fd = 0;
  bool fd_closed = false;
  ReportStack stack;
  // On a stack: the variable, if it is known (its place is `begin`, its size `bytes`).
  const char* variable = nullptr;
  SourceFrame declared = {};
};

struct FindingStack {
  enum Head { kPlain, kAnd, kSignal, kCreatedAt, kIgnoredSince, kAcquiredWhileHolding, kAcquiredBefore } head = kPlain;
  int signal = 0;
  uintptr_t lock = 0, held = 0;  // of an acquisition
  ThreadUid thread = 0;
  ReportStack stack;
};

struct Finding {
  static constexpr unsigned kMostStacks = 16, kMostLocks = 32, kMostThreads = 12;

  FindingKind kind = FindingKind::kRace;
  const char* external_type = nullptr;  // of an external object
  unsigned side_count = 0;
  Side sides[2];
  NodeId slept_at = 0;  // between the two, if time seems to have ordered them
  ReportStack sleep;
  uintptr_t both_begin = 0, both_end = 0;  // the bytes that both sides touched
  unsigned stack_count = 0;
  FindingStack stacks[kMostStacks];
  Location location;
  unsigned lock_count = 0;
  uintptr_t locks[kMostLocks] = {};  // M0, M1, ... in order of appearance
  unsigned cycle_length = 0;         // of a lock order: the first locks form the cycle
  unsigned thread_count = 0;
  ThreadUid threads[kMostThreads] = {};
  unsigned repeated = 0;  // thread leaks of the same place
  bool in_colour = false;
  ReportStack creation;  // of a thread or a lock, one after the other

  unsigned number_of_lock(uintptr_t lock);
  FindingStack& add_stack(NodeId where, FindingStack::Head head = FindingStack::kPlain);
  void add_thread(ThreadUid uid);
  // The stack that stands for the report in its summary.
  const ReportStack& summary_stack() const;
};

void finding_clear(Finding& finding);
// Stacks of the sides and the place are asked from the symbolizer; locks and threads named are collected.
void finding_resolve(Finding& finding);
// What the bytes are that the finding is about; its sides are set already.
void find_location(Finding& finding, uintptr_t address, size_t bytes);

void finding_text(Text& text, Finding& finding);
void finding_json(Text& text, const Finding& finding);

}  // namespace deadheat::live
