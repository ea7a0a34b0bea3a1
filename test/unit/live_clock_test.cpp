// LiveClock against maps, under the protocol of threads that publish and learn: many slots, shared pages, pure clocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "live/ground/heap.h"
#include "live/ground/inside.h"
#include "live/order/clock.h"

namespace deadheat::live {
namespace {

using NaiveClock = std::map<uint32_t, Clock>;

bool naive_join(NaiveClock& to, const NaiveClock& from) {
  bool learned = false;
  for (const auto& [slot, clock] : from)
    if (clock > to[slot]) to[slot] = clock, learned = true;
  return learned;
}

// Around the ends of what is part of the clock (8 entries) and of pages (64 entries each).
const std::vector<uint32_t> kSlots = {0, 1, 7, 8, 9, 62, 63, 64, 65, 127, 128, 200, 255, 256};

struct ModelThread {
  LiveClock C;
  NaiveClock naive;
  Slot slot{};
  bool learned = true;

  Epoch publish_epoch() const { return Epoch(slot, C.own().clock() - !learned); }
  void tick() {
    if (!learned) return;
    C.set_own(Epoch(slot, C.own().clock() + 1));
    naive[static_cast<uint32_t>(index(slot))] = C.own().clock();
    learned = false;
  }
};

struct Clocks {
  std::vector<std::unique_ptr<ModelThread>> threads;
  LiveClock objects[6];
  NaiveClock naive[6];

  explicit Clocks(std::mt19937_64& random) {
    std::vector<uint32_t> slots = kSlots;
    std::shuffle(slots.begin(), slots.end(), random);
    slots.resize(2 + random() % (kSlots.size() - 1));
    for (const uint32_t slot : slots) {
      auto& t = *threads.emplace_back(std::make_unique<ModelThread>());
      t.slot = Slot{slot};
      t.C.set_own(Epoch(t.slot, 1));
      t.naive[slot] = 1;
    }
  }
  ~Clocks() {
    for (auto& t : threads) t->C.clear();
    for (LiveClock& object : objects) object.clear();
  }

  void step(std::mt19937_64& random) {
    ModelThread& t = *threads[random() % threads.size()];
    const size_t o = random() % 6, other = random() % 6;
    NaiveClock published = t.naive;
    published[static_cast<uint32_t>(index(t.slot))] = t.publish_epoch().clock();
    switch (random() % 8) {
      case 0:
      case 1:  // acquire
      {
        const bool learned = t.C.join(objects[o]);
        t.learned |= learned;
        ASSERT_TRUE(!naive_join(t.naive, naive[o]) || learned);
      } break;
      case 2:  // release: S := C
        objects[o].assign(t.C, t.publish_epoch());
        naive[o] = published;
        ASSERT_TRUE(objects[o].pure());
        t.tick();
        break;
      case 3:  // S := S join C
        if (objects[o].empty())
          objects[o].assign(t.C, t.publish_epoch());
        else
          objects[o].join(t.C, t.publish_epoch());
        naive_join(naive[o], published);
        t.tick();
        break;
      case 4:
        objects[o].assign(objects[other]);
        naive[o] = naive[other];
        break;
      case 5: {
        const bool learned = objects[o].join(objects[other]);  // true also for a page with nothing new in it
        ASSERT_TRUE(!naive_join(naive[o], NaiveClock(naive[other])) || learned);
      } break;
      case 6:
        t.learned = true;  // an access in this epoch: the next publication has an entry of its own
        break;
      default:
        if (random() % 4 == 0) {
          objects[o].clear();
          naive[o].clear();
          ASSERT_TRUE(objects[o].empty());
        }
    }
  }

  void compare() const {
    const auto same = [](const LiveClock& clock, NaiveClock model) {
      bool any = false;
      for (const uint32_t slot : kSlots) {
        ASSERT_EQ(clock[Slot{slot}], model[slot]) << "slot " << slot;
        ASSERT_TRUE(clock.knows(Epoch(Slot{slot}, model[slot])));
        ASSERT_FALSE(clock.knows(Epoch(Slot{slot}, model[slot] + 1)));
        any |= model[slot] != 0;
      }
      if (any) {
        ASSERT_FALSE(clock.empty());
      }
    };
    for (const auto& t : threads) same(t->C, t->naive);
    for (int i = 0; i < 6; ++i) same(objects[i], naive[i]);
  }
};

TEST(LiveClock, IsAVectorClock) {
  const Inside inside;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    Clocks clocks(random);
    for (int i = 0; i < 150; ++i) {
      clocks.step(random);
      if (testing::Test::HasFatalFailure()) return;
      if (i % 5 == 0) clocks.compare();
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

// Pages are counted: a history that is over leaves no memory behind, and none is given back twice.
TEST(LiveClock, GivesItsPagesBack) {
  const Inside inside;
  size_t mapped = 0;
  for (int round = 0; round < 40; ++round) {
    std::mt19937_64 random(7);  // the same history: it needs the same memory
    {
      Clocks clocks(random);
      for (int i = 0; i < 200 && !HasFatalFailure(); ++i) clocks.step(random);
      clocks.compare();
    }
    if (HasFatalFailure()) return;
    if (round == 0) mapped = heap_bytes_mapped();
  }
  EXPECT_EQ(heap_bytes_mapped(), mapped);
}

TEST(LiveClock, AThreadThatKnowsAPureClockAsksNoFurther) {
  const Inside inside;
  LiveClock a, b, object;
  a.set_own(Epoch(Slot{3}, 5));
  b.set_own(Epoch(Slot{70}, 9));
  object.assign(a, a.own());
  EXPECT_TRUE(b.join(object));
  EXPECT_FALSE(b.join(object));
  EXPECT_FALSE(object.pure() && !b.knows(object.own()));
  object.join(b, b.own());
  EXPECT_FALSE(object.pure());  // of two threads: knowing one entry says nothing of the other
  for (LiveClock* clock : {&a, &b, &object}) clock->clear();
}

}  // namespace
}  // namespace deadheat::live
