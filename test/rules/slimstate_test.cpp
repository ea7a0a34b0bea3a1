// SlimState's parts: the algebra of strided ranges, Table I, trails of event numbers, and Figure 2 step by step.
#include "detect/slimstate.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "support/steps.h"

namespace deadheat::test {
namespace {

// ---- Strided ranges, against sets --------------------------------------------------------------------------------

std::set<uint32_t> elements(const StridedRange& f) {
  std::set<uint32_t> set;
  for (uint32_t i = f.b; i <= f.e; i += f.k) set.insert(i);
  return set;
}

TEST(StridedRange, AddingAnIndexIsTheUnionWhereThereIsOne) {
  constexpr uint32_t kMost = 12;
  std::vector<StridedRange> ranges = {StridedRange{}};
  for (uint32_t b = 0; b < kMost; ++b) {
    ranges.push_back({b, b, 1});
    for (uint32_t k = 1; k < kMost; ++k)
      for (uint32_t e = b + k; e < kMost; e += k) ranges.push_back({b, e, k});
  }
  const auto is_a_range = [&](const std::set<uint32_t>& set) {
    return std::any_of(ranges.begin(), ranges.end(), [&](const StridedRange& r) { return elements(r) == set; });
  };
  for (const StridedRange& f : ranges) {
    const std::set<uint32_t> before = elements(f);
    EXPECT_EQ(f.size(), before.size());
    for (uint32_t i = 0; i < kMost; ++i) {
      EXPECT_EQ(f.contains(i), before.contains(i));
      std::set<uint32_t> wanted = before;
      wanted.insert(i);
      StridedRange grown = f;
      const StridedRange::Growth growth = grown.add(i);
      // The algebra grows at the ends; what lies in the middle of two does not halve the stride.
      const bool is_between = f.b < i && i < f.e;
      EXPECT_EQ(growth != StridedRange::Growth::kCannot, is_a_range(wanted) && (!is_between || before.contains(i)))
          << f.b << ':' << f.e << ':' << f.k << '+' << i;
      EXPECT_EQ(growth == StridedRange::Growth::kHadIt, before.contains(i));
      EXPECT_EQ(elements(grown), growth == StridedRange::Growth::kCannot ? before : wanted);
      EXPECT_EQ((grown.e - grown.b) % grown.k, 0u);
      EXPECT_TRUE(grown.b != grown.e || grown.k == 1);
    }
  }
}

// ---- Partitions ---------------------------------------------------------------------------------------------------

struct Row {
  const char* text;
  Partition P;
  StridedRange f;
  Partition refined;
};
constexpr uint32_t N = 24;
const Row kTable[] = {
    {"coarse: all", Partition::coarse(N), {0, 23, 1}, Partition::coarse(N)},
    {"coarse: a beginning", Partition::coarse(N), {0, 7, 1}, Partition::split(8, N)},
    {"coarse: an end", Partition::coarse(N), {9, 23, 1}, Partition::split(9, N)},
    {"coarse: blocks", Partition::coarse(N), {6, 17, 1}, Partition::block(6, N)},
    {"coarse: a residue class", Partition::coarse(N), {1, 22, 3}, Partition::stride(3, N)},
    {"coarse: in the first quarter", Partition::coarse(N), {1, 4, 3}, Partition::prefix(5, N)},
    {"block: smaller blocks", Partition::block(6, N), {4, 17, 1}, Partition::block(2, N)},
    {"block: its blocks", Partition::block(6, N), {6, 17, 1}, Partition::block(6, N)},
    {"split: the first part", Partition::split(8, N), {0, 7, 1}, Partition::split(8, N)},
    {"split: the second part", Partition::split(8, N), {8, 23, 1}, Partition::split(8, N)},
    {"split: both", Partition::split(8, N), {0, 23, 1}, Partition::split(8, N)},
    {"split: blocks", Partition::split(8, N), {4, 15, 1}, Partition::block(4, N)},
    {"split: in the first quarter", Partition::split(3, N), {1, 5, 2}, Partition::prefix(6, N)},
    {"stride: finer classes", Partition::stride(4, N), {5, 23, 6}, Partition::stride(12, N)},
    {"stride: coarser classes", Partition::stride(4, N), {1, 23, 2}, Partition::stride(4, N)},
    {"prefix: the rest", Partition::prefix(5, N), {5, 23, 1}, Partition::prefix(5, N)},
    {"prefix: within", Partition::prefix(5, N), {1, 3, 2}, Partition::prefix(5, N)},
    {"prefix: longer", Partition::prefix(5, N), {2, 9, 7}, Partition::prefix(18, N)},
    {"any: coarse", Partition::coarse(N), {5, 13, 2}, Partition::fine(N)},
    {"any: coarse, just beyond the first quarter", Partition::coarse(N), {2, 6, 2}, Partition::fine(N)},
    {"any: split, just beyond the first quarter", Partition::split(3, N), {2, 6, 2}, Partition::fine(N)},
    {"any: split beyond the first quarter", Partition::split(7, N), {1, 5, 2}, Partition::fine(N)},
    {"any: prefix that would be as long as the array", Partition::prefix(5, N), {2, 12, 10}, Partition::fine(N)},
    {"any: block", Partition::block(6, N), {0, 22, 2}, Partition::fine(N)},
    {"any: split", Partition::split(8, N), {1, 23, 2}, Partition::fine(N)},
    {"any: stride", Partition::stride(4, N), {0, 7, 1}, Partition::fine(N)},
    {"any: prefix", Partition::prefix(5, N), {4, 20, 1}, Partition::fine(N)},
    {"any: fine", Partition::fine(N), {0, 23, 1}, Partition::fine(N)},
};

TEST(TableI, EveryRow) {
  for (const Row& row : kTable) EXPECT_EQ(refine(row.P, row.f), row.refined) << row.text;
}

std::vector<std::set<uint32_t>> parts_of(const Partition& P) {
  std::vector<std::set<uint32_t>> parts(P.parts());
  for (uint32_t i = 0; i < P.length(); ++i) parts[P.part_of(i)].insert(i);
  return parts;
}
bool is_union_of(const std::set<uint32_t>& set, const std::vector<std::set<uint32_t>>& parts) {
  return std::all_of(parts.begin(), parts.end(), [&](const std::set<uint32_t>& part) {
    const auto in =
        static_cast<size_t>(std::count_if(part.begin(), part.end(), [&](uint32_t i) { return set.contains(i); }));
    return in == 0 || in == part.size();
  });
}
std::vector<Partition> all_partitions(uint32_t n) {
  std::vector<Partition> all = {Partition::coarse(n), Partition::fine(n)};
  for (uint32_t i = 1; i < n; ++i) {
    all.push_back(Partition::split(i, n));
    all.push_back(Partition::prefix(i, n));
    if (i > 1 && n % i == 0) {
      all.push_back(Partition::block(i, n));
      all.push_back(Partition::stride(i, n));
    }
  }
  all.push_back(Partition::stride(n, n));
  return all;
}
std::vector<StridedRange> all_footprints(uint32_t n) {
  std::vector<StridedRange> all;
  for (uint32_t b = 0; b < n; ++b) {
    all.push_back({b, b, 1});
    for (uint32_t k = 1; b + k < n; ++k)
      for (uint32_t e = b + k; e < n; e += k) all.push_back({b, e, k});
  }
  return all;
}

TEST(Partition, PartsAreStridedRangesThatCoverEveryIndexOnce) {
  for (const uint32_t n : {16u, 17u, 18u, 24u})
    for (const Partition& P : all_partitions(n)) {
      const auto parts = parts_of(P);
      for (uint32_t p = 0; p < parts.size(); ++p) EXPECT_EQ(elements(P.part(p)), parts[p]) << n;
    }
}

// The new partition is one of the six modes with a parameter that fits, every part of the old one is a union of its
// parts, the footprint is too, and for_each_part names exactly those.
TEST(TableI, RefinesAndIsPreciseEnough) {
  for (const uint32_t n : {16u, 17u, 18u, 20u, 24u}) {
    const std::vector<Partition> known = all_partitions(n);
    for (const Partition& P : known)
      for (const StridedRange& f : all_footprints(n)) {
        const Partition refined = refine(P, f);
        ASSERT_NE(std::count(known.begin(), known.end(), refined), 0) << n << ' ' << refined.parameter();
        const auto parts = parts_of(refined);
        for (const std::set<uint32_t>& old : parts_of(P)) ASSERT_TRUE(is_union_of(old, parts));
        ASSERT_TRUE(is_union_of(elements(f), parts)) << n << ' ' << f.b << ':' << f.e << ':' << f.k;
        std::set<uint32_t> visited;
        refined.for_each_part(f, [&](uint32_t p) {
          for (const uint32_t i : parts[p]) ASSERT_TRUE(visited.insert(i).second);
        });
        ASSERT_EQ(visited, elements(f));
      }
  }
}

// The paper: a partition that is precise enough stays. Its table keeps that but for prefix(i) and all of the array.
TEST(TableI, KeepsWhatIsPreciseEnough) {
  for (const uint32_t n : {16u, 18u, 24u})
    for (const Partition& P : all_partitions(n))
      for (const StridedRange& f : all_footprints(n)) {
        if (!is_union_of(elements(f), parts_of(P))) continue;
        if (P.mode() == Partition::Mode::kPrefix && f.e >= P.parameter() && f.b < P.parameter()) continue;
        const Partition refined = refine(P, f);
        if (P.mode() == Partition::Mode::kStride && P.parameter() == n) {
          EXPECT_EQ(refined.parts(), n);  // stride(n) is fine by another name
        } else {
          EXPECT_EQ(refined, P) << n << ' ' << static_cast<int>(P.mode()) << ' ' << P.parameter() << ' ' << f.b << ':'
                                << f.e << ':' << f.k;
        }
      }
}

// ---- Trails -------------------------------------------------------------------------------------------------------

using EventAndLocation = std::pair<uint64_t, LocationId>;

// Locations as loops have them, by style: one; two lines; unrolled; lines with several accesses each; any of a few; never
// the same; now one loop, now another; with no location now and then.
std::vector<LocationId> some_locations(std::mt19937_64& random, uint64_t style, uint32_t count) {
  std::vector<LocationId> locations;
  const uint64_t base = random() % 1'000'000;
  uint64_t period = 2 + random() % 9;
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t at = 0;
    if (style == 1) at = i % 2;
    if (style == 2) at = i % 8;
    if (style == 3) at = i % 12 / 3;
    if (style == 4) at = random() % period;
    if (style == 5) at = i;
    if (style == 6 && random() % 100 == 0) period = 1 + random() % 40;
    if (style == 6) at = i % period;
    const bool is_unknown = style == 7 && random() % 5 == 0;
    locations.push_back(is_unknown ? kNoLocation : static_cast<LocationId>(base + at));
  }
  return locations;
}

TEST(Trail, GivesBackEveryEventNumberAndLocation) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 600; ++round) {
    Arena arena;
    AccessRun run;
    std::vector<uint64_t> events = {random() % 1000};
    const uint32_t count = 1 + static_cast<uint32_t>(random() % 2000);
    const uint64_t style = random() % 5, location_style = random() % 8;
    while (events.size() < count) {
      uint64_t distance = 3;
      if (style == 1) distance = random() % 8;
      if (style == 2) distance = random() % 50 == 0 ? random() % 5000 : 2;
      if (style == 3) distance = random() % 20 == 0 ? random() >> (8 + random() % 50) : 1;
      if (style == 4) distance = random() % 2 == 0 ? 0 : 7;
      if (events.back() + distance >= uint64_t{1} << 60) distance = 1;
      events.push_back(events.back() + distance);
    }
    const std::vector<LocationId> locations = some_locations(random, location_style, count);
    std::vector<EventAndLocation> wanted, read;
    for (uint32_t i = 0; i < count; ++i) wanted.emplace_back(events[i], locations[i]);
    for (const auto& [event, location] : wanted) run.add(arena, event, location);
    EXPECT_EQ(run.first_location(), locations[0]);
    run.for_each([&](uint64_t event, LocationId location) { read.emplace_back(event, location); });
    EXPECT_EQ(read, wanted) << style << ' ' << location_style;
    const bool down = round % 2 == 1;
    const uint32_t origin = down ? 3 * count : 5;
    Trail* trail = run.make_trail(arena, origin, down ? -3 : 3);
    read.clear();
    trail->for_each([&](uint64_t event, LocationId location) { read.emplace_back(event, location); });
    EXPECT_EQ(read, wanted) << style << ' ' << location_style;
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t element = down ? origin - 3 * i : origin + 3 * i;
      ASSERT_TRUE(trail->contains(element));
      ASSERT_EQ(trail->position(element), i);
      ASSERT_FALSE(trail->contains(element + 1));
    }
    EXPECT_FALSE(trail->contains(down ? origin + 3 : origin - 3));
    if (style == 0) {
      EXPECT_EQ(trail->bits, nullptr);
    }
    if (style == 0 && location_style == 0) {
      EXPECT_TRUE(trail->is_plain());
    }
    if (location_style == 5 && count > 1) {
      EXPECT_FALSE(trail->is_plain());
    }
    if (style == 2 && count > 500 && location_style == 0) {
      EXPECT_LT(arena.bytes_in_use(), 200 + count / 3);  // regular but for pauses: some two bits each
    }
    size_t bits = 0;
    for (const BitChunk* chunk = trail->locations.bits; chunk != nullptr; chunk = chunk->next) bits += chunk->used_bits;
    if (location_style >= 1 && location_style <= 3) {
      EXPECT_LE(bits, 12 * 33u);  // the first turn of the loop, and its period
    }
    if (location_style == 4) {
      EXPECT_LE(bits, 500 + 8 * count);  // no pattern
    }
    EXPECT_LE(bits, 33 * count);
    EXPECT_EQ(run.count(), 0u);
    Trail::release(arena, trail);
    EXPECT_EQ(arena.bytes_in_use(), 0u);
  }
}

// ---- Figure 2 -----------------------------------------------------------------------------------------------------

struct Slim : RaceSink {
  Steps<SlimState> steps;
  std::vector<uint64_t> racy;
  std::vector<std::pair<LocationId, LocationId>> pairs;  // their locations, the earlier access first

  Slim() { steps.detector().report_to(*this); }
  void report(const Place& place, const Conflict& conflict, const Access& second) override {
    racy.push_back(place.element);
    pairs.emplace_back(conflict.first.location, second.location);
  }
  // A loop over [from, to) of so many lines, "L0" and so on, one access each.
  void unrolled(std::string_view thread, uint32_t from, uint32_t to, uint32_t step, uint32_t lines) {
    for (uint32_t i = from, turn = 0; i < to; i += step, ++turn)
      steps.run(std::string(thread) + "|w(a[" + std::to_string(i) + "])|L" + std::to_string(turn % lines));
  }
  void write(std::string_view thread, uint32_t from, uint32_t to, char op = 'w') {
    for (uint32_t i = from; i < to; ++i)
      steps.run(std::string(thread) + '|' + op + "(a[" + std::to_string(i) + "])|here");
  }
  ObjectId a() { return static_cast<ObjectId>(0); }
  // The partition and the epoch of the last write of each part: "split(8): 5@0 8@1".
  std::string T() {
    const Partition P = steps.detector().partition(a());
    std::string text(Partition::kNames[static_cast<int>(P.mode())]);
    if (P.mode() != Partition::Mode::kCoarse && P.mode() != Partition::Mode::kFine)
      text += '(' + std::to_string(P.parameter()) + ')';
    text += ':';
    for (uint32_t p = 0; p < P.parts() && p < 4; ++p) text += ' ' + epoch_text(steps.detector().state(a(), p).W());
    return text;
  }
};

// The figure's array has 4 elements, which is fine from the start; here each of its elements is four. A = 0 begins at
// clock 5 and B = 1 at 8; before, B wrote all of the array at 2 and handed it to A through m.
TEST(SlimStateFigures, Figure2) {
  Slim slim;
  Steps<SlimState>& steps = slim.steps;
  steps.run("0|begin 1|begin 0|alloc(a,16) 0|fork(2)");
  for (int i = 2; i < 5; ++i) steps.run("0|acq(x) 0|rel(x)");
  steps.run("1|acq(y) 1|rel(y)");
  slim.write("1", 0, 16);
  steps.run("1|acq(m)");
  EXPECT_EQ(slim.T(), "coarse: 2@1");
  steps.run("1|rel(m)");
  for (int i = 3; i < 8; ++i) steps.run("1|acq(y) 1|rel(y)");

  steps.run("0|acq(m)");
  slim.write("0", 0, 16);
  EXPECT_EQ(slim.T(), "coarse: 2@1");  // not yet committed
  steps.run("0|rel(m)");
  EXPECT_EQ(slim.T(), "coarse: 5@0");
  steps.run("1|acq(m)");
  slim.write("1", 0, 16);
  EXPECT_EQ(slim.T(), "coarse: 5@0");
  steps.run("1|rel(m)");
  EXPECT_EQ(slim.T(), "coarse: 8@1");
  steps.run("0|acq(m)");
  slim.write("0", 0, 8);
  EXPECT_EQ(slim.T(), "coarse: 8@1");
  steps.run("0|rel(m)");
  EXPECT_EQ(slim.T(), "split(8): 6@0 8@1");
  // All of it again: one check for each part.
  steps.run("1|acq(m)");
  slim.write("1", 0, 16);
  steps.run("1|rel(m)");
  EXPECT_EQ(slim.T(), "split(8): 9@1 9@1");
  EXPECT_TRUE(slim.racy.empty());
}

// ---- A footprint does not depend on the code ---------------------------------------------------------------------

TEST(SlimStateLocations, AnUnrolledLoopIsOneFootprint) {
  for (const uint32_t lines : {2u, 3u, 8u, 40u}) {
    Slim slim;
    slim.steps.run("0|begin 0|alloc(a,64)");
    slim.unrolled("0", 0, 64, 1, lines);
    EXPECT_EQ(slim.T(), "coarse: never") << lines;  // not yet committed
    slim.steps.run("0|acq(m)");
    EXPECT_EQ(slim.T(), "coarse: 1@0") << lines;
  }
}

TEST(SlimStateLocations, AStridedLoopOverTwoLinesStaysStrided) {
  Slim slim;
  slim.steps.run("0|begin 1|begin 0|alloc(a,64)");
  slim.unrolled("0", 0, 64, 2, 2);
  slim.unrolled("1", 1, 64, 2, 2);
  slim.steps.run("0|acq(m) 1|acq(n)");
  EXPECT_EQ(slim.T(), "stride(2): 1@0 1@1");
  EXPECT_TRUE(slim.racy.empty());
}

TEST(SlimStateLocations, EachElementHasItsOwn) {
  for (const bool ends_fine : {false, true}) {
    Slim slim;
    slim.steps.run("0|begin 1|begin 0|alloc(a,32)");
    slim.unrolled("0", 0, 32, 1, 3);
    slim.unrolled("1", 0, 32, 1, 2);
    if (ends_fine) slim.steps.run("0|ld(a[5],relaxed)|there");  // an atomic operation makes the array fine
    slim.steps.detector().finish();
    ASSERT_EQ(slim.racy.size(), 32u);
    std::map<uint64_t, std::pair<LocationId, LocationId>> told;
    for (size_t i = 0; i < slim.racy.size(); ++i) told[slim.racy[i]] = slim.pairs[i];
    for (uint32_t i = 0; i < 32; ++i)
      EXPECT_EQ(told[i], std::pair(static_cast<LocationId>(i % 3), static_cast<LocationId>(i % 2))) << i;
  }
}

// ---- When footprints are committed --------------------------------------------------------------------------------

TEST(SlimStateCommits, LatentRacesAreFoundAtTheEnd) {
  Slim slim;
  slim.steps.run("0|begin 1|begin 0|alloc(a,32)");
  slim.write("0", 0, 32);
  slim.write("1", 8, 16, 'r');
  EXPECT_TRUE(slim.racy.empty());
  slim.steps.detector().finish();
  EXPECT_EQ(slim.racy, (std::vector<uint64_t>{8, 9, 10, 11, 12, 13, 14, 15}));
}

TEST(SlimStateCommits, TheJoinedThreadsFootprintsComeFirst) {
  Slim slim;
  slim.steps.run("0|alloc(a,32) 0|fork(1)");
  slim.write("1", 0, 32);
  slim.steps.run("0|join(1)");
  EXPECT_EQ(slim.T(), "coarse: 1@1");
  slim.write("0", 0, 32);
  slim.steps.detector().finish();
  EXPECT_EQ(slim.T(), "coarse: 2@0");
  EXPECT_TRUE(slim.racy.empty());
}

TEST(SlimStateCommits, AnAcquireCommitsWithTheClockBeforeIt) {
  Slim slim;
  slim.steps.run("0|begin 1|begin 0|alloc(a,32)");
  slim.write("0", 0, 32);
  slim.steps.run("0|acq(m) 0|rel(m)");
  slim.write("1", 0, 32);  // races; after the acquire it would seem ordered
  slim.steps.run("1|acq(m)");
  EXPECT_EQ(slim.racy.size(), 32u);
}

TEST(SlimStateCommits, AtOnceInFineAndPrefixMode) {
  Slim slim;
  slim.steps.run("0|begin 1|begin 0|alloc(a,32) 0|w(a[2])|here 0|w(a[0])|here 0|w(a[5])|here");
  // {0, 2} could not take 5: it was committed, which made prefix(3), and 5 at once after it, which made prefix(2 * 5).
  EXPECT_EQ(slim.steps.detector().partition(slim.a()), Partition::prefix(10, 32));
  slim.steps.run("1|r(a[2])|there");
  EXPECT_EQ(slim.racy, (std::vector<uint64_t>{2}));
  slim.steps.run("0|w(a[31])|here");
  EXPECT_EQ(slim.steps.detector().partition(slim.a()), Partition::fine(32));
}

// Pairs of neighbours here and there: two elements are less than a commit is worth.
TEST(SlimStateCommits, ShortFootprintsAreGivenUp) {
  Slim slim;
  slim.steps.run("0|begin 0|alloc(a,64)");
  const auto pairs = [&](int count) {
    for (int i = 0; i < count; ++i) {
      const uint32_t first = 2 * (i * 7 % 31 + 1);
      slim.write("0", first, first + 2);
    }
  };
  pairs(20);
  EXPECT_EQ(slim.steps.detector().partition(slim.a()), Partition::block(2, 64));
  pairs(20);
  EXPECT_EQ(slim.steps.detector().partition(slim.a()), Partition::fine(64));
  slim.steps.run("1|begin 1|r(a[7])|there 0|alloc(b,64)");
  EXPECT_EQ(slim.racy, (std::vector<uint64_t>{7}));
}

TEST(SlimStateArrays, SmallOnesAreVariables) {
  for (const uint32_t n : {15u, 16u}) {
    Slim slim;
    slim.steps.run("0|alloc(a," + std::to_string(n) + ") 0|w(a[0])");
    EXPECT_EQ(slim.steps.detector().partition(slim.a()), n < 16 ? Partition{} : Partition::coarse(16));
  }
}

TEST(SlimStateCommits, AFullBufferIsFlushed) {
  Slim slim;
  std::string name;
  slim.steps.run("0|alloc(a,16)");
  slim.write("0", 0, 16);
  for (uint32_t i = 1; i < SlimState::kCommitBuffer; ++i) {
    name = 'b' + std::to_string(i);
    slim.steps.run("0|alloc(" + name + ",16) 0|w(" + name + "[0])");
  }
  EXPECT_EQ(slim.T(), "coarse: never");
  slim.steps.run("0|alloc(c,16) 0|w(c[0])");
  EXPECT_EQ(slim.T(), "coarse: 1@0");
}

}  // namespace
}  // namespace deadheat::test
