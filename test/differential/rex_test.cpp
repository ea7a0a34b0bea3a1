// ReX in front of every precise detector: the racy places and the first racing accesses stay those of the whole trace,
// and so do the pairs of locations that race in what is left of it. And Goldilocks with a list so short that nearly all
// locksets are brought forward.
//
// The enumerated and the random traces have a location for every event; here they get few, or nothing would repeat.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "differential/agreement.h"
#include "differential/oracle.h"
#include "differential/trace_random.h"
#include "differential/trace_space.h"
#include "filter/rex_recent.h"
#include "replay/validator.h"
#include "support/memory_reader.h"

// Options are given by name; the others keep their defaults.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace deadheat::test {
namespace {

// How locations are given out: to all the same, by thread, by kind of event, or by thread and kind.
constexpr int kWays = 4;
TestTrace with_few_locations(TestTrace trace, uint64_t way) {
  trace.locations.clear();
  const auto add = [&](std::string name) {
    trace.locations.push_back(std::move(name));
    return static_cast<LocationId>(trace.locations.size() - 1);
  };
  std::map<std::pair<size_t, size_t>, LocationId> known;
  for (Event& e : trace.events) {
    const std::pair<size_t, size_t> key{way % 2 == 1 ? index(e.thread) : 0,
                                        way / 2 == 1 ? static_cast<size_t>(e.kind) : 0};
    const auto found = known.find(key);
    e.location = found != known.end()
                     ? found->second
                     : known.emplace(key, add(fmt::format("{}:{}", key.first, key.second))).first->second;
  }
  return trace;
}

// What is left of a trace behind the filter.
template <class Filter>
TestTrace filtered(const TestTrace& trace, size_t& dropped) {
  MemoryReader reader(trace, std::max<size_t>(trace.events.size(), 1));
  Batch batch;
  Losses losses;
  reader.next(batch);
  Validator(reader, false, losses).check(batch);
  Arena arena;
  Filter filter(arena);
  TestTrace left = trace;
  left.events.clear();
  for (size_t i = 0; i < batch.events.size(); ++i) {
    const Event& e = batch.events[i];
    bool drop = false;
    if (is_plain_access(e.kind)) {
      deadheat::Place where{e.is_range, e.target, e.size, ObjectId{}, VariableInfo::kNotAnElement};
      if (!e.is_range) where.object = reader.names().variable_info[e.target].object;
      drop = filter.is_redundant({e.thread, info(e.kind).access, e.location, i}, where);
    } else if (e.kind != EventKind::kNothing) {
      filter.sync(e);
    }
    if (drop) {
      ++dropped;
    } else {
      left.events.push_back(trace.events[i]);
    }
  }
  return left;
}

std::string pairs_text(const TestTrace& trace) {
  std::string text;
  for (const auto& [a, b] : Oracle(trace).location_pairs()) text += fmt::format("({}, {}) ", a, b);
  return text;
}

void check_filter(const TestTrace& trace, bool jobs, const std::string& repeat, size_t& dropped) {
  const std::string pairs = pairs_text(trace);
  size_t dropped_of_recent = 0;
  ASSERT_EQ(pairs_text(filtered<Rex>(trace, dropped)), pairs) << "in the trace\n" << to_text(trace);
  ASSERT_EQ(pairs_text(filtered<RexRecent>(trace, dropped_of_recent)), pairs) << "in the trace\n" << to_text(trace);
  for (const std::string_view filter : {"rex", "rex-recent"})
    ASSERT_EQ(check(trace, {.all = false, .jobs = jobs, .filter = filter}, repeat), "");
}

class SmallTraces : public testing::TestWithParam<TraceSpace> {};

// All traces one event shorter than those of the spaces, with locations in every way; of the longest, one in thirty.
TEST_P(SmallTraces, RexLosesNothing) {
  const TraceSpace& space = GetParam();
  constexpr size_t kTogether = 16, kOneIn = 30;
  size_t dropped = 0, packs = 0;
  const auto run = [&](size_t length, size_t one_in, uint64_t way) {
    TracePacker packer(space, kTogether);
    const auto flush = [&] {
      check_filter(with_few_locations(packer.packed(), way), false, "the same test", dropped);
      packer.clear();
      ++packs;
    };
    size_t number = 0;
    for_each_trace(space, length, [&](const TestTrace& trace) {
      if (number++ % one_in != way % one_in || HasFatalFailure()) return;
      packer.add(trace);
      if (packer.full()) flush();
    });
    if (!packer.empty() && !HasFatalFailure()) flush();
  };
  for (uint64_t way = 0; way < kWays; ++way) {
    run(space.length - 1, 1, way);
    run(space.length, kOneIn, way);
  }
  EXPECT_GT(packs, 0u);
  RecordProperty("dropped", static_cast<int>(dropped));
}

INSTANTIATE_TEST_SUITE_P(Rex, SmallTraces, testing::ValuesIn(trace_spaces().begin(), trace_spaces().end()),
                         [](const testing::TestParamInfo<TraceSpace>& space) {
                           return fmt::format("Space{}", space.index);
                         });

TEST(RexRandomTraces, LosesNothing) {
  size_t dropped = 0, events = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    const TestTrace trace = with_few_locations(random_trace(seed), seed / 2 % kWays);
    check_filter(trace, seed % 16 < 2, fmt::format("seed {}", seed), dropped);
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
    events += trace.events.size();
  }
  EXPECT_GT(dropped, events / 50);  // or nothing was tested
}

TEST(GoldilocksRandomTraces, AShortListChangesNothing) {
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    const Questions questions{.all = seed % 4 < 2, .jobs = seed % 16 < 2, .options = {.seed = seed, .list_limit = 64}};
    ASSERT_EQ(check(random_trace(seed), questions, fmt::format("seed {}", seed)), "");
  }
}

}  // namespace
}  // namespace deadheat::test
