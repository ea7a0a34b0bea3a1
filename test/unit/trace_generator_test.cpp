#include "replay/trace_generator.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "engine/analysis.h"
#include "event/text_notation.h"

namespace deadheat::test {
namespace {

std::string text_of(const GeneratorOptions& options) {
  const auto generator = generate_trace(options);
  std::string text;
  Batch batch;
  while (generator->next(batch))
    for (const Event& event : batch.events) format_event(text, event, generator->names());
  return text;
}

// The validator and a precise detector say what the generator promises.
std::vector<std::string> racy_variables(const GeneratorOptions& options) {
  const auto generator = generate_trace(options);
  const AnalysisOptions analysis;
  Losses losses;
  const auto results = analyze(*generator, {&analysis, 1}, false, losses);
  EXPECT_EQ(results.at(0).findings.trace.events, options.events);
  EXPECT_EQ(results.at(0).findings.trace.threads, options.threads);
  std::vector<std::string> racy;
  for (const ReportedRace& race : results[0].findings.races) racy.push_back(race.variable);
  return racy;
}

TEST(TraceGenerator, EveryShapeIsWellFormedRaceFreeAndExact) {
  for (const TraceShapeInfo& shape : kTraceShapes)
    for (uint32_t threads : {1u, 2u, 5u, 100u})
      for (uint64_t events : {uint64_t{2001}, uint64_t{60000}}) {
        const GeneratorOptions options{
            .events = events, .threads = threads, .variables = 3000, .seed = threads + events, .shape = shape.shape};
        EXPECT_EQ(racy_variables(options), std::vector<std::string>{}) << shape.name << " " << threads << " " << events;
      }
}

TEST(TraceGenerator, RacesAreWhereTheyWereAskedFor) {
  for (const TraceShapeInfo& shape : kTraceShapes) {
    const GeneratorOptions options{.events = 20000, .threads = 3, .shape = shape.shape, .races = 7};
    EXPECT_EQ(racy_variables(options),
              (std::vector<std::string>{"racy0", "racy1", "racy2", "racy3", "racy4", "racy5", "racy6"}))
        << shape.name;
  }
}

TEST(TraceGenerator, TheSameSeedGivesTheSameTrace) {
  for (const TraceShapeInfo& shape : kTraceShapes) {
    GeneratorOptions options{.events = 5000, .threads = 4, .variables = 500, .seed = 7, .shape = shape.shape};
    const std::string first = text_of(options);
    EXPECT_TRUE(text_of(options) == first) << shape.name;
    options.seed = 8;
    EXPECT_FALSE(text_of(options) == first) << shape.name;
  }
}

TEST(TraceGenerator, MixHasTheOperationsAskedFor) {
  for (double reads : {82.0, 50.0}) {
    const GeneratorOptions options{.events = 400000, .threads = 8, .variables = 20000, .reads = reads, .writes = 14};
    const auto generator = generate_trace(options);
    std::map<EventKind, double> share;
    Batch batch;
    while (generator->next(batch))
      for (const Event& event : batch.events) share[event.kind] += 100.0 / 400000;
    EXPECT_NEAR(share[EventKind::kRead], reads, 1.5);
    EXPECT_NEAR(share[EventKind::kWrite], 14, 1.5);
    EXPECT_NEAR(share[EventKind::kAcquire] + share[EventKind::kRelease], 100 - reads - 14, 1.5);
  }
}

// How often an access is of the same epoch, counted by hand: the thread did the same to the variable since its last
// release, and for reads, it alone read it since the last write (FastTrack's R is then an epoch).
TEST(TraceGenerator, MixComesBackWithinAnEpochAsOftenAsThePaperCounted) {
  const GeneratorOptions options{.events = 3000000, .threads = 4, .variables = 30000};
  const auto generator = generate_trace(options);
  struct Variable {
    uint64_t read_epoch = UINT64_MAX, write_epoch = UINT64_MAX;
    ThreadId reader{UINT32_MAX};
    bool is_shared = false;  // read by several threads since the last write
  };
  std::vector<Variable> variables;
  std::vector<uint64_t> epoch(options.threads);
  uint64_t next_epoch = 0;
  for (uint64_t& e : epoch) e = next_epoch++;
  uint64_t reads = 0, same_reads = 0, shared_reads = 0, writes = 0, same_writes = 0;
  Batch batch;
  while (generator->next(batch)) {
    variables.resize(variables.size() + batch.new_variables.size());
    for (const Event& event : batch.events) {
      uint64_t& e = epoch[index(event.thread)];
      if (event.kind == EventKind::kRead) {
        Variable& v = variables[event.target];
        ++reads;
        v.is_shared |= v.reader != ThreadId{UINT32_MAX} && v.reader != event.thread;
        if (v.is_shared)
          ++shared_reads;
        else if (v.read_epoch == e)
          ++same_reads;
        v.read_epoch = e;
        v.reader = event.thread;
      } else if (event.kind == EventKind::kWrite) {
        Variable& v = variables[event.target];
        ++writes;
        if (v.write_epoch == e) ++same_writes;
        v.write_epoch = e;
        v.is_shared = false;
        v.reader = ThreadId{UINT32_MAX};
      } else if (event.kind == EventKind::kRelease || event.kind == EventKind::kBarrierEnter) {
        e = next_epoch++;
      }
    }
  }
  const auto share = [](uint64_t part, uint64_t all) {
    return 100.0 * static_cast<double>(part) / static_cast<double>(all);
  };
  EXPECT_NEAR(share(same_reads, reads), 63.4, 5);
  EXPECT_NEAR(share(shared_reads, reads), 20.8, 6);
  EXPECT_NEAR(share(same_writes, writes), 71, 4);
}

TEST(TraceGenerator, OptionsThatCannotBeMetAreRefused) {
  const auto refused = [](const GeneratorOptions& options) {
    try {
      generate_trace(options);
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  EXPECT_TRUE(refused({.events = 5}));
  EXPECT_TRUE(refused({.threads = 0}));
  EXPECT_TRUE(refused({.events = 1000, .threads = 1000}));
  EXPECT_TRUE(refused({.variables = 0}));
  EXPECT_TRUE(refused({.reads = 90, .writes = 11}));
  EXPECT_TRUE(refused({.reads = -1}));
  EXPECT_TRUE(refused({.reads = 0, .writes = 0}));
  EXPECT_TRUE(refused({.threads = 1, .races = 1}));
  EXPECT_FALSE(refused({}));
}

}  // namespace
}  // namespace deadheat::test
