// What the shapes of synthetic traces are made of: a source of randomness, a sink for events, and the interface by
// which the frame in trace_generator.cpp drives them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "event/event.h"
#include "event/names.h"
#include "replay/trace_generator.h"

namespace deadheat {

// Numbers that depend on the seed alone, on every machine (splitmix64).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }
  uint32_t below(uint32_t limit) { return static_cast<uint32_t>((next() >> 32) * limit >> 32); }
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  bool chance(double probability) { return unit() < probability; }

 private:
  uint64_t state_;
};

// Takes events and hands out ids; names are made up when a thing is first used.
class EventSink {
 public:
  EventSink(Names& names, std::vector<Event>& events) : names_(names), events_(events) {}

  void access(uint32_t thread, EventKind kind, VariableId variable, LocationId location) {
    events_.push_back({index(variable), 0, ThreadId{thread}, location, kind});
  }
  // An operation on a thing of any other space, by its id there.
  void operation(uint32_t thread, EventKind kind, uint64_t target, LocationId location) {
    events_.push_back({target, 0, ThreadId{thread}, location, kind});
  }
  void alloc(uint32_t thread, ObjectId array, uint64_t elements, LocationId location) {
    events_.push_back({index(array), elements, ThreadId{thread}, location, EventKind::kAlloc});
  }
  size_t size() const { return events_.size(); }
  Names& names() { return names_; }

 private:
  Names& names_;
  std::vector<Event>& events_;
};

// Ids of a numbered family of things, named when first asked for.
template <class Id>
class LazyIds {
 public:
  explicit LazyIds(size_t count = 0) : ids_(count, UINT32_MAX) {}
  template <class MakeId>
  Id get(size_t i, MakeId&& make) {
    if (ids_[i] == UINT32_MAX) ids_[i] = static_cast<uint32_t>(make());
    return static_cast<Id>(ids_[i]);
  }

 private:
  std::vector<uint32_t> ids_;
};

class ShapeMaker {
 public:
  virtual ~ShapeMaker() = default;
  // Events of thread 0 before it forks the others, at most `budget`.
  virtual void prologue(EventSink& sink, uint32_t budget) { (void)sink, (void)budget; }
  // Events of the running threads: at least one, at most `budget`, which is never less than `smallest_budget`.
  virtual void step(EventSink& sink, uint32_t budget) = 0;
  virtual uint32_t smallest_budget() const = 0;
  // Gives back all locks: at most one event a thread.
  virtual void close(EventSink& sink) { (void)sink; }
};

std::unique_ptr<ShapeMaker> make_mix(const GeneratorOptions& options);
std::unique_ptr<ShapeMaker> make_sweep(const GeneratorOptions& options);
std::unique_ptr<ShapeMaker> make_one_lock(const GeneratorOptions& options);
std::unique_ptr<ShapeMaker> make_loop(const GeneratorOptions& options);
std::unique_ptr<ShapeMaker> make_cold(const GeneratorOptions& options);

// All threads meet at a barrier: 2 events each.
void meet(EventSink& sink, uint32_t threads, BarrierId barrier, LocationId location);

}  // namespace deadheat
