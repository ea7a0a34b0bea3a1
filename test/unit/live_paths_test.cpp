// The tree of call paths under random histories: interning, origins with locks and by bytes, collections.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "live/paths/path_collection.h"
#include "live/paths/stacks.h"
#include "live_rooms.h"

namespace deadheat::live::test {
namespace {

using Path = std::vector<uint64_t>;  // keys from the root on

Path path_of(NodeId node) {
  Path path;
  for (; node != 0; node = stack_nodes[node].parent) path.insert(path.begin(), stack_nodes[node].key);
  return path;
}

void collect(const std::set<NodeId>& named) {
  stacks_begin_collection();
  for (const NodeId node : named) stack_mark(node);
  stacks_end_collection(0);
}

class Paths : public testing::Test {
 protected:
  void SetUp() override { start_rooms(); }

  const Inside inside;
};

TEST_F(Paths, EveryPathHasOneNode) {
  std::mt19937_64 random(1);
  std::map<Path, NodeId> nodes;
  std::vector<NodeId> all = {0};
  for (int i = 0; i < 6'000; ++i) {  // more than a table of the first size has room for
    const NodeId parent = all[random() % all.size()];
    const uint64_t key = random() % 3 == 0 ? access_key(random() % 40, 3) : frame_key(random() % 40);
    const NodeId node = stack_child(parent, key);
    Path path = path_of(parent);
    path.push_back(key);
    ASSERT_EQ(path_of(node), path);
    const auto [it, fresh] = nodes.emplace(path, node);
    ASSERT_EQ(it->second, node);
    if (fresh) all.push_back(node);
  }
}

TEST_F(Paths, CachesSayWhatTheTableSays) {
  std::mt19937_64 random(2);
  auto cache = std::make_unique<StackCache>();
  for (StackCache::Line& line : cache->first) line = {};
  for (int i = 0; i < 8'000; ++i) {
    const NodeId parent = static_cast<NodeId>(random() % 30);
    const uint64_t key = frame_key(0x1000 + random() % 50);
    ASSERT_EQ(cache->child(parent, key), stack_child(parent, key));
    if (i % 2'000 == 1'999) cache->release();
  }
  cache->release();
}

TEST_F(Paths, AnOriginIsItsAccessAndItsLocks) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 3'000; ++i) {
    const NodeId access = stack_child(0, access_key(0x2000 + random() % 60, what_code(0, 4, 1)));
    NodeId locks = 0;
    for (auto n = 1 + random() % 3; n != 0; --n)
      locks = stack_child(locks, lock_key(0x7000 + 8 * (random() % 6), random() % 2 == 0));
    const NodeId origin = origin_slow(access, locks);
    const Origin both = unpack(origin);
    ASSERT_EQ(both.access, access);
    ASSERT_EQ(both.locks, locks);
  }
  const Origin alone = unpack(stack_child(0, access_key(0x2000, what_code(0, 4, 1))));
  EXPECT_EQ(alone.locks, 0u);
}

// In each form an origin is both of its parts, and no other one is the same.
TEST_F(Paths, PackedOriginsAreApart) {
  std::set<NodeId> origins;
  for (const PackedForm& form : kPackedForms) {
    for (NodeId access = 0; access < 1u << form.access_bits; ++access)
      for (NodeId locks = kFirstLocks; locks < kFirstLocks + (1u << form.locks_bits); ++locks) {
        const NodeId origin = pack(form, access, locks);
        ASSERT_NE(origin & kPacked, 0u);
        ASSERT_EQ(unpack(origin).access, access);
        ASSERT_EQ(unpack(origin).locks, locks);
        ASSERT_TRUE(origins.insert(origin).second);
      }
    EXPECT_EQ(pack(form, 1u << form.access_bits, kFirstLocks), 0u);
    EXPECT_EQ(pack(form, 1, kFirstLocks + (1u << form.locks_bits)), 0u);
    EXPECT_EQ(pack(form, 1, kFirstLocks - 1), 0u);
  }
}

TEST_F(Paths, EveryByteOfAWordHasItsOrigin) {
  std::mt19937_64 random(4);
  auto cache = std::make_unique<StackCache>();
  for (StackCache::Line& line : cache->first) line = {};
  std::vector<NodeId> origins;
  for (unsigned i = 0; i < 5; ++i) origins.push_back(stack_child(0, access_key(0x3000 + i, what_code(0, 1, 1))));
  for (int round = 0; round < 3'000; ++round) {
    NodeId bytes[4];
    NodeId word = origins[random() % 5];
    for (NodeId& byte : bytes) byte = word;
    for (auto n = random() % 6; n != 0; --n) {
      const NodeId added = origins[random() % 5];
      const unsigned which = static_cast<unsigned>(1 + random() % 15);
      word = with_bytes(*cache, word, added, which);
      for (unsigned i = 0; i < 4; ++i)
        if ((which >> i & 1) != 0) bytes[i] = added;
    }
    unsigned seen = 0;
    const unsigned asked = static_cast<unsigned>(1 + random() % 15);
    each_origin(word, asked, [&](NodeId origin, unsigned part) {
      EXPECT_EQ(seen & part, 0u);
      seen |= part;
      for (unsigned i = 0; i < 4; ++i) {
        if ((part >> i & 1) == 0) continue;
        EXPECT_EQ(origin, bytes[i]) << "byte " << i << " of " << asked;
      }
    });
    ASSERT_EQ(seen, asked);
    if (round % 50 == 0) collect({});  // twice, and what the cache remembers are ids of other nodes
  }
  cache->release();
}

TEST_F(Paths, WhatIsNamedSurvivesCollections) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    std::map<NodeId, Path> named;
    const auto make = [&] {
      NodeId locks = 0;
      for (auto n = 1 + random() % 4; n != 0; --n)
        locks = stack_child(locks, lock_key(0x9000 + 8 * (random() % 50), random() % 2 == 0));
      if (random() % 3 == 0) return locks;
      const NodeId access = stack_child(0, access_key(0x4000 + random() % 200, what_code(0, 8, 0)));
      const NodeId origin = stack_child(access, under_key(locks));
      if (random() % 2 == 0) return origin;
      return stack_child(origin, bytes_key(access, static_cast<unsigned>(1 + random() % 15)));
    };
    // What a node stands for is its own path and, of `under`, the path of the locks.
    const auto meaning = [](NodeId node) {
      Path path = path_of(node);
      for (NodeId n = node; n != 0; n = stack_nodes[n].parent)
        if (stack_nodes[n].kind() == NodeKind::kUnder)
          for (const uint64_t key : path_of(static_cast<NodeId>(stack_nodes[n].address()))) path.push_back(key);
      return path;
    };
    NodeId highest = 0;
    for (int round = 0; round < 30; ++round) {
      for (int i = 0; i < 100; ++i) {
        const NodeId node = make();
        if (round < 10) {
          highest = std::max(highest, node);
        } else {
          ASSERT_LE(node, highest + 400) << "what nothing names is not used again";
        }
        if (random() % 8 == 0) named[node] = meaning(node);
      }
      while (named.size() > 60) named.erase(std::next(named.begin(), static_cast<long>(random() % named.size())));
      std::set<NodeId> nodes;
      for (const auto& [node, path] : named) nodes.insert(node);
      collect(nodes);
      for (const auto& [node, path] : named) ASSERT_EQ(meaning(node), path) << "node " << node;
    }
  }
}

TEST_F(Paths, WhatNothingNamesIsFreeAfterTheSecondCollection) {
  const NodeId one = stack_child(0, lock_key(0xa000, false));
  const NodeId two = stack_child(one, lock_key(0xa008, false));
  collect({});
  EXPECT_EQ(path_of(two).size(), 2u) << "a thread may have it in hand";
  const NodeId again = stack_child(one, lock_key(0xa008, false));
  EXPECT_NE(again, two) << "nobody finds what is about to be freed";
  collect({again});
  EXPECT_EQ(stack_nodes[two].key, ~uint64_t{0});
  EXPECT_EQ(path_of(again).size(), 2u);
  EXPECT_EQ(stack_child(0, lock_key(0xa000, false)), one) << "sets of one lock stay";
}

// With the rooms' own search: threads that hold locks name them, a shadow does.
TEST_F(Paths, ThreadsNameTheLocksTheyHold) {
  Actor actor;
  const NodeId held = actor.run([](Thread& t) {
    const NodeId alone = t.stack_cache.child(0, lock_key(0xb000, false));
    held_push(t, 0xb000, nullptr, false, 0, alone);
    held_push(t, 0xb008, nullptr, false, 0, t.stack_cache.child(0, lock_key(0xb008, false)));
    return held_node(t);
  });
  const Path path = path_of(held);
  for (int i = 0; i < 3; ++i) {
    stacks_begin_collection();
    threads_mark_paths();
    stacks_end_collection(0);
    EXPECT_EQ(path_of(held), path);
  }
  actor.run([](Thread& t) {
    held_pop(t);
    held_pop(t);
  });
}

}  // namespace
}  // namespace deadheat::live::test
