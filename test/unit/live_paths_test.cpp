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
  for (; node != kNoNode; node = node_at(node).parent) path.insert(path.begin(), node_at(node).key);
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
  std::vector<NodeId> all = {kNoNode};
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
    const NodeId access = stack_child(kNoNode, access_key(0x2000 + random() % 60, what_code(0, 4, 1)));
    NodeId locks{};
    for (auto n = 1 + random() % 3; n != 0; --n)
      locks = stack_child(locks, lock_key(0x7000 + 8 * (random() % 6), random() % 2 == 0));
    const OriginId origin = origin_slow(access, locks);
    const Origin both = unpack(origin);
    ASSERT_EQ(both.access, access);
    ASSERT_EQ(both.locks, locks);
  }
  const Origin alone = unpack(as_origin(stack_child(kNoNode, access_key(0x2000, what_code(0, 4, 1)))));
  EXPECT_EQ(alone.locks, kNoNode);
}

// In each form an origin is both of its parts, and no other one is the same.
TEST_F(Paths, PackedOriginsAreApart) {
  std::set<OriginId> origins;
  const NodeId first_access{1}, first_locks{kFirstLocks};
  for (const PackedForm& form : kPackedForms) {
    const uint32_t accesses = 1u << form.access_bits, sets = 1u << form.locks_bits;
    for (uint32_t access = 0; access < accesses; ++access)
      for (uint32_t locks = kFirstLocks; locks < kFirstLocks + sets; ++locks) {
        const OriginId origin = pack(form, NodeId{access}, NodeId{locks});
        ASSERT_TRUE(is_packed(origin));
        ASSERT_EQ(unpack(origin).access, NodeId{access});
        ASSERT_EQ(unpack(origin).locks, NodeId{locks});
        ASSERT_TRUE(origins.insert(origin).second);
      }
    EXPECT_EQ(pack(form, NodeId{accesses}, first_locks), kNoOrigin);
    EXPECT_EQ(pack(form, first_access, NodeId{kFirstLocks + sets}), kNoOrigin);
    EXPECT_EQ(pack(form, first_access, NodeId{kFirstLocks - 1}), kNoOrigin);
  }
}

TEST_F(Paths, EveryByteOfAWordHasItsOrigin) {
  std::mt19937_64 random(4);
  auto cache = std::make_unique<StackCache>();
  for (StackCache::Line& line : cache->first) line = {};
  std::vector<OriginId> origins;
  for (unsigned i = 0; i < 5; ++i)
    origins.push_back(as_origin(stack_child(kNoNode, access_key(0x3000 + i, what_code(0, 1, 1)))));
  for (int round = 0; round < 3'000; ++round) {
    OriginId bytes[4];
    OriginId word = origins[random() % 5];
    for (OriginId& byte : bytes) byte = word;
    for (auto n = random() % 6; n != 0; --n) {
      const OriginId added = origins[random() % 5];
      const unsigned which = static_cast<unsigned>(1 + random() % 15);
      word = with_bytes(*cache, word, added, which);
      for (unsigned i = 0; i < 4; ++i)
        if ((which >> i & 1) != 0) bytes[i] = added;
    }
    unsigned seen = 0;
    const unsigned asked = static_cast<unsigned>(1 + random() % 15);
    each_origin(word, asked, [&](OriginId origin, unsigned part) {
      EXPECT_EQ(seen & part, 0u);
      seen |= part;
      for (unsigned i = 0; i < 4; ++i) {
        if ((part >> i & 1) == 0) continue;
        EXPECT_EQ(origin, bytes[i]) << "byte " << i << " of " << asked;
      }
    });
    ASSERT_EQ(seen, asked);
    if (round % 50 != 0) continue;
    collect({});
    collect({});  // what the cache remembers are ids of other nodes from now on
  }
  cache->release();
}

// The id of a node that is gone is given to another; a cache that remembers it must not hand it out.
TEST_F(Paths, CachesForgetWhatACollectionMayFree) {
  auto cache = std::make_unique<StackCache>();
  for (StackCache::Line& line : cache->first) line = {};
  const NodeId access = stack_child(kNoNode, access_key(0x3100, what_code(0, 1, 1)));
  const OriginId other = as_origin(stack_child(kNoNode, access_key(0x3101, what_code(0, 1, 1))));
  const uint64_t key = bytes_key(other, 3);
  const NodeId before = cache->collected_child(access, key);
  EXPECT_EQ(cache->collected_child(access, key), before);
  collect({});
  collect({});
  for (uint64_t i = 0; stack_child(access, bytes_key(OriginId{0x5000u + static_cast<uint32_t>(i)}, 1)) != before; ++i)
    ASSERT_LT(i, 100'000u) << "the id is not used again";
  const NodeId after = cache->collected_child(access, key);
  EXPECT_NE(after, before);
  EXPECT_EQ(node_at(after).parent, access);
  EXPECT_EQ(node_at(after).key, key);
}

TEST_F(Paths, WhatIsNamedSurvivesCollections) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    std::map<NodeId, Path> named;
    const auto make = [&] {
      NodeId locks{};
      for (auto n = 1 + random() % 4; n != 0; --n)
        locks = stack_child(locks, lock_key(0x9000 + 8 * (random() % 50), random() % 2 == 0));
      if (random() % 3 == 0) return locks;
      const NodeId access = stack_child(kNoNode, access_key(0x4000 + random() % 200, what_code(0, 8, 0)));
      const NodeId origin = stack_child(access, under_key(locks));
      if (random() % 2 == 0) return origin;
      return stack_child(origin, bytes_key(as_origin(access), static_cast<unsigned>(1 + random() % 15)));
    };
    // What a node stands for is its own path and, of `under`, the path of the locks.
    const auto meaning = [](NodeId node) {
      Path path = path_of(node);
      for (NodeId n = node; n != kNoNode; n = node_at(n).parent)
        if (node_at(n).kind() == NodeKind::kUnder)
          for (const uint64_t key : path_of(static_cast<NodeId>(node_at(n).address()))) path.push_back(key);
      return path;
    };
    uint32_t highest = 0;
    for (int round = 0; round < 30; ++round) {
      for (int i = 0; i < 100; ++i) {
        const NodeId node = make();
        if (round < 10) {
          highest = std::max(highest, number_of(node));
        } else {
          ASSERT_LE(number_of(node), highest + 400) << "what nothing names is not used again";
        }
        if (random() % 8 == 0) named[node] = meaning(node);
      }
      while (named.size() > 60) named.erase(std::next(named.begin(), static_cast<long>(random() % named.size())));
      std::set<NodeId> nodes;
      for (const auto& [node, path] : named) nodes.insert(node);
      collect(nodes);
      for (const auto& [node, path] : named) ASSERT_EQ(meaning(node), path) << "node " << number_of(node);
    }
  }
}

TEST_F(Paths, WhatNothingNamesIsFreeAfterTheSecondCollection) {
  const NodeId one = stack_child(kNoNode, lock_key(0xa000, false));
  const NodeId two = stack_child(one, lock_key(0xa008, false));
  collect({});
  EXPECT_EQ(path_of(two).size(), 2u) << "a thread may have it in hand";
  const NodeId again = stack_child(one, lock_key(0xa008, false));
  EXPECT_NE(again, two) << "nobody finds what is about to be freed";
  collect({again});
  EXPECT_EQ(node_at(two).key, ~uint64_t{0});
  EXPECT_EQ(path_of(again).size(), 2u);
  EXPECT_EQ(stack_child(kNoNode, lock_key(0xa000, false)), one) << "sets of one lock stay";
}

// With the rooms' own search: threads that hold locks name them, a shadow does.
TEST_F(Paths, ThreadsNameTheLocksTheyHold) {
  Actor actor;
  const NodeId held = actor.run([](Thread& t) {
    const NodeId alone = t.stack_cache.child(kNoNode, lock_key(0xb000, false));
    held_push(t, 0xb000, nullptr, false, kNoNode, alone);
    held_push(t, 0xb008, nullptr, false, kNoNode, t.stack_cache.child(kNoNode, lock_key(0xb008, false)));
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
