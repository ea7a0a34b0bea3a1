#include "engine/split.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace deadheat {
namespace {

Event event(EventKind kind, uint32_t thread, uint64_t target, bool is_range = false) {
  Event e;
  e.kind = kind;
  e.thread = static_cast<ThreadId>(thread);
  e.target = target;
  e.is_range = is_range;
  return e;
}

std::vector<uint32_t> positions(const Selection& selection) {
  return {selection.positions.begin(), selection.positions.begin() + static_cast<ptrdiff_t>(selection.count)};
}

bool has(const Selection& selection, uint32_t position) {
  const std::vector<uint32_t> all = positions(selection);
  return std::binary_search(all.begin(), all.end(), position);
}

TEST(Split, AccessesGoToTheOwnerAndTheRestToEverybody) {
  Batch batch;
  batch.events.push_back(event(EventKind::kBegin, 0, 0));
  for (uint64_t chunk = 0; chunk < 100; ++chunk)
    batch.events.push_back(event(EventKind::kRead, 0, chunk * Share::kChunk + 7));
  batch.events.push_back(event(EventKind::kAcquire, 0, 3));
  batch.events.push_back(event(EventKind::kWrite, 0, 0x1000, true));
  batch.events.push_back(event(EventKind::kAtomicStore, 0, 5));
  batch.events.push_back(event(EventKind::kNothing, 0, 0));

  Split split(3, ShareUnit::kVariables);
  std::vector<Selection> selection;
  split.select(batch, selection);
  ASSERT_EQ(selection.size(), 3u);
  for (uint32_t i = 0; i < batch.events.size(); ++i) {
    for (unsigned worker = 0; worker < 3; ++worker) {
      const bool is_access = i >= 1 && i <= 100;
      const bool expected = is_access ? Share{worker, 3}.has(i - 1) : batch.events[i].kind != EventKind::kNothing;
      EXPECT_EQ(has(selection[worker], i), expected) << "event " << i << ", worker " << worker;
    }
  }
  for (const Selection& mine : selection) {
    const std::vector<uint32_t> all = positions(mine);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
    EXPECT_GT(all.size(), 20u) << "the work is spread";
    for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(mine.events[i].target, batch.events[all[i]].target);
  }
}

TEST(Split, EverybodySeesTheFirstEventOfAThread) {
  Split split(2, ShareUnit::kVariables);
  std::vector<Selection> selection;
  Batch batch;
  for (const uint32_t thread : {0u, 1u, 0u, 1u, 1u}) batch.events.push_back(event(EventKind::kRead, thread, 9));
  split.select(batch, selection);
  const unsigned owner = Share::owner(0, 2);
  EXPECT_EQ(positions(selection[owner]), (std::vector<uint32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(positions(selection[1 - owner]), (std::vector<uint32_t>{0, 1}));

  batch.clear();
  for (const uint32_t thread : {1u, 2u, 2u}) batch.events.push_back(event(EventKind::kRead, thread, 9));
  split.select(batch, selection);
  EXPECT_EQ(positions(selection[1 - owner]), (std::vector<uint32_t>{1})) << "thread 1 was seen in the batch before";
}

TEST(Split, AnObjectIsNotDivided) {
  Split split(2, ShareUnit::kObjects);
  std::vector<Selection> selection;
  Batch batch;
  for (uint32_t variable = 0; variable < 64; ++variable) {
    batch.new_variables.push_back({static_cast<ObjectId>(variable % 4), variable});
    batch.events.push_back(event(EventKind::kWrite, 0, variable));
  }
  split.select(batch, selection);
  for (uint32_t i = 1; i < 64; ++i)
    for (unsigned worker = 0; worker < 2; ++worker)
      EXPECT_EQ(has(selection[worker], i), (Share{worker, 2}.has(i % 4))) << i;
}

}  // namespace
}  // namespace deadheat
