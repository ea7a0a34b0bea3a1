// Every precise detector equals the oracle: on all small traces, and on many random larger ones.
//
// DEADHEAT_LONG=1 enumerates longer traces; DEADHEAT_SEEDS=first-last chooses the seeds of the random ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "differential/agreement.h"
#include "differential/oracle.h"
#include "differential/trace_random.h"
#include "differential/trace_space.h"

namespace deadheat::test {
namespace {

constexpr uint64_t kLastSeed = 20'000;
constexpr const char* kProgram = "build/bin/differential_tests --gtest_filter=";

bool is_long_run() { return std::getenv("DEADHEAT_LONG") != nullptr; }

class AllSmallTraces : public testing::TestWithParam<TraceSpace> {};

TEST_P(AllSmallTraces, AgreeWithTheOracle) {
  const TraceSpace& space = GetParam();
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  const std::string repeat = fmt::format("{}{}{}.{}", is_long_run() ? "DEADHEAT_LONG=1 " : "", kProgram,
                                         test->test_suite_name(), test->name());
  size_t traces = 0, packs = 0;
  // The shortest ones by themselves, the others many at a time.
  constexpr size_t kAlone = 3, kTogether = 64;
  const size_t longest = is_long_run() ? space.long_length : space.length;
  for (const size_t length : {kAlone, longest}) {
    TracePacker packer(space, length == longest ? kTogether : 1);
    const auto flush = [&] {
      const std::string wrong = check(packer.packed(), {.all = packs % 4 == 0, .jobs = packs % 32 == 0}, repeat);
      ASSERT_EQ(wrong, "");
      packer.clear();
      ++packs;
    };
    for_each_trace(space, length, [&](const TestTrace& trace) {
      if (HasFatalFailure()) return;
      ++traces;
      packer.add(trace);
      if (packer.full()) flush();
    });
    if (!packer.empty() && !HasFatalFailure()) flush();
  }
  RecordProperty("traces", static_cast<int>(traces));
  fmt::print("{}: {} traces of {} events\n", space.name, traces, longest);
}

std::string test_name(const testing::TestParamInfo<TraceSpace>& info) {
  std::string name;
  bool is_new_word = true;
  for (const char c : info.param.name) {
    const bool is_letter = std::isalpha(static_cast<unsigned char>(c)) != 0;
    if (is_letter) name += is_new_word ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    is_new_word = !is_letter;
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Differential, AllSmallTraces, testing::ValuesIn(trace_spaces().begin(), trace_spaces().end()),
                         test_name);

// Calls `check_seed` for the seeds that were asked for, or else those up to `last`.
template <class CheckSeed>
void for_each_seed(uint64_t last, CheckSeed check_seed) {
  uint64_t first = 0;
  if (const char* seeds = std::getenv("DEADHEAT_SEEDS"); seeds != nullptr) {
    char* end = nullptr;
    first = last = std::strtoull(seeds, &end, 10);
    if (*end == '-') last = std::strtoull(end + 1, nullptr, 10);
  }
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  for (uint64_t seed = first; seed <= last; ++seed) {
    const std::string repeat =
        fmt::format("DEADHEAT_SEEDS={} {}{}.{}", seed, kProgram, test->test_suite_name(), test->name());
    ASSERT_EQ(check_seed(seed, repeat), "");
  }
}

// What is asked depends on the seed alone, so that a seed repeats what it did in a longer run.
TEST(RandomTraces, AgreeWithTheOracle) {
  for_each_seed(kLastSeed, [](uint64_t seed, const std::string& repeat) {
    const Questions questions{.all = seed % 4 < 2, .jobs = seed % 16 < 2, .batch = seed % 64 < 2 ? 5u : 4096u};
    return check(random_trace(seed), questions, repeat);
  });
}

TEST(RandomTraces, AgreeWithTheOracleOnWholeObjects) {
  for_each_seed(kLastSeed / 10, [](uint64_t seed, const std::string& repeat) {
    TestTrace trace = random_trace(seed);
    std::erase_if(trace.events, [](const Event& event) { return event.is_range; });
    return check(trace, {.coarse = true, .all = seed % 4 < 2, .jobs = seed % 16 < 2}, repeat);
  });
}

}  // namespace
}  // namespace deadheat::test
