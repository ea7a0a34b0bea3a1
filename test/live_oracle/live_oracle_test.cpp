// Live detection says what the oracle says: random programs whose order of events is known are played live.
//
// Seeds differ from run to run and are printed. DEADHEAT_LIVE_SEEDS=FIRST-LAST repeats some; DEADHEAT_LIVE_SECONDS is
// the time that each test takes, about.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>

#include "live_oracle/comparison.h"
#include "live_oracle/generator.h"
#include "live_oracle/live_run.h"

namespace deadheat::test {
namespace {

const Player& player() {
  static const Player it;
  return it;
}

struct Seeds {
  uint64_t first, last;
  double seconds;  // at most
};

Seeds seeds() {
  const char* const wanted = std::getenv("DEADHEAT_LIVE_SEEDS");
  const char* const seconds = std::getenv("DEADHEAT_LIVE_SECONDS");
  Seeds result{1, 0, seconds != nullptr ? std::atof(seconds) : 15};
  if (wanted != nullptr && std::sscanf(wanted, "%lu-%lu", &result.first, &result.last) == 2) {
    result.seconds = 1e9;
  } else {
    result.first = uint64_t{std::random_device{}()} << 20;
    result.last = result.first + (1 << 20) - 1;
  }
  return result;
}

// Calls `compare(seed)` for one seed after the other until the time is over or a comparison complains. It returns
// whether the program had races.
template <class Compare>
void for_each_seed(Compare compare) {
  const auto begun = std::chrono::steady_clock::now();
  const Seeds all = seeds();
  uint64_t programs = 0, racy = 0;
  for (uint64_t seed = all.first; seed <= all.last; ++seed) {
    racy += compare(seed);
    ++programs;
    if (testing::Test::HasFailure()) break;
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count() > all.seconds) break;
  }
  std::cout << programs << " programs, " << racy << " of them with races, from seed " << all.first << " on\n";
  if (testing::Test::HasFailure()) std::cout << "FAIL: the program of seed " << all.first + programs - 1 << "\n";
  if (programs > 200 && !testing::Test::HasFailure()) {
    EXPECT_GT(racy, programs / 5);
    EXPECT_LT(racy, programs) << "programs without a race must be among them";
  }
}

void expect_none(const Comparison& comparison, const Program& program, uint64_t seed) {
  if (comparison.complaints().empty()) return;
  std::string text;
  for (const std::string& complaint : comparison.complaints()) text += complaint + "\n";
  ADD_FAILURE() << text << "repeat with DEADHEAT_LIVE_SEEDS=" << seed << "-" << seed << " live_oracle_tests\n"
                << program.for_player() << "the trace, by steps:\n"
                << comparison.trace().text();
}

constexpr const char* kEverything = "suppress_equal_stacks=0:suppress_equal_addresses=0:symbolize=0";

bool compare_everything(uint64_t seed, const std::string& options) {
  const Program program = random_program(seed, Sites::kOneEach);
  const LiveRun run = player().play(program, options);
  Comparison comparison(program, run);
  comparison.check_reports_are_real();
  comparison.check_first_races_are_told();
  expect_none(comparison, program, seed);
  return comparison.has_races();
}

TEST(LiveOracle, EveryRaceIsToldAndNoOther) {
  for_each_seed([](uint64_t seed) { return compare_everything(seed, kEverything); });
}

// Numbers of epochs and call paths are collected again and again: nothing is lost or mixed up by that.
TEST(LiveOracle, CollectionsChangeNothing) {
  for_each_seed([](uint64_t seed) {
    return compare_everything(seed,
                              std::string(kEverything) + ":path_nodes=4:epoch_draws=" + std::to_string(1 + seed % 3));
  });
}

// With the options that users have: a pair of lines is told once for an object, and every pair is told.
TEST(LiveOracle, EveryPairOfLinesIsToldOnce) {
  for_each_seed([](uint64_t seed) {
    const Program program = random_program(seed, Sites::kShared);
    const LiveRun everything_run = player().play(program, kEverything), run = player().play(program, "");
    Comparison everything(program, everything_run), comparison(program, run);
    everything.check_reports_are_real();
    expect_none(everything, program, seed);
    comparison.check_reports_are_real();
    comparison.check_pairs_are_told_once();
    const std::set<Comparison::Pair> told = comparison.told_pairs();
    for (const Comparison::Pair& pair : everything.told_pairs())
      if (!told.contains(pair)) comparison.complain("hidden by default: " + Comparison::describe(pair));
    expect_none(comparison, program, seed);
    return comparison.has_races();
  });
}

TEST(LiveOracle, EarlierAccessesAreShownWhereTheyWere) {
  for_each_seed([](uint64_t seed) {
    const Program program = random_program(seed, Sites::kOneEach);
    const LiveRun run = player().play(program, kEverything);
    Comparison comparison(program, run);
    comparison.check_reports_are_real();
    comparison.check_addresses();
    expect_none(comparison, program, seed);
    return comparison.has_races();
  });
}

// The same programs by way of the recorder, with every access and without repeated ones, and each precise detector.
TEST(RecordedOracle, EveryFirstRaceIsThereAndNoOther) {
  for_each_seed([](uint64_t seed) {
    static constexpr const char* kDetectors[] = {"fasttrack", "djit+", "goldilocks", "basicvc", "slimstate"};
    const Program program = random_program(seed, Sites::kOneEach);
    const std::string detector = kDetectors[seed / 2 % 5];
    const LiveRun run = player().play_recorded(program, seed % 2 == 0 ? "" : "--full", detector);
    Comparison comparison(program, run);
    comparison.check_reports_are_real();
    if (detector == "slimstate")
      comparison.check_racy_bytes_are_there();
    else
      comparison.check_first_races_are_there();
    expect_none(comparison, program, seed);
    return comparison.has_races();
  });
}

}  // namespace
}  // namespace deadheat::test
