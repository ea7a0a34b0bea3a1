// What single rules and pieces cost, apart from any trace: the numbers behind a change to a hot path.
#include <benchmark/benchmark.h>

#include <vector>

#include "detect/djit.h"
#include "detect/fasttrack.h"
#include "event/event_block.h"
#include "event/names.h"

namespace deadheat {
namespace {

constexpr uint32_t kVariables = 1024;  // in the first level cache: what is measured is work, not memory

Event sync_event(EventKind kind, uint32_t thread, uint64_t target) {
  Event e;
  e.kind = kind;
  e.thread = static_cast<ThreadId>(thread);
  e.target = target;
  return e;
}

Access access_of(uint32_t thread, AccessKind kind, uint64_t event) {
  return {static_cast<ThreadId>(thread), kind, static_cast<LocationId>(1), event};
}

// Thread 0 forks `threads - 1` others, so that they know what it did before.
template <class D>
void fork_all(D& detector, uint32_t threads) {
  for (uint32_t t = 1; t < threads; ++t) detector.sync(sync_event(EventKind::kFork, 0, t));
}

template <class D>
void same_epoch(benchmark::State& state) {
  Arena arena;
  D detector(arena);
  std::vector<typename D::Var> variables(kVariables);
  for (auto& x : variables) detector.access(access_of(0, AccessKind::kRead, 0), x);
  uint64_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(detector.access(access_of(0, AccessKind::kRead, i), variables[i % kVariables]));
    ++i;
  }
}
BENCHMARK(same_epoch<FastTrack>);
BENCHMARK(same_epoch<Djit>);
BENCHMARK(same_epoch<BasicVC>);

// Every read is the first of its epoch, by the thread that read the variable last.
template <class D>
void read_exclusive(benchmark::State& state) {
  Arena arena;
  D detector(arena);
  std::vector<typename D::Var> variables(kVariables);
  uint64_t i = 0;
  for (auto _ : state) {
    if (i % kVariables == 0) detector.sync(sync_event(EventKind::kRelease, 0, 0));
    benchmark::DoNotOptimize(detector.access(access_of(0, AccessKind::kRead, i), variables[i % kVariables]));
    ++i;
  }
}
BENCHMARK(read_exclusive<FastTrack>);
BENCHMARK(read_exclusive<Djit>);
BENCHMARK(read_exclusive<BasicVC>);

// Threads take turns, each with an epoch of its own, on variables that all of them read.
template <class D>
void read_shared(benchmark::State& state) {
  const auto threads = static_cast<uint32_t>(state.range(0));
  Arena arena;
  D detector(arena);
  fork_all(detector, threads);
  std::vector<typename D::Var> variables(kVariables);
  uint64_t i = 0;
  for (auto _ : state) {
    const auto thread = static_cast<uint32_t>(i / kVariables % threads);
    if (i % kVariables == 0) detector.sync(sync_event(EventKind::kRelease, thread, thread));
    benchmark::DoNotOptimize(detector.access(access_of(thread, AccessKind::kRead, i), variables[i % kVariables]));
    ++i;
  }
}
BENCHMARK(read_shared<FastTrack>)->Arg(4)->Arg(16)->Arg(64);
BENCHMARK(read_shared<Djit>)->Arg(4)->Arg(16)->Arg(64);
BENCHMARK(read_shared<BasicVC>)->Arg(4)->Arg(16)->Arg(64);

// One lock that passes from thread to thread.
void lock_hand_over(benchmark::State& state) {
  const auto threads = static_cast<uint32_t>(state.range(0));
  Arena arena;
  HappensBefore order(arena);
  fork_all(order, threads);
  uint64_t i = 0;
  for (auto _ : state) {
    const auto thread = static_cast<uint32_t>(i++ % threads);
    order.sync(sync_event(EventKind::kAcquire, thread, 0));
    order.sync(sync_event(EventKind::kRelease, thread, 0));
  }
}
BENCHMARK(lock_hand_over)->Arg(2)->Arg(16)->Arg(64)->Arg(256);

void decode_block(benchmark::State& state) {
  constexpr uint32_t kEvents = 65536;
  Names names;
  names.threads.intern("T0");
  const LocationId location = names.locations.intern("a.c:1");
  EventBlockEncoder encoder;
  for (uint32_t i = 0; i < kEvents; ++i) {
    const VariableId variable = names.intern_variable("x" + std::to_string(i * 7 % 4096));
    Event e = sync_event(i % 8 == 0 ? EventKind::kWrite : EventKind::kRead, 0, index(variable));
    e.location = location;
    encoder.add({&e, 1});
  }
  std::string payload;
  for (const std::string_view column : encoder.finish()) payload += column;
  const size_t bytes = payload.size();
  payload.resize(bytes + EventBlockDecoder::kSlackBytes);
  std::vector<Event> out(EventBlockDecoder::kChunkEvents);
  EventBlockDecoder decoder;
  for (auto _ : state) {
    const char* wrong = decoder.begin(std::string_view(payload).substr(0, bytes), kEvents, names);
    while (wrong == nullptr && decoder.remaining() > 0)
      wrong = decoder.decode(out.data(), std::min<uint32_t>(decoder.remaining(), EventBlockDecoder::kChunkEvents));
    if (wrong != nullptr) state.SkipWithError(wrong);
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) * kEvents);
}
BENCHMARK(decode_block);

}  // namespace
}  // namespace deadheat
