// Clocks that share their entries, against plain ones: the same values after every operation, and no walk where none is due.
#include "base/shared_clock.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace deadheat::test {
namespace {

using Plain = std::vector<Clock>;

void join(Plain& mine, const Plain& theirs) {
  for (size_t i = 0; i < mine.size(); ++i) mine[i] = std::max(mine[i], theirs[i]);
}

// Threads and objects, each with both kinds of clock.
class Both {
 public:
  Both(uint32_t threads, uint32_t objects) : threads_(threads), objects_(objects) {
    for (uint32_t t = 0; t < threads; ++t) {
      threads_[t].plain.resize(threads);
      tick(t);
      threads_[t].learnt = 1;
    }
    for (Object& o : objects_) o.plain.resize(threads);
  }

  void take(uint32_t t, uint32_t o) {
    Thread& thread = threads_[t];
    const Plain before = thread.plain;
    join(thread.plain, objects_[o].plain);
    const bool learnt = thread.clock.join(arena, cost, objects_[o].clock, thread.learnt);
    if (learnt) thread.learnt = thread.plain[t];
    EXPECT_TRUE(learnt || thread.plain == before) << "something was learnt and not said";
  }
  void publish(uint32_t t, uint32_t o, bool assigns) {
    put(objects_[o], threads_[t].clock, threads_[t].plain, assigns);
    tick(t);
  }
  void pass_on(uint32_t from, uint32_t to, bool assigns) {
    if (from == to || objects_[from].clock.empty()) return;
    put(objects_[to], objects_[from].clock, objects_[from].plain, assigns);
  }
  void clear(uint32_t o) {
    objects_[o].clock.release(arena);
    objects_[o].plain.assign(threads_.size(), 0);
  }
  void release_all() {
    for (Thread& t : threads_) t.clock.release(arena);
    for (Object& o : objects_) o.clock.release(arena);
  }

  void expect_equal() const {
    for (const Thread& t : threads_) expect_equal(t.clock, t.plain);
    for (const Object& o : objects_) expect_equal(o.clock, o.plain);
  }

  Arena arena;
  VectorClockCost cost;

 private:
  struct Object {
    SharedClock clock;
    Plain plain;
  };
  struct Thread : Object {
    Clock learnt = 0;
  };

  void put(Object& to, const SharedClock& clock, const Plain& plain, bool assigns) {
    if (assigns) {
      to.plain = plain;
      to.clock.assign(arena, clock);
    } else {
      join(to.plain, plain);
      to.clock.gather(arena, cost, clock);
    }
  }
  void tick(uint32_t t) { threads_[t].clock.set_own(Epoch(static_cast<Slot>(t), ++threads_[t].plain[t])); }
  static void expect_equal(const SharedClock& clock, const Plain& plain) {
    for (uint32_t i = 0; i < plain.size(); ++i) ASSERT_EQ(clock[static_cast<Slot>(i)], plain[i]) << "slot " << i;
    EXPECT_EQ(clock.empty(), plain == Plain(plain.size()));
  }

  std::vector<Thread> threads_;
  std::vector<Object> objects_;
};

TEST(SharedClock, HasTheValuesOfAPlainOne) {
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    const uint32_t threads = 2 + below(20), objects = 1 + below(6);
    Both both(threads, objects);
    // Some runs hand over almost everything through one object, as a lock does.
    const bool is_hand_over = below(2) == 0;
    for (int step = 0; step < 400; ++step) {
      const uint32_t t = below(threads), o = is_hand_over && below(16) != 0 ? 0 : below(objects);
      switch (below(is_hand_over ? 66 : 10)) {
        case 0:
          both.pass_on(o, below(objects), true);
          break;
        case 1:
          both.pass_on(o, below(objects), false);
          break;
        case 2:
          both.clear(o);
          break;
        case 3:
        case 4:
          both.publish(t, o, false);
          break;
        case 5:
        case 6:
          both.take(t, o);
          break;
        case 7:
          both.publish(t, o, true);
          break;
        default:
          both.take(t, o);
          both.publish(t, o, true);
      }
      both.expect_equal();
      if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
    both.release_all();
    EXPECT_EQ(both.arena.bytes_in_use(), 0u);
  }
}

// However many threads hand a lock over, nobody walks over a clock, but for a line that is full: once in as many changes as
// it has entries.
TEST(SharedClock, AHandOverDoesNotWalk) {
  constexpr uint32_t kThreads = 512, kRounds = 8;
  Both both(kThreads, 1);
  both.publish(0, 0, true);
  const auto round = [&] {
    for (uint32_t t = 0; t < kThreads; ++t) {
      both.take(t, 0);
      both.publish(t, 0, true);
    }
  };
  round();
  const uint64_t before = both.cost.operations;
  for (uint32_t i = 0; i < kRounds; ++i) round();
  EXPECT_LE(both.cost.operations - before, 2 * kRounds);
  both.expect_equal();
}

// A barrier: all enter, all leave.
TEST(SharedClock, ABarrierDoesNotWalk) {
  constexpr uint32_t kThreads = 512, kRounds = 8;
  Both both(kThreads, kRounds);
  uint64_t before = 0;
  for (uint32_t generation = 0; generation < kRounds; ++generation) {
    if (generation == 2) before = both.cost.operations;
    for (uint32_t t = 0; t < kThreads; ++t) both.publish(t, generation, false);
    for (uint32_t t = 0; t < kThreads; ++t) both.take(t, generation);
  }
  EXPECT_LE(both.cost.operations - before, 2 * kRounds);
  both.expect_equal();
}

}  // namespace
}  // namespace deadheat::test
