// Recording: what the threads of a watched program did, handed to the process that records it (base/recording.h).
//
// The same sources make two libraries. The one that `deadheat record` puts under a program has kOn set; in the ordinary
// one every call below is gone at compile time, so that detection does not pay for recording.
//
// What     Whatever the shadow has not yet for this epoch (an access that missed), everything that orders threads, and
//          the comings and goings of memory and threads. With `full` no access is a hit, and no thread counts as alone.
//          Without it the accesses of a thread that is alone are left out: all other threads have ended before, and it
//          knows all that they did; whoever comes later is its child, or a child's child, and is ordered after. So no
//          precise detector can find a race in them. (A thread that nobody created is unordered with everybody; what
//          the thread that was alone did before such a one came is missing, as it is in live detection.)
// Cost     An access is 16 bytes in a buffer of the thread's own. A few records also read the processor's clock.
//          Only what has a ticket touches a counter that threads share.
// Order    A ticket is drawn while the object is held: by the lock of its chain, or by the program's own mutex.
// Waiting  A thread that finds no free buffer waits for the recorder, with whatever locks it holds. The recorder takes
//          none of them and never waits for the program.
// Tested by test/record
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/access_kind.h"
#include "base/memory_order.h"
#include "base/recording.h"
#include "live/ground/ids.h"

namespace deadheat::live {
struct Thread;
class SyncLock;
}  // namespace deadheat::live

namespace deadheat::live::record {

#ifdef DEADHEAT_RECORDING
inline constexpr bool kOn = true;
#else
inline constexpr bool kOn = false;
#endif

using recording::What;

struct Buffer {
  recording::Unit* next = nullptr;  // null as long as there is none
  recording::Unit* stop = nullptr;  // from here on the thread must look at the clock, or has no room
  recording::Unit* end = nullptr;
  recording::Unit* begin = nullptr;
  recording::BufferHead* head = nullptr;
  uint32_t number = 0;  // of the next one
  uint32_t pulse = 0;   // at the last look at the clock
  uint64_t stamp = 0;   // of that look, in its place in a record
};
struct Nothing {};
using ThreadBuffer = std::conditional_t<kOn, Buffer, Nothing>;

// Every access is recorded, also those that are known in this epoch.
extern bool full __attribute__((visibility("hidden")));

// Plain accesses are left out while somebody has stopped the recording, and once nobody records any more.
extern const std::atomic<uint32_t>* paused __attribute__((visibility("hidden")));
inline bool is_paused() {
  return __builtin_expect(__atomic_load_n(&paused, __ATOMIC_ACQUIRE)->load(std::memory_order_relaxed) != 0, 0);
}
void pause(bool on);

// Opens the channel, if somebody records; before the first thread is known.
void start();
// What is loaded: at start, and when an instrumented library has come, before its own code runs.
void modules();
// A library has gone: another one may come to its place.
void module_gone(uintptr_t begin, uintptr_t end);
// The child of a fork has a channel of its own, which begins with what the thread holds.
void after_fork();

// Changes when threads must look at the clock anew.
extern const std::atomic<uint32_t>* pulse __attribute__((visibility("hidden")));

void access(Thread& t, uintptr_t address, size_t bytes, AccessKind kind, NodeId path);
// The common case of it, in line: an access of a power of two of bytes where the thread has a stamp and room. False if it
// is another one.
template <size_t kBytes, AccessKind kKind>
inline bool access_at_once(Buffer& b, uintptr_t address, NodeId path) {
  constexpr What what = kKind == AccessKind::kRead    ? What::kRead
                        : kKind == AccessKind::kWrite ? What::kWrite
                                                      : What::kUse;
  constexpr auto detail = static_cast<uint8_t>(__builtin_ctzl(kBytes));
  recording::Unit* const unit = b.next;
  const uint32_t now = __atomic_load_n(&pulse, __ATOMIC_RELAXED)->load(std::memory_order_acquire);
  if (__builtin_expect(unit >= b.stop || b.pulse != now, 0)) return false;
  *unit = {recording::head_of(what, detail, address), b.stamp | number_of(path)};
  b.next = unit + 1;
  b.head->filled.store(static_cast<uint32_t>(unit + 1 - b.begin), std::memory_order_release);
  return true;
}
// `count` accesses of a power of two of bytes, each `step` bytes after the one before: a loop that is recorded at once.
void row(Thread& t, uintptr_t first, size_t bytes, ptrdiff_t step, size_t count, AccessKind kind, NodeId path);
// An atomic operation, within its step. The same load once more is left out as long as nobody has touched the object.
void atomic(Thread& t, const SyncLock& object, What what, uintptr_t address, size_t bytes, MemoryOrder order,
            uintptr_t pc);
void fence(Thread& t, MemoryOrder order);
// What orders threads: a lock, an object or a thread is `more`.
void ordered(Thread& t, What what, uint64_t more, NodeId path = kNoNode);
void memory(Thread& t, What what, uintptr_t begin, size_t bytes, NodeId path = kNoNode);
// The same by the calling thread, if it is known.
void ordered(What what, uint64_t more);
// The memory of a range is fresh: what of it has any history.
void fresh(uintptr_t begin, size_t bytes);
// Races of these bytes are not told.
void benign(uintptr_t begin, size_t bytes);
void moved(uintptr_t from, uintptr_t to, size_t bytes);
// A new call path.
void node(NodeId id, NodeId parent, uint64_t key);
void thread_name(ThreadUid uid, const char* name);
// The thread's last word.
void end(Thread& t);
// Names for clocks that lie at no address of the program.
uint64_t new_object();

}  // namespace deadheat::live::record
