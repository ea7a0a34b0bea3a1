// The rules of order, carried out by live threads on sync objects, against the vector clocks of recorded runs.
//
// Both play the same random operations; every access is remembered as the epoch that each side gives it. An access
// happens before what a thread does now, or it does not: both sides must say the same, of all accesses and threads.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <random>

#include "detect/happens_before.h"
#include "live/order/party.h"
#include "live_rooms.h"

namespace deadheat::live::test {
namespace {

struct Access {
  Epoch live, recorded;
};

class Play {
 public:
  explicit Play(uint64_t seed) : random_(seed) {
    for (uint32_t i = 0; i < kAtFirst; ++i) begin(nullptr);
  }
  ~Play() {
    for (const uint32_t i : alive_) actors_[i].reset();
    const Inside inside;
    for (uintptr_t object = 0; object < 64; ++object) {
      SyncLock lock(place(object));
      lock.remove();
    }
    for (auto& [key, generation] : generations_) generation->clear();
  }

  void step() {
    const uint32_t me = alive_[random_() % alive_.size()];
    switch (random_() % 12) {
      case 0:
        return access(me);
      case 1:
        return meet(me);
      case 2:
        if (alive_.size() < 6) return begin(&me);
        return join(me);
      case 3:
        return fence(me, any_order());
      case 4:
      case 5:
        return lock(me);
      case 6:
        return barrier(me);
      default:
        return atomic(me);
    }
  }

  void compare() {
    for (const uint32_t i : alive_)
      for (const Access& a : accesses_)
        ASSERT_EQ(actors_[i]->thread().C.knows(a.live), precedes(a.recorded, recorded_.thread(ThreadId{i}).C))
            << "thread " << i << ", access at clock " << a.live.clock() << " of slot " << index(a.live.slot());
  }

 private:
  static constexpr uint32_t kAtFirst = 3;
  static uintptr_t place(uintptr_t object) { return 0x10000 + 8 * object; }

  MemoryOrder any_order() { return static_cast<MemoryOrder>(random_() % 6); }
  Event event(uint32_t me, EventKind kind, uint64_t target, MemoryOrder order = MemoryOrder::kRelaxed) {
    return {.target = target, .thread = ThreadId{me}, .kind = kind, .order = order};
  }

  // A thread that nobody forked starts unordered with everybody on both sides; here each begins with an access.
  void begin(const uint32_t* parent) {
    const uint32_t child = static_cast<uint32_t>(actors_.size());
    if (parent == nullptr) {
      actors_.push_back(std::make_unique<Actor>());
      recorded_.thread(ThreadId{child});
    } else {
      actors_.push_back(std::make_unique<Actor>(*actors_[*parent]));
      recorded_.sync(event(*parent, EventKind::kFork, child));
    }
    alive_.push_back(child);
    access(child);
  }

  void join(uint32_t me) {
    const uint32_t other = alive_[random_() % alive_.size()];
    if (other == me || in_barrier_.contains(other)) return;
    actors_[me]->join(*actors_[other]);
    recorded_.sync(event(me, EventKind::kJoin, other));
    std::erase(alive_, other);
    actors_[other].reset();
  }

  void access(uint32_t me) {
    actors_[me]->run([&](Thread& t) {
      t.used = true;
      accesses_.push_back({t.C.own(), recorded_.thread(ThreadId{me}).E});
    });
    if (accesses_.size() > 40) accesses_.erase(accesses_.begin());
  }

  template <class Do>
  void party(uint32_t me, Do action) {
    actors_[me]->run([&](Thread& t) {
      Party party(t);
      action(party);
    });
  }

  void meet(uint32_t me) {
    const uintptr_t object = random_() % 2;
    const bool post = random_() % 2 == 0;
    party(me, [&](Party& p) {
      SyncLock lock(place(object));
      post ? order::post(p, lock) : order::wait(p, lock);
    });
    recorded_.sync(event(me, post ? EventKind::kPost : EventKind::kSemaphoreWait, object));
  }

  // Locks are taken and left at once, or left by somebody else: the rules do not ask.
  void lock(uint32_t me) {
    const uintptr_t object = random_() % 3;
    const auto kind = static_cast<unsigned>(random_() % 4);
    party(me, [&](Party& p) {
      SyncLock lock(place(8 + object));
      SyncObject& o = lock.make();
      if (kind == 0) order::lock(p, o.S, o.readers);
      if (kind == 1) order::unlock(p, o.S, o.readers);
      if (kind == 2) order::lock_shared(p, o.S);
      if (kind == 3) order::unlock_shared(p, o.readers);
    });
    constexpr EventKind kKinds[] = {EventKind::kAcquire, EventKind::kRelease, EventKind::kReadAcquire,
                                    EventKind::kReadRelease};
    recorded_.sync(event(me, kKinds[kind], object));
  }

  void barrier(uint32_t me) {
    // Two take part; a third waits for the next generation, which begins when both have entered.
    if (!in_barrier_.contains(me)) {
      if (entered_ == 2) ++generation_, entered_ = 0;
      ++entered_;
      in_barrier_[me] = generation_;
      auto& clock = generations_[generation_];
      if (clock == nullptr) clock = std::make_unique<LiveClock>();
      party(me, [&](Party& p) { order::post(p, *clock); });
      recorded_.sync(event(me, EventKind::kPost, 100 + generation_));
    } else if (in_barrier_[me] < generation_ || entered_ == 2) {
      party(me, [&](Party& p) { order::wait(p, *generations_[in_barrier_[me]]); });
      recorded_.sync(event(me, EventKind::kSemaphoreWait, 100 + in_barrier_[me]));
      in_barrier_.erase(me);
    }
  }

  void fence(uint32_t me, MemoryOrder order) {
    party(me, [&](Party& p) { order::fence(p, order); });
    recorded_.sync(event(me, EventKind::kFence, 0, order));
  }

  void atomic(uint32_t me) {
    const uintptr_t object = random_() % 3;
    const MemoryOrder order = any_order();
    const auto kind = static_cast<unsigned>(random_() % 3);
    party(me, [&](Party& p) {
      SyncLock lock(place(32 + object));
      if (kind != 1) order::atomic_read(p, lock, order);
      if (kind == 1) order::atomic_store(p, lock, order);
      if (kind == 2) order::atomic_modify(p, lock, order);
    });
    constexpr EventKind kKinds[] = {EventKind::kAtomicLoad, EventKind::kAtomicStore, EventKind::kAtomicRmw};
    const Event e = event(me, kKinds[kind], object, order);
    recorded_.acquire_part(e);
    recorded_.release_part(e);
  }

  std::mt19937_64 random_;
  Arena arena_;
  HappensBefore recorded_{arena_};
  std::vector<std::unique_ptr<Actor>> actors_;
  std::vector<uint32_t> alive_;
  std::vector<Access> accesses_;
  std::map<uint32_t, uint32_t> in_barrier_;  // thread -> generation
  std::map<uint32_t, std::unique_ptr<LiveClock>> generations_;
  uint32_t generation_ = 0, entered_ = 0;
};

TEST(LiveOrder, AgreesWithRecordedRuns) {
  start_rooms();
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Play play(seed);
    for (int i = 0; i < 150; ++i) {
      play.step();
      play.compare();
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

// Objects are found by address, and gone with the memory around them.
TEST(LiveOrder, ObjectsGoWithTheirMemory) {
  start_rooms();
  Actor writer, reader;
  const auto post = [](Actor& actor, uintptr_t object) {
    actor.run([&](Thread& t) {
      t.used = true;
      {
        Party p(t);
        SyncLock lock(object);
        order::post(p, lock);
      }
      return t.C.own();
    });
  };
  const auto learns = [](Actor& actor, uintptr_t object) {
    return actor.run([&](Thread& t) {
      t.learned = false;
      Party p(t);
      SyncLock lock(object);
      order::wait(p, lock);
      return t.learned;
    });
  };
  for (uintptr_t object = 0x50000; object < 0x50200; object += 8) post(writer, object);
  reader.run([](Thread&) { sync_forget_range(0x50048, 0x39); });
  for (uintptr_t object = 0x50048; object <= 0x50080; object += 8) EXPECT_FALSE(learns(reader, object));
  EXPECT_TRUE(learns(reader, 0x50038));
  EXPECT_TRUE(learns(reader, 0x50040)) << "of the same cache line, but not freed";
  post(writer, 0x50100);
  reader.run([](Thread&) { sync_move_range(0x50100, 0x50108, 0x40); });  // overlapping
  EXPECT_FALSE(learns(reader, 0x50100));
  EXPECT_TRUE(learns(reader, 0x50108));
  reader.run([](Thread&) { sync_forget_range(0x50000, 0x1000); });
}

// A fork comes while a thread is being made that has not begun, and has the slot of one that ended. The child must know what
// that one did.
TEST(LiveOrder, TheChildOfAForkKnowsFormerOwnersOfSlots) {
  start_rooms();
  const auto child_knows = [] {
    Actor forker, creator, worker(creator);
    const Epoch done = worker.run([](Thread& t) {
      t.used = true;
      return t.C.own();
    });
    creator.join(worker);
    const Slot slot = creator.run([](Thread& t) { return thread_create(t, kNoNode)->slot; });
    if (slot != done.slot() || forker.thread().C.knows(done)) return false;  // the test shows nothing
    return forker.run([done](Thread& t) {
      threads_after_fork();
      return t.C.knows(done);
    });
  };
  EXPECT_EXIT(std::_Exit(child_knows() ? 0 : 1), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace deadheat::live::test
