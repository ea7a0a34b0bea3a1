// Array sweeps against the oracle: blocks, strides, prefixes, suffixes, downwards, from the middle both ways, at
// random, of named arrays and of blocks of bytes, with and without locks, freed and allocated again under way, in loops
// of one line and of several.
//
// DEADHEAT_SEEDS=first-last chooses the seeds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <random>

#include "differential/agreement.h"
#include "differential/oracle.h"
#include "differential/well_formed.h"

namespace deadheat::test {
namespace {

class Sweeps {
 public:
  explicit Sweeps(uint64_t seed) : random_(seed) {
    threads_ = between(2, 4);
    for (size_t t = 0; t < threads_; ++t) name(Operand::kThread, fmt::format("T{}", t));
    for (const char* lock : {"L0", "L1"}) name(Operand::kLock, lock);
    name(Operand::kBarrier, "B");
    const size_t arrays = between(1, 2);
    for (size_t a = 0; a < arrays; ++a) {
      Array array;
      array.is_bytes = chance(0.35);
      array.unit = array.is_bytes ? size_t{1} << below(4) : 1;
      array.length = pick({16, 16, 18, 20, 24, 32, 48, 17});
      array.id = array.is_bytes ? 0x1000 + 0x1000 * a + 8 * below(4) : name(Operand::kObject, fmt::format("A{}", a));
      for (size_t i = 0; !array.is_bytes && i < array.length + 2; ++i)
        array.variables.push_back(name(Operand::kVariable, fmt::format("A{}[{}]", a, i)));
      arrays_.push_back(std::move(array));
    }
    for (int i = 0; i < 6; ++i) trace_.locations.push_back(fmt::format("sweep.c:{}", i));
    locking_ = pick({0, 50, 90, 100});
    wildness_ = pick({0, 0, 0, 5, 30});
    patience_ = pick({1, 8, 40});
    scripts_.resize(threads_);
  }

  TestTrace run() {
    if (chance(0.9))
      for (Array& array : arrays_) {
        emit(0, allocation(array));
        if (array.is_bytes && chance(0.3)) emit(0, whole(array));
      }
    forked_ = chance(0.5);
    for (size_t t = 1; forked_ && t < threads_; ++t) emit(0, event(EventKind::kFork, t));
    const size_t length = between(60, 400);
    for (size_t tries = 0; trace_.events.size() < length && tries < 4 * length; ++tries) {
      const size_t t = below(threads_);
      if (scripts_[t].empty()) write_script(t);
      for (size_t i = 1 + below(2 * patience_); i > 0 && !scripts_[t].empty(); --i) {
        if (!emit(t, scripts_[t].front())) break;
        scripts_[t].pop_front();
      }
    }
    for (size_t t = 1; forked_ && t < threads_; ++t)
      if (chance(0.5) && emit(0, event(EventKind::kJoin, t))) sweep(scripts_[0], arrays_[below(arrays_.size())]);
    for (; !scripts_[0].empty(); scripts_[0].pop_front()) emit(0, scripts_[0].front());
    return std::move(trace_);
  }

 private:
  struct Array {
    bool is_bytes = false;
    size_t unit = 1, length = 0;
    uint64_t id = 0;
    std::vector<uint64_t> variables;
  };

  uint64_t below(uint64_t limit) { return random_() % limit; }
  uint64_t between(uint64_t low, uint64_t high) { return low + below(high - low + 1); }
  bool chance(double p) { return static_cast<double>(random_() >> 11) * 0x1.0p-53 < p; }
  size_t pick(std::initializer_list<size_t> of) { return of.begin()[below(of.size())]; }
  uint64_t name(Operand operand, const std::string& text) {
    auto& names = trace_.names[static_cast<size_t>(operand)];
    names.push_back(text);
    return names.size() - 1;
  }

  Event event(EventKind kind, uint64_t target) {
    Event e;
    e.kind = kind;
    e.target = target;
    e.location = static_cast<LocationId>(below(trace_.locations.size()));
    return e;
  }
  bool emit(size_t thread, Event e) {
    e.thread = static_cast<ThreadId>(thread);
    if (!well_formed_.accept(e)) return false;
    trace_.events.push_back(e);
    return true;
  }
  Event allocation(const Array& array) {
    Event e = event(EventKind::kAlloc, array.id);
    e.is_range = array.is_bytes;
    e.size = array.length * array.unit;
    return e;
  }
  // A memset, or a copy of all of it.
  Event whole(const Array& array) {
    Event e = event(chance(0.7) ? EventKind::kWrite : EventKind::kRead, array.id);
    e.location = static_cast<LocationId>(below(6));
    e.is_range = true;
    e.size = array.length * array.unit;
    return e;
  }
  Event access(const Array& array, EventKind kind, size_t i, LocationId location) {
    Event e = event(kind, array.is_bytes ? array.id + i * array.unit : array.variables[i]);
    e.location = location;
    e.is_range = array.is_bytes;
    e.size = array.is_bytes ? array.unit : 0;
    if (array.is_bytes && wildness_ > 0 && chance(0.02)) {  // not by whole elements, or by several
      e.target += below(array.unit);
      e.size = between(1, 3 * array.unit);
    }
    return e;
  }

  std::vector<size_t> indices(size_t n) {
    std::vector<size_t> list;
    const auto add = [&](size_t from, size_t to, size_t step) {
      for (size_t i = from; i < to; i += step) list.push_back(i);
    };
    const size_t block = pick({2, 4, 8, n / 2});
    const size_t some = between(1, n - 1);
    switch (below(9)) {
      case 0:
        add(0, n, 1);
        break;
      case 1:
        add(n / block / 2 * block, std::min(n, n / block / 2 * block + block), 1);
        break;
      case 2: {
        const size_t stride = pick({2, 3, 4, 6});
        add(below(stride), n, stride);
        break;
      }
      case 3:
        add(0, some, 1);
        break;
      case 4:
        add(some, n, 1);
        break;
      case 5:
        add(0, pick({n, some}), pick({1, 1, 2, 4}));
        std::reverse(list.begin(), list.end());
        break;
      case 6: {  // from the middle both ways, in turns
        for (size_t i = 0; i <= std::min(some, n - 1 - some); ++i) {
          list.push_back(some + i);
          if (i > 0) list.push_back(some - i);
        }
        break;
      }
      case 7: {  // one of equal shares
        const size_t shares = pick({2, 3, 4}), share = below(shares);
        add(n * share / shares, n * (share + 1) / shares, 1);
        break;
      }
      default:
        if (wildness_ == 0) return indices(n);
        for (size_t i = between(1, 6); i > 0; --i) list.push_back(below(n));
    }
    return list;
  }

  void sweep(std::deque<Event>& script, const Array& array) {
    const bool reads = chance(0.6), writes = !reads || chance(0.4);
    auto location = static_cast<LocationId>(below(3));
    LocationId other = static_cast<LocationId>(3 + below(3));
    // A loop of one line, of several lines in turn, or of code that goes another way each time.
    const size_t lines = chance(0.4) ? 1 : pick({2, 2, 3, 5}), turns = pick({0, 1, 1, 2});
    size_t turn = below(lines);
    for (const size_t i : indices(array.length)) {
      if (wildness_ > 0 && chance(0.01)) location = static_cast<LocationId>(below(3));
      if (lines > 1) {
        turn += turns == 0 ? below(lines) : turns;
        location = static_cast<LocationId>(turn % lines % 3);
        other = static_cast<LocationId>(3 + turn / 2 % lines % 3);
      }
      if (reads) script.push_back(access(array, EventKind::kRead, i, location));
      if (writes) script.push_back(access(array, EventKind::kWrite, i, other));
      if (chance(0.05)) script.push_back(access(array, EventKind::kRead, i, location));  // again
    }
    if (below(100) >= wildness_) return;
    if (!array.is_bytes && chance(0.3))
      script.push_back(access(array, EventKind::kWrite, array.length + below(2), location));  // beyond the end
    if (chance(0.3)) {
      Event e = access(array, chance(0.5) ? EventKind::kAtomicLoad : EventKind::kAtomicRmw, below(array.length), other);
      e.order = chance(0.5) ? MemoryOrder::kRelaxed : MemoryOrder::kSeqCst;
      script.push_back(e);
    }
  }

  void write_script(size_t t) {
    std::deque<Event>& script = scripts_[t];
    const Array& array = arrays_[below(arrays_.size())];
    const bool locked = below(100) < locking_;
    const uint64_t lock = chance(0.9) ? 0 : 1;
    if (chance(0.06)) {
      const uint64_t barrier = 0;
      script.push_back(event(EventKind::kBarrierEnter, barrier));
      script.push_back(event(EventKind::kBarrierLeave, barrier));
      return;
    }
    if (locked) script.push_back(event(EventKind::kAcquire, lock));
    if (chance(0.06)) {
      Event free = event(EventKind::kFree, array.id);
      free.is_range = array.is_bytes;
      script.push_back(free);
      if (chance(0.85)) script.push_back(allocation(array));
      if (array.is_bytes && chance(0.3)) script.push_back(whole(array));
    } else {
      if (array.is_bytes && chance(0.05)) script.push_back(whole(array));
      for (size_t i = between(1, 2); i > 0; --i) sweep(script, array);
    }
    if (locked) script.push_back(event(EventKind::kRelease, lock));
  }

  std::mt19937_64 random_;
  size_t threads_ = 0;
  bool forked_ = false;
  size_t locking_ = 0, wildness_ = 0, patience_ = 0;
  std::vector<Array> arrays_;
  std::vector<std::deque<Event>> scripts_;
  WellFormed well_formed_;
  TestTrace trace_;
};

TEST(ArraySweeps, AgreeWithTheOracle) {
  uint64_t first = 0, last = 3'000;
  if (const char* seeds = std::getenv("DEADHEAT_SEEDS"); seeds != nullptr) {
    char* end = nullptr;
    first = last = std::strtoull(seeds, &end, 10);
    if (*end == '-') last = std::strtoull(end + 1, nullptr, 10);
  }
  size_t racy = 0;
  for (uint64_t seed = first; seed <= last; ++seed) {
    const TestTrace trace = Sweeps(seed).run();
    if (seed % 16 == 0) racy += Oracle(trace).first_races().empty() ? 0 : 1;
    const Questions questions{.all = seed % 4 == 0, .jobs = seed % 16 == 1, .batch = seed % 64 < 2 ? 5u : 4096u};
    ASSERT_EQ(check(trace, questions,
                    fmt::format("DEADHEAT_SEEDS={} build/bin/differential_tests --gtest_filter=ArraySweeps.*", seed)),
              "");
  }
  if (last - first < 1000) return;
  EXPECT_GT(racy, (last - first) / 16 / 5);        // of those looked at, a good share has races
  EXPECT_LT(racy, (last - first) / 16 * 19 / 20);  // and some have none
}

}  // namespace
}  // namespace deadheat::test
