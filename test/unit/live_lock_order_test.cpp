// The graph of lock orders: by cases, and against a search of all cycles among all that was ever asked for.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>

#include "live/order/lock_order.h"
#include "live_rooms.h"

namespace deadheat::live::test {
namespace {

struct Wanted {
  unsigned lock;
  bool reading;
};

class LockOrder : public testing::Test {
 protected:
  void SetUp() override { start_rooms(); }
  void TearDown() override {
    const Inside inside;
    for (unsigned lock = 0; lock < 64; ++lock) lock_order_forget(place(lock));
  }
  static uintptr_t place(unsigned lock) { return 0x60000 + 64 * lock; }

  // The thread takes the locks in this order, each waited for, and gives them back. How many cycles were told.
  static size_t take(Actor& actor, const std::vector<Wanted>& locks) {
    const size_t before = above.cycles.size();
    actor.run([&](Thread& t) {
      for (const Wanted& wanted : locks) {
        const uintptr_t lock = place(wanted.lock);
        const NodeId where = t.stack_cache.child(kNoNode, frame_key(0x1000 + wanted.lock));
        if (t.held_count != 0) lock_order_waiting(t, lock, wanted.reading, where);
        held_push(t, lock, nullptr, wanted.reading, where,
                  t.stack_cache.child(kNoNode, lock_key(lock, wanted.reading)));
      }
      while (t.held_count != 0) held_pop(t);
    });
    return above.cycles.size() - before;
  }
  static size_t take_in_order(Actor& actor, std::initializer_list<unsigned> locks) {
    std::vector<Wanted> wanted;
    for (const unsigned lock : locks) wanted.push_back({lock, false});
    return take(actor, wanted);
  }

  Actor a, b, c, d;
};

TEST_F(LockOrder, TwoThreadsInOppositeOrders) {
  EXPECT_EQ(take_in_order(a, {1, 2}), 0u);
  EXPECT_EQ(take_in_order(b, {1, 2}), 0u);
  EXPECT_EQ(take_in_order(b, {2, 1}), 1u);
  ASSERT_EQ(above.cycles[0].length, 2u);
  std::set<uintptr_t> locks;
  for (unsigned i = 0; i < 2; ++i) locks.insert(above.cycles[0].steps[i].lock);
  EXPECT_EQ(locks, (std::set<uintptr_t>{place(1), place(2)}));
  EXPECT_NE(above.cycles[0].steps[0].thread, above.cycles[0].steps[1].thread);
  EXPECT_EQ(take_in_order(b, {2, 1}), 0u) << "it was told";
}

TEST_F(LockOrder, OneThreadDoesNotWaitForItself) {
  EXPECT_EQ(take_in_order(a, {1, 2}), 0u);
  EXPECT_EQ(take_in_order(a, {2, 1}), 0u);
}

TEST_F(LockOrder, ACommonOuterLockKeepsThemApart) {
  EXPECT_EQ(take_in_order(a, {0, 1, 2}), 0u);
  EXPECT_EQ(take_in_order(b, {0, 2, 1}), 0u);
}

TEST_F(LockOrder, ACommonOuterLockThatBothReadDoesNot) {
  EXPECT_EQ(take(a, {{0, true}, {1, false}, {2, false}}), 0u);
  EXPECT_EQ(take(b, {{0, true}, {2, false}, {1, false}}), 1u);
}

TEST_F(LockOrder, ReadersDoNotWaitForReaders) {
  EXPECT_EQ(take(a, {{1, true}, {2, false}}), 0u);
  EXPECT_EQ(take(b, {{2, false}, {1, true}}), 0u);
  EXPECT_EQ(take(c, {{2, false}, {1, false}}), 1u) << "a writer waits for the reader";
}

TEST_F(LockOrder, AsManyLocksAsThereAreThreads) {
  EXPECT_EQ(take_in_order(a, {1, 2}), 0u);
  EXPECT_EQ(take_in_order(b, {2, 3}), 0u);
  EXPECT_EQ(take_in_order(b, {3, 1}), 0u) << "two of the three are of one thread";
  EXPECT_EQ(take_in_order(c, {3, 1}), 1u);
  EXPECT_EQ(above.cycles[0].length, 3u);
}

// The second edge of the cycle was made by two threads, the third only by the first of these.
TEST_F(LockOrder, AnotherMakerOfAnEdgeWillDo) {
  EXPECT_EQ(take_in_order(b, {2, 3}), 0u);
  EXPECT_EQ(take_in_order(c, {2, 3}), 0u);
  EXPECT_EQ(take_in_order(b, {3, 1}), 0u);
  EXPECT_EQ(take_in_order(a, {1, 2}), 1u);
}

TEST_F(LockOrder, UpToEightLocks) {
  for (const unsigned length : {8u, 9u}) {
    std::vector<std::unique_ptr<Actor>> actors;
    const unsigned first = length == 8 ? 10 : 30;
    for (unsigned i = 0; i < length; ++i) {
      actors.push_back(std::make_unique<Actor>());
      const size_t told = take_in_order(*actors[i], {first + i, first + (i + 1) % length});
      EXPECT_EQ(told, i + 1 == 8 && length == 8 ? 1u : 0u);
    }
  }
}

TEST_F(LockOrder, ALockThatIsGoneHasNoOrder) {
  EXPECT_EQ(take_in_order(a, {1, 2}), 0u);
  b.run([](Thread&) { lock_order_forget(place(1)); });
  EXPECT_EQ(take_in_order(b, {2, 1}), 0u);
  EXPECT_EQ(take_in_order(a, {1, 2}), 1u) << "what threads remember of it is void, too";
}

// Every cycle that the conditions allow is told when its last edge is made, and no other.
struct Asked {
  unsigned from, to;
  bool from_reading, to_reading;
  std::vector<std::pair<unsigned, bool>> held;  // in the order of taking them
  size_t thread;
  bool operator==(const Asked&) const = default;
};

bool common(const Asked& a, const Asked& b) {
  for (const auto& [lock, reading] : a.held)
    for (const auto& [other, other_reading] : b.held)
      if (lock == other && !(reading && other_reading)) return true;
  return false;
}

bool closes(const std::vector<Asked>& all, std::vector<const Asked*>& path) {
  const Asked& last = *path.back();
  for (const Asked& next : all) {
    if (next.from != last.to || (last.to_reading && next.from_reading)) continue;
    bool fits = true;
    for (const Asked* on : path)
      fits &= on->thread != next.thread && !common(*on, next) && (on->from != next.to || on == path.front());
    if (!fits) continue;
    path.push_back(&next);
    const bool back = next.to == path.front()->from;
    if (back ? !(next.to_reading && path.front()->from_reading) : closes(all, path)) return true;
    path.pop_back();
  }
  return false;
}

TEST_F(LockOrder, AgreesWithASearchOfEverything) {
  size_t told = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    std::vector<Asked> all;
    Actor* const actors[] = {&a, &b, &c, &d};
    for (int i = 0; i < 14; ++i) {
      const size_t thread = random() % 4;
      std::vector<Wanted> locks;
      for (auto n = 2 + random() % 2; locks.size() < n;) {
        const unsigned lock = static_cast<unsigned>(random() % 4);
        bool there = false;
        for (const Wanted& w : locks) there |= w.lock == lock;
        if (!there) locks.push_back({lock, random() % 4 == 0});
      }
      bool expected = false;
      std::vector<std::pair<unsigned, bool>> held;
      for (size_t l = 0; l < locks.size(); ++l) {
        std::vector<Asked> fresh;
        for (size_t h = 0; h < l; ++h) {
          const Asked asked{locks[h].lock, locks[l].lock, locks[h].reading, locks[l].reading, held, thread};
          if (std::find(all.begin(), all.end(), asked) == all.end()) fresh.push_back(asked);
        }
        all.insert(all.end(), fresh.begin(), fresh.end());
        for (const Asked& asked : fresh) {
          std::vector<const Asked*> path = {&asked};
          expected |= closes(all, path);
        }
        held.emplace_back(locks[l].lock, locks[l].reading);
      }
      const size_t found = take(*actors[thread], locks);
      ASSERT_EQ(found != 0, expected) << "step " << i;
      told += found;
    }
    TearDown();
  }
  EXPECT_GT(told, 100u);
}

}  // namespace
}  // namespace deadheat::live::test
