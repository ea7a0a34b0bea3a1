// One event of a run: what both front doors produce and everything below them consumes.
//
// `kEventKinds` is the one table of operations: text notation, operand, what the operation does. Readers, writers,
// statistics and the documentation follow it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/access_kind.h"
#include "base/ids.h"
#include "base/memory_order.h"

namespace deadheat {

enum class EventKind : uint8_t {
  kNothing,  // an event that counts but has no effect: nested lock operations, what `--lenient` skipped
  kRead,
  kWrite,
  kVolatileRead,
  kVolatileWrite,
  kAtomicLoad,
  kAtomicStore,
  kAtomicRmw,
  kCasOk,
  kCasFail,
  kAcquire,
  kRelease,
  kReadAcquire,
  kReadRelease,
  kFork,
  kJoin,
  kBegin,
  kEnd,
  kFence,
  kWait,
  kNotify,
  kBarrierEnter,
  kBarrierLeave,
  kPost,
  kSemaphoreWait,
  kSend,
  kReceive,
  kAlloc,
  kFree,
  kSeenEnded,
};
inline constexpr size_t kEventKindCount = 30;

// What the operand of an event names; each is a name space of its own.
enum class Operand : uint8_t { kNone, kVariable, kObject, kLock, kThread, kMessage, kBarrier, kSemaphore, kCondition };

inline constexpr std::array<std::string_view, 6> kMemoryOrderNames = {"relaxed", "consume", "acquire",
                                                                      "release", "acq_rel", "seq_cst"};

struct EventKindInfo {
  EventKind kind;
  std::string_view notation;  // as in a text trace
  Operand operand;
  AccessKind access;
  bool has_order;
  std::string_view meaning;
};

inline constexpr std::array<EventKindInfo, kEventKindCount> kEventKinds = {{
    {EventKind::kNothing, "nop", Operand::kNone, AccessKind::kNone, false, "no effect"},
    {EventKind::kRead, "r", Operand::kVariable, AccessKind::kRead, false, "plain read"},
    {EventKind::kWrite, "w", Operand::kVariable, AccessKind::kWrite, false, "plain write"},
    {EventKind::kVolatileRead, "vr", Operand::kVariable, AccessKind::kAtomicRead, false, "volatile read (as in Java)"},
    {EventKind::kVolatileWrite, "vw", Operand::kVariable, AccessKind::kAtomicWrite, false,
     "volatile write (as in Java)"},
    {EventKind::kAtomicLoad, "ld", Operand::kVariable, AccessKind::kAtomicRead, true, "atomic load"},
    {EventKind::kAtomicStore, "st", Operand::kVariable, AccessKind::kAtomicWrite, true, "atomic store"},
    {EventKind::kAtomicRmw, "rmw", Operand::kVariable, AccessKind::kAtomicWrite, true, "atomic read-modify-write"},
    {EventKind::kCasOk, "cas", Operand::kVariable, AccessKind::kAtomicWrite, true, "compare-exchange that succeeded"},
    {EventKind::kCasFail, "cas", Operand::kVariable, AccessKind::kAtomicRead, true, "compare-exchange that failed"},
    {EventKind::kAcquire, "acq", Operand::kLock, AccessKind::kNone, false, "lock, or lock as a writer"},
    {EventKind::kRelease, "rel", Operand::kLock, AccessKind::kNone, false, "unlock, or unlock as a writer"},
    {EventKind::kReadAcquire, "racq", Operand::kLock, AccessKind::kNone, false, "lock as a reader"},
    {EventKind::kReadRelease, "rrel", Operand::kLock, AccessKind::kNone, false, "unlock as a reader"},
    {EventKind::kFork, "fork", Operand::kThread, AccessKind::kNone, false, "create a thread"},
    {EventKind::kJoin, "join", Operand::kThread, AccessKind::kNone, false, "wait for a thread to end"},
    {EventKind::kBegin, "begin", Operand::kNone, AccessKind::kNone, false, "the thread begins"},
    {EventKind::kEnd, "end", Operand::kNone, AccessKind::kNone, false, "the thread ends"},
    {EventKind::kFence, "fence", Operand::kNone, AccessKind::kNone, true, "atomic fence"},
    {EventKind::kWait, "wait", Operand::kCondition, AccessKind::kNone, false, "return from a condition wait"},
    {EventKind::kNotify, "notify", Operand::kCondition, AccessKind::kNone, false, "signal or broadcast"},
    {EventKind::kBarrierEnter, "benter", Operand::kBarrier, AccessKind::kNone, false, "arrive at a barrier"},
    {EventKind::kBarrierLeave, "bleave", Operand::kBarrier, AccessKind::kNone, false, "leave a barrier"},
    {EventKind::kPost, "post", Operand::kSemaphore, AccessKind::kNone, false, "post a semaphore"},
    {EventKind::kSemaphoreWait, "swait", Operand::kSemaphore, AccessKind::kNone, false, "wait on a semaphore returns"},
    {EventKind::kSend, "snd", Operand::kMessage, AccessKind::kNone, false, "send a message"},
    {EventKind::kReceive, "rcv", Operand::kMessage, AccessKind::kNone, false, "receive a message"},
    {EventKind::kAlloc, "alloc", Operand::kObject, AccessKind::kNone, false, "a fresh block or array"},
    {EventKind::kFree, "free", Operand::kObject, AccessKind::kFree, false, "the end of a block or array"},
    {EventKind::kSeenEnded, "gone", Operand::kThread, AccessKind::kNone, false, "see that a thread has ended"},
}};

constexpr bool kinds_are_in_order() {
  for (size_t i = 0; i < kEventKinds.size(); ++i)
    if (static_cast<size_t>(kEventKinds[i].kind) != i) return false;
  return true;
}
static_assert(kinds_are_in_order(), "kEventKinds is indexed by EventKind");

constexpr const EventKindInfo& info(EventKind kind) { return kEventKinds[static_cast<size_t>(kind)]; }

constexpr bool is_plain_access(EventKind kind) { return kind == EventKind::kRead || kind == EventKind::kWrite; }
constexpr bool is_atomic_access(EventKind kind) {
  return kind >= EventKind::kVolatileRead && kind <= EventKind::kCasFail;
}

struct Event {
  uint64_t target = 0;  // id in the name space of the kind's operand; the first address if `is_range`
  uint64_t size = 0;    // bytes of a range; elements (bytes, if `is_range`) of an allocation; else 0
  ThreadId thread{};
  LocationId location = kNoLocation;
  EventKind kind = EventKind::kNothing;
  MemoryOrder order = MemoryOrder::kRelaxed;
  bool is_range = false;  // the operand is bytes of memory, not a name: `r(0x10:8)`, `alloc(0x100,64)`

  ThreadId other_thread() const { return static_cast<ThreadId>(target); }
  LockId lock() const { return static_cast<LockId>(target); }
  VariableId variable() const { return static_cast<VariableId>(target); }
  ObjectId object() const { return static_cast<ObjectId>(target); }

  friend bool operator==(const Event&, const Event&) = default;
};
static_assert(sizeof(Event) == 32);

// An operation of no bytes only orders. It has no value, so fences make nothing of it: a read-modify-write that does not
// acquire gives without taking (a semaphore's post), and a store that does not release forgets what was given.
constexpr bool has_value(const Event& e) { return !e.is_range || e.size != 0; }

// What a detector must know of a variable beyond its id.
struct VariableInfo {
  static constexpr uint64_t kNotAnElement = UINT64_MAX;
  ObjectId object{};
  uint64_t element = kNotAnElement;  // 7 for `A[7]`

  friend bool operator==(const VariableInfo&, const VariableInfo&) = default;
};

}  // namespace deadheat
