// Which cells of Goldilocks' update list an event of the trace is, and whether an access is ordered before a thread.
//
// State    thread: its element, Fr, Fa, the locks it holds, earlier answers;   lock: Lw, Lr, its holder;
//          barrier generation, semaphore, message, atomic object: one element each
// Promises `is_ordered(earlier, id, t)` iff the earlier access happens before what t does next. Every rule is a row of
//          the tables in docs/semantics.md; the paper's rules 2 to 7 are the rows of volatiles, locks, fork and join.
// Cost     O(1) for an event. A question is O(1) if a short cut answers it, else a walk over the list.
// Tested by test/rules/goldilocks_test.cpp, test/differential
#pragma once

#include "detect/access_set.h"
#include "detect/atomic_clocks.h"
#include "detect/barrier.h"
#include "detect/detector.h"
#include "detect/update_list.h"

namespace deadheat {

// An access that is remembered, in 28 bytes: there are two in every variable's state.
struct RememberedAccess {
  Position position = 0;  // in the update list; 0: there is no such access
  ThreadId owner{};
  uint32_t alock = 0;  // 1 + a lock that was held in write mode at this very access; 0 if none was
  Origin origin;

  bool exists() const { return position != 0; }
} __attribute__((packed, aligned(4)));
static_assert(sizeof(RememberedAccess) == 28);

class GoldilocksOrder {
 public:
  // What answered the question whether one access is ordered before another; the cheapest first.
  enum class Answer : uint8_t { kSameThread, kLockHeld, kLockset };

 private:
  // An element that is no thread, made when it first holds something.
  struct Clock {
    Element element = kNoElement;
    uint32_t known_to = 0;  // 1 + a thread that is in every lockset this element is in; 0 if none is known
    bool is_empty = true;   // in no lockset
  };
  // What the list said about one owner's accesses: all up to `yes` are ordered before the thread; those from `no` on
  // were not when the thread had learnt `as_of`. Both ways because the accesses of one owner are ordered.
  struct Told {
    uint32_t owner = 0;  // 1 + ThreadId
    Position yes = 0;
    Position no = 0;
    Position as_of = 0;
  };
  struct Held {
    uint32_t lock;
    Position since;
  };
  static constexpr uint32_t kTold = 64;  // owners remembered; a later one takes the place of an earlier

 public:
  struct Thread {
    Element element = kNoElement;  // none: the thread was not seen yet
    Position published = 0;        // accesses of this thread from here on are known to nobody else
    Position learnt = 0;           // from here on the thread was added to no lockset
    Told* told = nullptr;          // kTold of them
    ArenaVector<Held> writer_of, reader_of;
    Clock Fr, Fa;
  };

  explicit GoldilocksOrder(Arena& arena) : arena_(arena), list_(arena) {}
  void configure(const DetectorOptions& options);

  void sync(const Event& e);
  void acquire_part(const Event& e);
  void release_part(const Event& e);
  void forget_atomics(AtomicKey first, uint64_t count);

  Thread& thread(ThreadId id) {
    Thread& t = threads_.at(arena_, index(id));
    if (t.element == kNoElement) [[unlikely]]
      begin(t);
    return t;
  }

  // An access that happens now takes the place of `former`, which may be none.
  void remember(const Access& a, const Thread& t, RememberedAccess& former);
  void copy(const RememberedAccess& access);  // there is one more like it
  void forget(const RememberedAccess& access);
  // No publication of t lies between the access and now.
  bool is_in_same_epoch(const RememberedAccess& earlier, ThreadId id, const Thread& t) const {
    return earlier.position >= t.published && earlier.owner == id && earlier.exists();
  }
  // An access in the same epoch is as good as one that happens now: it must not hold back the list.
  void keep_up(RememberedAccess& access) {
    if (!list_.counted_together(access.position, list_.tail())) [[unlikely]]
      keep_up_slow(access);
  }

  bool is_ordered(const RememberedAccess& earlier, ThreadId id, Thread& t);
  // The same, but where the answer would need a long walk it is no, which may be wrong.
  bool is_plainly_ordered(const RememberedAccess& earlier, ThreadId id, Thread& t) {
    return earlier.owner == id || holds_lock_of(earlier, id, t) ||
           earlier.position <= told_about(earlier.owner, t).yes ||
           (list_.tail() - earlier.position <= kShortWalk && is_told_ordered(earlier, t));
  }

  // The dearest answer since the last call.
  Answer take_answer() { return std::exchange(answer_, Answer::kSameThread); }
  void count(CounterSink& sink) const;

  // For tests: whether a thread, or a lock (its Lw), is in the access's lockset now.
  bool lockset_contains(const RememberedAccess& access, ThreadId id) {
    return list_.reaches(thread(access.owner).element, access.position, thread(id).element);
  }
  bool lockset_contains(const RememberedAccess& access, LockId id) {
    const Element lock = locks_.at(arena_, index(id)).Lw.element;
    return lock != kNoElement && list_.reaches(thread(access.owner).element, access.position, lock);
  }
  const UpdateList& list() const { return list_; }

 private:
  struct Lock {
    Clock Lw, Lr;
    uint32_t writer = 0;      // 1 + ThreadId
    uint32_t readers = 0;     // how many
    Position valid_from = 0;  // earlier holders say nothing: a release was missing
  };
  // Cells; one or two microseconds, and more than a barrier of 256 threads makes.
  static constexpr uint64_t kShortWalk = 1024;

  static uint32_t plus_one(ThreadId id) { return static_cast<uint32_t>(id) + 1; }
  void begin(Thread& t);
  struct Party;
  // An atomic object, of which most have no clock: S by its key.
  struct AtomicObject {
    AtomicKey key;
  };
  void clear(Clock& X);
  void retire(Clock& X);
  void fork(const Event& e, Thread& parent);
  void join(const Event& e, Thread& joiner);
  void lock(const Event& e, Thread& t);
  void unlock(const Event& e, Thread& t);
  void keep_up_slow(RememberedAccess& access);
  bool holds_lock_of(const RememberedAccess& earlier, ThreadId id, const Thread& t) const;
  uint32_t choose_lock(const Access& a, const Thread& t, uint32_t former) const;
  Told& told_about(ThreadId owner, Thread& t);
  void tell(Thread& t, ThreadId owner, Position up_to);
  bool is_told_ordered(const RememberedAccess& earlier, Thread& t);
  bool answered(Answer answer, bool ordered) {
    answer_ = std::max(answer_, answer);
    return ordered;
  }

  Arena& arena_;
  UpdateList list_;
  uint64_t seed_ = 1;
  IdTable<Thread> threads_;
  IdTable<Lock> locks_;
  IdTable<Barrier<Clock>> barriers_;
  IdTable<Clock> semaphores_;
  IdTable<Clock> messages_;
  AtomicClocks<Clock> atomics_;  // S, by atomic_key
  Answer answer_ = Answer::kSameThread;
  uint64_t asked_ = 0;  // questions that no short cut answered
  uint64_t walks_ = 0;  // and that had to be answered by a walk
};

}  // namespace deadheat
