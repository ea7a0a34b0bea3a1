#include <gtest/gtest.h>

#include <map>
#include <random>

#include "live/ground/tables.h"

namespace deadheat::live {
namespace {

TEST(KeyMap, FindsWhatWasPut) {
  std::mt19937_64 random(1);
  std::map<uint64_t, uint64_t> model;
  KeyMap map(1u << 16);
  for (int i = 0; i < 20'000; ++i) {
    const uint64_t key = i % 2 == 0 ? random() : random() % 5'000, value = random();  // 0 is a key as any other
    ASSERT_TRUE(map.put(key, value));
    model[key] = value;
  }
  EXPECT_EQ(map.count(), model.size());
  for (const auto& [key, value] : model) {
    ASSERT_NE(map.find(key), nullptr);
    EXPECT_EQ(*map.find(key), value);
  }
  for (int i = 0; i < 1'000; ++i) {
    const uint64_t key = random();
    EXPECT_EQ(map.find(key) != nullptr, model.contains(key));
  }
}

TEST(KeyMap, HasABound) {
  KeyMap map(3);
  for (uint64_t key = 0; key < 3; ++key) EXPECT_TRUE(map.put(key, key));
  EXPECT_TRUE(map.is_full());
  EXPECT_FALSE(map.put(3, 3));
  EXPECT_EQ(map.find(3), nullptr);
  EXPECT_TRUE(map.put(1, 10));
  EXPECT_EQ(*map.find(1), 10u);
  map.clear();
  EXPECT_EQ(map.find(1), nullptr);
  EXPECT_TRUE(map.put(3, 3));
  EXPECT_EQ(map.count(), 1u);
}

TEST(KeyMap, MixesBothKeys) {
  EXPECT_NE(mix(0, 0), mix(0, 1));
  EXPECT_NE(mix(0, 1), mix(1, 0));
  EXPECT_NE(mix(mix(1, 2), 3), mix(mix(1, 3), 2));
}

struct Element {
  Element* next;
  uint64_t key;
};

TEST(Chains, HoldWhatWasAddedAndNotRemoved) {
  static constinit Chains<Element, 4> chains;  // few, so that they are long
  std::mt19937_64 random(2);
  std::map<uint64_t, Element> model;
  const auto find = [](uint64_t key) { return chains.find(key, [key](const Element& e) { return e.key == key; }); };
  for (int i = 0; i < 5'000; ++i) {
    const uint64_t key = random() % 200;
    const auto at = model.find(key);
    ASSERT_EQ(find(key), at != model.end() ? &at->second : nullptr);
    if (at == model.end()) {
      Element& element = model[key] = {nullptr, key};
      EXPECT_EQ(chains.add(key, &element), &element);
    } else {
      EXPECT_TRUE(chains.remove(key, &at->second));
      EXPECT_FALSE(chains.remove(key, &at->second));
      model.erase(at);
    }
  }
  size_t count = 0;
  chains.each([&](const Element& e) { count += model.contains(e.key); });
  EXPECT_EQ(count, model.size());
}

}  // namespace
}  // namespace deadheat::live
