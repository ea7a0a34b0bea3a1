// Synthetic traces: well-formed, race-free unless asked otherwise, the same for the same options and seed.
//
// Idea     A shape makes the events of running threads. The frame around it names things, forks and joins the threads
//          and counts, so that the number of events is exact. A generator is a TraceReader: benchmarks and analyses
//          use it in place of a file.
// Promises Exactly the asked number of events; at the end every lock is free and every thread joined. Races are on the
//          variables `racy0`, `racy1` ... and on no others. Memory depends on threads and variables, not on events.
// Cost     15 to 30 ns an event.
// Tested by test/unit/trace_generator_test.cpp
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "event/trace.h"

namespace deadheat {

enum class TraceShape : uint8_t { kMix, kObjects, kSweep, kOneLock, kLoop, kCold };

struct TraceShapeInfo {
  TraceShape shape;
  std::string_view name;
  std::string_view meaning;
};
inline constexpr TraceShapeInfo kTraceShapes[] = {
    {TraceShape::kMix, "mix", "the operations of FastTrack's benchmarks: local, locked, read-shared and array data"},
    {TraceShape::kObjects, "objects", "as mix, but without arrays"},
    {TraceShape::kSweep, "sweep", "arrays swept in blocks, strides and prefixes between barriers"},
    {TraceShape::kOneLock, "one-lock", "all threads, one lock, one variable"},
    {TraceShape::kLoop, "loop", "the same few accesses over and over"},
    {TraceShape::kCold, "cold", "every variable touched once, then only synchronisation"},
};

struct GeneratorOptions {
  uint64_t events = 1'000'000;
  uint32_t threads = 4;
  uint32_t variables = 1'000'000;  // at most so many; a short trace does not come to all of them
  double reads = 82;               // per cent of all events; used by `mix` and `objects`
  double writes = 14;
  uint64_t seed = 1;
  TraceShape shape = TraceShape::kMix;
  uint32_t races = 0;  // racy variables, at even distances
};

// Throws std::invalid_argument, with a sentence, for options that cannot be met.
std::unique_ptr<TraceReader> generate_trace(const GeneratorOptions& options);

}  // namespace deadheat
