// What a watched program hands to the process that records it: a file of shared memory with buffers of records.
//
// Idea     Every thread of the program fills buffers of its own and never waits for another thread. The recorder reads
//          the buffers while they fill. What orders threads has a ticket, drawn while the object it is about is held; so
//          the records of all threads, merged by tickets, are in an order that could have been the real one. Everything
//          has a stamp of the processor's clock beside, which places accesses between the tickets of other threads.
// Layout   ChannelHead, then kMostBuffers BufferHeads, then the buffers. The file grows by segments of kSegmentBuffers.
// Buffers  kFree -> kTaken -> kFilling (a thread has it) -> kFull (the thread has another, or is gone) -> kFree (the
//          recorder has read it). The recorder reads `filled` and what lies before; only the thread writes beyond.
//
//   record   63       56 55     48 47                             0
//           +-----------+---------+--------------------------------+
//           | detail    | what    | address                        |
//           +-----------+---------+----------------+---------------+
//           | stamp (32 bits)              | call path (32 bits)   |
//           +------------------------------+-----------------------+      an access ends here: one unit
//           | ticket (0: it has none)                              |
//           | more: a size, an object, another thread              |
//           +------------------------------------------------------+      texts follow, in whole units
//
// Stamps   A look at the clock costs more than everything else about a record. So a thread uses its last one again, for
//          kUnitsAStamp units at most and as long as nobody has changed `pulse`. The recorder changes it at each of its looks,
//          which makes an old stamp a millisecond old at most. Threads change it when they write a record that has to
//          come before what another thread does, although nothing need order the two: fresh memory, memory that
//          goes away, call paths, modules. These records have a stamp of their own.
//
// A killed program leaves everything that it wrote. A program whose recorder is gone goes on without being recorded.
#pragma once

#include <atomic>
#include <cstdint>

namespace deadheat::recording {

enum class What : uint8_t {
  kNone,
  // Accesses: `detail` is log2 of the size; kRangeDetail: the size is in `more`, in a second unit.
  kRead,
  kWrite,
  kUse,  // of an object, in a way that conflicts only with its memory going away
  // Accesses from `address` on: `detail` is log2 of the size of one, `more` says how many and how far apart (row_of).
  kReadRow,
  kWriteRow,
  // Atomic operations: `detail` is the memory order, `more` the size.
  kLoad,
  kStore,
  kExchange,
  kExchangeFailed,
  kFence,
  // `more` is the lock.
  kLock,
  kUnlock,
  kReadLock,
  kReadUnlock,
  kUnlockForeign,  // by a thread that does not hold it
  kLockGone,       // its clocks are forgotten
  // `more` is the object: what a clock at an address takes and gives.
  kTake,
  kPost,
  kPostAnew,  // and what was posted before is forgotten
  kForget,
  kToldTake,
  kToldPost,
  kNotify,
  kWaited,
  // `more` is the other thread.
  kCreate,
  kBegin,
  kEnd,
  kJoin,
  // `more` is the size.
  kAllocate,
  kRelease,
  kFresh,
  kMove,  // `address` from, `more` bytes; then a unit with the new place
  // What call paths, modules and threads are.
  kNode,         // `path` is its id, `more` its key, `ticket` its parent
  kModule,       // from `address`, `more` bytes; then bias and length of the path, and the path
  kModuleGone,   // from `address`, `more` bytes
  kPaused,       // `detail`: plain accesses are left out from here on, or not any more
  kThreadName,   // `more` is the thread; then 16 bytes
  kBenign,       // races of `more` bytes at `address` are not told from here on
  kSuppression,  // a part of the program's own suppressions, as a module with its path
};

inline constexpr uint8_t kRangeDetail = 15;
inline constexpr unsigned kUnit = 16;

struct Unit {
  uint64_t head;  // detail, what, address
  uint64_t when;  // stamp, path
};
struct Tail {
  uint64_t ticket;
  uint64_t more;
};
static_assert(sizeof(Unit) == kUnit && sizeof(Tail) == kUnit);

constexpr uint64_t head_of(What what, uint8_t detail, uint64_t address) {
  return (address & 0xffffffffffff) | uint64_t{static_cast<uint8_t>(what)} << 48 | uint64_t{detail} << 56;
}
constexpr What what_in(uint64_t head) { return static_cast<What>(head >> 48 & 0xff); }
constexpr uint8_t detail_in(uint64_t head) { return static_cast<uint8_t>(head >> 56); }
constexpr uint64_t address_in(uint64_t head) { return head & 0xffffffffffff; }
constexpr bool is_short(What what, uint8_t detail) {
  return what >= What::kRead && what <= What::kUse && detail != kRangeDetail;
}

// What a loop over an array touches: `count` elements, each `step` bytes after the one before.
struct Row {
  uint32_t count;
  int32_t step;
};
inline constexpr uint32_t kMostOfARow = 4096;
constexpr uint64_t row_of(uint32_t count, int32_t step) { return uint64_t{static_cast<uint32_t>(step)} << 32 | count; }
constexpr Row row_in(uint64_t more) {
  return {static_cast<uint32_t>(more), static_cast<int32_t>(static_cast<uint32_t>(more >> 32))};
}
constexpr bool is_row(What what) { return what == What::kReadRow || what == What::kWriteRow; }

// The processor's clock in steps of 64: 32 bits of it are more than a minute.
inline constexpr unsigned kStampShift = 6;
inline constexpr uint32_t kUnitsAStamp = 24;
inline uint64_t clock_now() { return __builtin_ia32_rdtsc() >> kStampShift; }

enum class BufferState : uint32_t { kFree, kTaken, kFilling, kFull };

struct alignas(64) BufferHead {
  std::atomic<BufferState> state;
  uint32_t thread;               // set before kFilling
  uint32_t number;               // of the thread's buffers, from 0
  std::atomic<uint32_t> filled;  // units
};

inline constexpr uint64_t kChannelMagic = 0x3168632d74616568;
inline constexpr uint32_t kBufferBytes = 16384;
inline constexpr uint32_t kSegmentBuffers = 512;  // 8 MiB
inline constexpr uint32_t kMostBuffers = 32 * kSegmentBuffers;

struct ChannelHead {
  std::atomic<uint64_t> magic;  // set when the rest is there
  uint32_t process;
  uint32_t parent;                            // the process that was forked, if any
  uint32_t is_full;                           // every access is there
  std::atomic<uint32_t> paused;               // plain accesses are left out; set by the program, or by the recorder
  std::atomic<uint32_t> pulse;                // changes when threads must look at the clock anew
  alignas(64) std::atomic<uint64_t> ticket;   // the last one drawn
  alignas(64) std::atomic<uint32_t> buffers;  // that exist
  alignas(64) std::atomic<uint32_t> space;    // changes when buffers have become free
  std::atomic<uint32_t> waiting;              // threads that wait for that
};

inline constexpr uint64_t kHeadBytes = 4096;
inline constexpr uint64_t kBuffersAt = kHeadBytes + uint64_t{kMostBuffers} * sizeof(BufferHead);
constexpr uint64_t channel_bytes(uint32_t buffers) { return kBuffersAt + uint64_t{buffers} * kBufferBytes; }
static_assert(kBuffersAt % 4096 == 0);

}  // namespace deadheat::recording
