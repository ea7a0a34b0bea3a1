// The shapes that show one thing each: `sweep`, `one-lock`, `loop` and `cold`.
#include <fmt/format.h>

#include <algorithm>

#include "replay/trace_shape.h"

namespace deadheat {

namespace {

// Arrays swept between barriers. In each phase the threads share one array out among them and read a second one. An
// array is always swept in the way that is its own, as programs do: in blocks, in strides, or a prefix of it by one
// thread while all read the second array as a whole.
class Sweep final : public ShapeMaker {
 public:
  explicit Sweep(const GeneratorOptions& options)
      : threads_(options.threads), random_(options.seed), next_(threads_), length_(length_for(options)) {
    arrays_ = static_cast<uint32_t>(std::clamp<uint64_t>(options.variables / length_, 2, 64));
    elements_ = LazyIds<VariableId>(size_t{arrays_} * length_);
    prefix_ = 1 + random_.below(length_);
    begin_phase();
  }

  void prologue(EventSink& sink, uint32_t budget) override {
    const LocationId make = sink.names().locations.intern("sweep.c:10");
    for (uint32_t a = 0; a < std::min(arrays_, budget); ++a)
      sink.alloc(0, sink.names().objects.intern(fmt::format("A{}", a)), length_, make);
  }

  void step(EventSink& sink, uint32_t budget) override {
    uint32_t thread = random_.below(threads_);
    uint32_t tried = 0;
    while (tried < threads_ && next_[thread] >= end_of(thread)) {
      thread = thread + 1 < threads_ ? thread + 1 : 0;
      ++tried;
    }
    if (tried == threads_) {
      meet(sink, threads_, sink.names().barriers.intern("B"), sink.names().locations.intern("sweep.c:90"));
      begin_phase();
      return;
    }
    const uint32_t run = std::min(16 + random_.below(240), budget / 2);
    for (uint32_t i = 0; i < run && next_[thread] < end_of(thread); ++i) touch(sink, thread);
  }
  uint32_t smallest_budget() const override { return 2 * threads_ + 2; }

 private:
  enum Pattern : uint32_t { kBlock, kStride, kPrefix, kPatterns };

  static uint32_t length_for(const GeneratorOptions& options) {
    const uint64_t wanted = std::min<uint64_t>(options.variables / 2, options.events / 16);
    return static_cast<uint32_t>(std::clamp<uint64_t>(wanted, 16, 16384));
  }

  void begin_phase() {
    written_ = random_.below(arrays_);
    const uint32_t patterns = std::min<uint32_t>(kPatterns, arrays_ / 2);
    pattern_ = static_cast<Pattern>(written_ % patterns);
    const uint32_t alike = (arrays_ - pattern_ + patterns - 1) / patterns;  // arrays that are swept in the same way
    read_ = (written_ / patterns + 1 + random_.below(alike - 1)) % alike * patterns + pattern_;
    chosen_ = random_.below(threads_);
    for (uint32_t t = 0; t < threads_; ++t)
      next_[t] = pattern_ == kBlock ? first_of_block(t) : pattern_ == kStride ? t : 0;
  }
  uint32_t first_of_block(uint32_t t) const { return static_cast<uint32_t>(uint64_t{length_} * t / threads_); }
  uint32_t end_of(uint32_t t) const {
    if (pattern_ == kBlock) return first_of_block(t + 1);
    return pattern_ == kPrefix && t == chosen_ ? prefix_ : length_;
  }
  VariableId element(EventSink& sink, uint32_t array, uint32_t i) {
    return elements_.get(size_t{array} * length_ + i,
                         [&] { return sink.names().intern_variable(fmt::format("A{}[{}]", array, i)); });
  }
  LocationId line(EventSink& sink, uint32_t number) {
    return lines_.get(number, [&] { return sink.names().locations.intern(fmt::format("sweep.c:{}", 20 + number)); });
  }

  // A read of the one array, and a write of the other by the thread that owns it.
  void touch(EventSink& sink, uint32_t t) {
    const uint32_t i = next_[t];
    next_[t] += pattern_ == kStride ? threads_ : 1;
    sink.access(t, EventKind::kRead, element(sink, read_, i), line(sink, 2 * pattern_));
    if (pattern_ != kPrefix || t == chosen_)
      sink.access(t, EventKind::kWrite, element(sink, written_, i), line(sink, 2 * pattern_ + 1));
  }

  uint32_t threads_;
  Random random_;
  std::vector<uint32_t> next_;  // by thread, the next index of its part
  uint32_t length_;
  uint32_t arrays_;
  Pattern pattern_ = kBlock;
  uint32_t written_ = 0, read_ = 0, prefix_ = 0, chosen_ = 0;
  LazyIds<VariableId> elements_;
  LazyIds<LocationId> lines_{2 * kPatterns};
};

// acq, r, w, rel of one lock and one variable by a thread drawn at random.
class OneLock final : public ShapeMaker {
 public:
  explicit OneLock(const GeneratorOptions& options) : threads_(options.threads), random_(options.seed) {}
  void step(EventSink& sink, uint32_t) override {
    Names& names = sink.names();
    const uint32_t t = random_.below(threads_);
    const uint64_t lock = index(names.locks.intern("L"));
    const VariableId x = names.intern_variable("x");
    sink.operation(t, EventKind::kAcquire, lock, names.locations.intern("lock.c:10"));
    sink.access(t, EventKind::kRead, x, names.locations.intern("lock.c:11"));
    sink.access(t, EventKind::kWrite, x, names.locations.intern("lock.c:12"));
    sink.operation(t, EventKind::kRelease, lock, names.locations.intern("lock.c:13"));
  }
  uint32_t smallest_budget() const override { return 4; }

 private:
  uint32_t threads_;
  Random random_;
};

// Every thread walks its own eight variables through the same eight lines a hundred times, then adds to a shared sum.
class Loop final : public ShapeMaker {
 public:
  explicit Loop(const GeneratorOptions& options)
      : threads_(options.threads), random_(options.seed), at_(threads_), variables_(size_t{threads_} * kBody) {}

  void step(EventSink& sink, uint32_t budget) override {
    Names& names = sink.names();
    const uint32_t t = random_.below(threads_);
    const uint32_t run = std::min(8 + random_.below(248), budget);
    for (uint32_t i = 0; i < run; ++i, ++at_[t]) {
      if (at_[t] == kBody * kTurns) {
        if (run - i < kSumEvents) return;
        const uint64_t lock = index(names.locks.intern("L"));
        const VariableId sum = names.intern_variable("sum");
        sink.operation(t, EventKind::kAcquire, lock, names.locations.intern("loop.c:30"));
        sink.access(t, EventKind::kRead, sum, names.locations.intern("loop.c:31"));
        sink.access(t, EventKind::kWrite, sum, names.locations.intern("loop.c:32"));
        sink.operation(t, EventKind::kRelease, lock, names.locations.intern("loop.c:33"));
        at_[t] = 0;
        return;
      }
      const uint32_t k = at_[t] % kBody;
      const VariableId v =
          variables_.get(t * kBody + k, [&] { return names.intern_variable(fmt::format("local{}.f{}", t, k)); });
      const LocationId line = lines_.get(k, [&] { return names.locations.intern(fmt::format("loop.c:{}", 10 + k)); });
      sink.access(t, k % 4 == 3 ? EventKind::kWrite : EventKind::kRead, v, line);
    }
  }
  uint32_t smallest_budget() const override { return 8; }

 private:
  static constexpr uint32_t kBody = 8;
  static constexpr uint32_t kTurns = 100;
  static constexpr uint32_t kSumEvents = 4;
  uint32_t threads_;
  Random random_;
  std::vector<uint32_t> at_;  // by thread, the place in its loop
  LazyIds<VariableId> variables_;
  LazyIds<LocationId> lines_{kBody};
};

// The threads write each variable once, in turn; from then on they only take and give back one of sixteen locks.
class Cold final : public ShapeMaker {
 public:
  explicit Cold(const GeneratorOptions& options)
      : threads_(options.threads),
        variables_(static_cast<uint32_t>(std::min<uint64_t>(options.variables, options.events / 4))),
        random_(options.seed) {}

  void step(EventSink& sink, uint32_t budget) override {
    Names& names = sink.names();
    const uint32_t t = random_.below(threads_);
    if (next_ < variables_) {
      const LocationId line = names.locations.intern("cold.c:10");
      const uint32_t end = std::min({variables_, next_ + 64, next_ + budget});
      for (; next_ < end; ++next_)
        sink.access(t, EventKind::kWrite, names.intern_variable(fmt::format("V{}", next_)), line);
      return;
    }
    const uint32_t number = random_.below(kLocks);
    const uint64_t lock = index(locks_.get(number, [&] { return names.locks.intern(fmt::format("L{}", number)); }));
    sink.operation(t, EventKind::kAcquire, lock, names.locations.intern("cold.c:20"));
    sink.operation(t, EventKind::kRelease, lock, names.locations.intern("cold.c:21"));
  }
  uint32_t smallest_budget() const override { return 2; }

 private:
  static constexpr uint32_t kLocks = 16;
  uint32_t threads_;
  uint32_t variables_;
  uint32_t next_ = 0;
  Random random_;
  LazyIds<LockId> locks_{kLocks};
};

}  // namespace

std::unique_ptr<ShapeMaker> make_sweep(const GeneratorOptions& options) { return std::make_unique<Sweep>(options); }
std::unique_ptr<ShapeMaker> make_one_lock(const GeneratorOptions& options) {
  return std::make_unique<OneLock>(options);
}
std::unique_ptr<ShapeMaker> make_loop(const GeneratorOptions& options) { return std::make_unique<Loop>(options); }
std::unique_ptr<ShapeMaker> make_cold(const GeneratorOptions& options) { return std::make_unique<Cold>(options); }

}  // namespace deadheat
