// What the entry points touch of a thread: a cache line of thread-local storage, and the shadow stack it leads to.
//
// `thread` points to the thread's state (order/thread.h), which this room does not look into. Only the thread itself
// touches its line, except that collections and reports of other threads read `busy` and `sp` (from_another_thread;
// functions_around in order/thread.h), and that a thread which nobody created through us changes `current_twice` of one
// that was alone (is_left_alone, order/thread.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/pass_interface.h"
#include "live/ground/ids.h"

namespace deadheat::live {

struct Thread;

struct Frame {
  uintptr_t pc;    // return address into the caller
  NodeId node;     // 0 until asked for
  uint32_t stack;  // low half of the stack pointer, for longjmp and for variables on the stack
};
static_assert(sizeof(Frame) == 16);
// In `stack`, where the stack pointer has zeros: not a function of the program, but an interceptor, or a frame that
// only reports need.
inline constexpr uint32_t kOurFrame = 1;

// How deep a thread is inside the run time. Nobody but Inside (inside.h) changes it.
class Depth {
 public:
  operator uint32_t() const { return count_; }
  bool for_good() const { return (count_ & kForGood) != 0; }  // the thread is at its end
  uint32_t from_another_thread() const { return __atomic_load_n(&count_, __ATOMIC_ACQUIRE); }

 private:
  friend class Inside;
  static constexpr uint32_t kForGood = uint32_t{1} << 31;
  uint32_t count_ = 0;
};

// Cells that are no hit for any thread, for the tests of threads that are not known yet.
extern const uint64_t no_cells[2] __attribute__((visibility("hidden")));

// The first line is what compiled code sees (initial-exec; the limit of such storage is 512 bytes).
struct alignas(64) Tls {
  uint64_t current_twice = ~uint64_t{0};  // Thread::current in both halves; all ones never equals a cell
  // For code of our compiler pass, which is tested by (address & inline_mask) + one of these:
  const void* inline_read_cells = no_cells;
  const void* inline_write_cells = no_cells;
  uint64_t inline_mask = 0;
  Frame* sp = nullptr;     // next free frame
  Frame* limit = nullptr;  // sp == limit: no room (or no thread yet)
  Frame* base = nullptr;
  Thread* thread = nullptr;
  uint64_t read_plane = 0;     // distance of the plane that reads look at from R of class 0
  Depth busy;                  // nonzero also in a signal handler that interrupted the run time
  uint32_t ignoring = 0;       // accesses are not looked at: the program said so
  uint16_t ignoring_sync = 0;  // nor what orders threads
  uint16_t in_handler = 0;     // depth of signal handlers
  uint32_t vfork_parent = 0;   // the process that called vfork, until it is seen to run again
};
static_assert(sizeof(Tls) == 128);
static_assert(offsetof(Tls, current_twice) == pass_interface::kCurrent);
static_assert(offsetof(Tls, inline_read_cells) == pass_interface::kReadCells);
static_assert(offsetof(Tls, inline_write_cells) == pass_interface::kWriteCells);
static_assert(offsetof(Tls, inline_mask) == pass_interface::kMask);
static_assert(offsetof(Tls, sp) == pass_interface::kSp && offsetof(Tls, limit) == pass_interface::kLimit);
static_assert(offsetof(Tls, base) == pass_interface::kBase && sizeof(Frame) == pass_interface::kFrameBytes);
extern __thread Tls tls __attribute__((tls_model("initial-exec"), visibility("hidden")));

// Waits for the outermost section inside the run time to be left (inside.h). Read as one word.
struct alignas(8) Postponed {
  uint32_t signals;       // how many wait
  uint16_t accesses;      // 1: Thread::pending has some
  uint16_t cancellation;  // 1: the thread was cancelled
  bool any() const { return __builtin_bit_cast(uint64_t, *this) != 0; }
};
extern __thread Postponed postponed __attribute__((tls_model("initial-exec"), visibility("hidden")));

}  // namespace deadheat::live
