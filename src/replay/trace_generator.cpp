#include "replay/trace_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "replay/trace_shape.h"

namespace deadheat {

namespace {

constexpr uint32_t kBatchEvents = 4096;
constexpr uint32_t kMaxThreads = 1'000'000;

std::unique_ptr<ShapeMaker> make_shape(const GeneratorOptions& options) {
  switch (options.shape) {
    case TraceShape::kMix:
    case TraceShape::kObjects:
      return make_mix(options);
    case TraceShape::kSweep:
      return make_sweep(options);
    case TraceShape::kOneLock:
      return make_one_lock(options);
    case TraceShape::kLoop:
      return make_loop(options);
    case TraceShape::kCold:
      return make_cold(options);
  }
  throw std::invalid_argument("unknown shape");
}

GeneratorOptions checked(const GeneratorOptions& options) {
  if (options.threads == 0 || options.threads > kMaxThreads)
    throw std::invalid_argument(fmt::format("the number of threads must be 1 to {}", kMaxThreads));
  if (options.variables < 16) throw std::invalid_argument("at least 16 variables are needed");
  const double accesses = options.reads + options.writes;
  if (!(options.reads >= 0 && options.writes >= 0 && accesses > 0 && accesses <= 100))
    throw std::invalid_argument("reads and writes are per cent of all events: together more than 0 and at most 100");
  if (options.races > 0 && options.threads < 2) throw std::invalid_argument("a race needs two threads");
  return options;
}

class TraceGenerator final : public TraceReader {
 public:
  explicit TraceGenerator(const GeneratorOptions& options);

  bool next(Batch& batch) override;
  std::string position(const Batch& batch, size_t i) const override {
    return fmt::format("generated event {}", batch.first_event + i);
  }
  double progress() const override { return static_cast<double>(events_) / static_cast<double>(options_.events); }

 private:
  enum class Stage { kStart, kRun, kEnd, kDone };

  void start(EventSink& sink);
  void step(EventSink& sink);
  void end(EventSink& sink);
  void race(EventSink& sink);
  // Events that closing needs at most: a release, an end and a join for each thread, and two more.
  uint64_t closing() const { return 3 * uint64_t{options_.threads} + 2; }

  GeneratorOptions options_;
  std::unique_ptr<ShapeMaker> shape_;
  Random random_;
  Stage stage_ = Stage::kStart;
  uint64_t events_ = 0;  // handed out in earlier batches
  uint32_t races_ = 0;
  uint64_t first_running_event_ = 0;
};

TraceGenerator::TraceGenerator(const GeneratorOptions& options)
    : options_(checked(options)), shape_(make_shape(options)), random_(options.seed ^ 0x72616365) {
  // A twentieth of the events may go to the prologue.
  const uint64_t parts = 2 * uint64_t{options.threads} + closing() + 2 * shape_->smallest_budget() + 2 * options.races;
  const uint64_t least = parts + parts / 19 + 1;
  if (options.events < least)
    throw std::invalid_argument(
        fmt::format("{} events are too few for these options; at least {} are needed", options.events, least));
  for (uint32_t t = 0; t < options.threads; ++t) names_.threads.intern(fmt::format("T{}", t));
}

bool TraceGenerator::next(Batch& batch) {
  batch.clear();
  batch.first_event = events_;
  const size_t known_variables = names_.variable_info.size();
  EventSink sink(names_, batch.events);
  if (stage_ == Stage::kStart) {
    start(sink);
  } else if (stage_ == Stage::kRun) {
    step(sink);
  } else if (stage_ == Stage::kEnd) {
    end(sink);
  }
  events_ += batch.events.size();
  batch.new_variables.assign(names_.variable_info.begin() + static_cast<ptrdiff_t>(known_variables),
                             names_.variable_info.end());
  return !batch.events.empty();
}

// Thread 0 prepares what the others will use and creates them.
void TraceGenerator::start(EventSink& sink) {
  const LocationId create = names_.locations.intern("main.c:20");
  const LocationId first = names_.locations.intern("main.c:30");
  shape_->prologue(sink, static_cast<uint32_t>(std::min<uint64_t>(options_.events / 20, UINT32_MAX)));
  for (uint32_t t = 1; t < options_.threads; ++t) {
    sink.operation(0, EventKind::kFork, t, create);
    sink.operation(t, EventKind::kBegin, 0, first);
  }
  first_running_event_ = sink.size();
  stage_ = Stage::kRun;
  if (sink.size() == 0) step(sink);
}

void TraceGenerator::step(EventSink& sink) {
  const uint32_t smallest = shape_->smallest_budget();
  const size_t full = std::max(kBatchEvents, 2 * smallest);
  const uint64_t races_left = 2 * uint64_t{options_.races - races_};
  const uint64_t reserve = closing() + races_left;
  const uint64_t left = options_.events - std::min(options_.events, events_ + reserve);
  const uint64_t running = options_.events - first_running_event_ - closing();
  while (sink.size() < full) {
    const uint64_t at = events_ + sink.size();
    if (races_ < options_.races && at - first_running_event_ >= running / options_.races * races_) race(sink);
    if (sink.size() + smallest > left) {
      stage_ = Stage::kEnd;
      if (sink.size() == 0) end(sink);
      return;
    }
    const uint64_t budget = std::min<uint64_t>(std::max<uint64_t>(full - sink.size(), smallest), left - sink.size());
    shape_->step(sink, static_cast<uint32_t>(budget));
  }
}

// Two accesses side by side, at least one of them a write, with nothing between that could order them.
void TraceGenerator::race(EventSink& sink) {
  const VariableId variable = names_.intern_variable(fmt::format("racy{}", races_++));
  const uint32_t first = random_.below(options_.threads);
  const uint32_t second = (first + 1 + random_.below(options_.threads - 1)) % options_.threads;
  const uint32_t kinds = random_.below(3);
  sink.access(first, kinds == 0 ? EventKind::kRead : EventKind::kWrite, variable,
              names_.locations.intern(fmt::format("racy.c:{}", 10 + kinds)));
  sink.access(second, kinds == 1 ? EventKind::kRead : EventKind::kWrite, variable,
              names_.locations.intern(fmt::format("racy.c:{}", 20 + kinds)));
}

// Locks are given back, the threads end and are joined; thread 0 fills up to the exact number.
void TraceGenerator::end(EventSink& sink) {
  while (races_ < options_.races) race(sink);
  shape_->close(sink);
  const LocationId last = names_.locations.intern("main.c:40");
  const LocationId wait = names_.locations.intern("main.c:50");
  for (uint32_t t = 1; t < options_.threads; ++t) sink.operation(t, EventKind::kEnd, 0, last);
  for (uint32_t t = 1; t < options_.threads; ++t) sink.operation(0, EventKind::kJoin, t, wait);
  const LocationId check = names_.locations.intern("main.c:60");
  const VariableId result = names_.intern_variable("result");
  while (events_ + sink.size() < options_.events) sink.access(0, EventKind::kRead, result, check);
  stage_ = Stage::kDone;
}

}  // namespace

std::unique_ptr<TraceReader> generate_trace(const GeneratorOptions& options) {
  return std::make_unique<TraceGenerator>(options);
}

void meet(EventSink& sink, uint32_t threads, BarrierId barrier, LocationId location) {
  for (uint32_t t = 0; t < threads; ++t) sink.operation(t, EventKind::kBarrierEnter, index(barrier), location);
  for (uint32_t t = 0; t < threads; ++t) sink.operation(t, EventKind::kBarrierLeave, index(barrier), location);
}

}  // namespace deadheat
