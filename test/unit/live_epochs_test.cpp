// Epoch ids under random histories with few chunks: what is named keeps its meaning, what is not is used again.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

#include "live/ground/options.h"
#include "live/order/epochs.h"
#include "live_rooms.h"

namespace deadheat::live::test {
namespace {

struct Meaning {
  Epoch epoch;
  ThreadUid owner;
};

class Epochs : public testing::Test {
 protected:
  void SetUp() override { start_rooms(); }
  void TearDown() override { options.epoch_draws = 0; }

  // The thread ticks; its new id is named from now on if `name` says so.
  void tick_once(Actor& actor, bool name) {
    actor.run([&](Thread& t) {
      t.used = true;
      tick(t);
      if (name) {
        above.named_ids.insert(t.current);
        meanings[t.current] = {t.C.own(), t.uid};
      }
    });
  }
  void forget_one(std::mt19937_64& random) {
    if (meanings.empty()) return;
    auto it = meanings.lower_bound(static_cast<EpochId>(random() % 128));
    if (it == meanings.end()) it = meanings.begin();
    above.named_ids.erase(it->first);
    meanings.erase(it);
  }
  void check() const {
    for (const auto& [id, meaning] : meanings) {
      ASSERT_EQ(epoch_of(id), meaning.epoch) << "id " << number_of(id);
      ASSERT_EQ(owner_of(id), meaning.owner) << "id " << number_of(id);
    }
  }

  std::map<EpochId, Meaning> meanings;
};

TEST_F(Epochs, NamedOnesKeepTheirMeaning) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    options.epoch_draws = seed % 2 == 0 ? 0 : static_cast<int>(1 + random() % 8);
    std::vector<std::unique_ptr<Actor>> actors(5);
    for (auto& actor : actors) actor = std::make_unique<Actor>();
    for (int i = 0; i < 2'000; ++i) {
      if (random() % 50 == 0) actors[random() % 5] = std::make_unique<Actor>();
      tick_once(*actors[random() % 5], random() % 3 == 0);
      while (meanings.size() > 25) forget_one(random);
      if (i % 20 == 0) check();
      if (HasFatalFailure()) return;
    }
    EXPECT_GT(above.id_searches, 0u) << "2000 ids of 64 chunks: some were used again";
    above = {};
    meanings.clear();
  }
}

// A thread's own epochs stand in its ids, in order, also those to come of its chunk.
TEST_F(Epochs, AnIdIsTheEpochOfItsThread) {
  Actor actor, other;
  for (int i = 0; i < 500; ++i) {
    tick_once(actor, false);
    tick_once(other, false);
    actor.run([](Thread& t) {
      EXPECT_EQ(epoch_of(t.current), t.C.own());
      EXPECT_EQ(owner_of(t.current), t.uid);
      EXPECT_TRUE(is_ordered(t, t.current));
    });
    actor.run([&](Thread& t) { EXPECT_FALSE(is_ordered(t, other.thread().current)); });
  }
}

// What a thread found out about an id does not hold for the epoch that has the id after a collection.
TEST_F(Epochs, CollectionsForgetWhatThreadsKnewAboutIds) {
  options.epoch_draws = 1;
  Actor reader;
  for (int i = 0; i < 200; ++i) {
    Actor writer;
    const EpochId id = writer.thread().current;
    reader.run([&](Thread& t) {
      EXPECT_FALSE(is_ordered(t, id)) << "round " << i;
      learn(t, writer.thread().C);
      EXPECT_TRUE(is_ordered(t, id));
    });
  }
}

// Where every chunk is named, threads go on under the id they had, and what is named stays true.
TEST_F(Epochs, WhereAllAreNamedTheLastOneStays) {
  Actor actor;
  EpochId last{};
  bool refused = false;
  for (int i = 0; i < 200 && !refused; ++i) {
    last = actor.thread().current;
    tick_once(actor, true);
    refused = actor.thread().current == last;
    if (refused) meanings.erase(last), meanings[last] = {epoch_of(last), owner_of(last)};
    check();
  }
  EXPECT_TRUE(refused);
  EXPECT_GT(meanings.size(), 60u);
  above = {};
}

}  // namespace
}  // namespace deadheat::live::test
