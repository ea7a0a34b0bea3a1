#include "differential/trace_random.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <random>
#include <set>

#include "differential/well_formed.h"

namespace deadheat::test {
namespace {

// Not std::uniform_int_distribution: its results differ between standard libraries, and a seed must mean one trace.
class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed * 0x9E3779B97F4A7C15u + 1) {}
  size_t below(size_t n) { return static_cast<size_t>(engine_() % n); }
  size_t between(size_t low, size_t high) { return low + below(high - low + 1); }
  bool chance(double p) { return static_cast<double>(engine_() >> 11) * 0x1p-53 < p; }
  template <class Container>
  auto& pick(Container& from) {
    return from[below(std::size(from))];
  }

 private:
  std::mt19937_64 engine_;
};

constexpr MemoryOrder kLoadOrders[] = {MemoryOrder::kRelaxed, MemoryOrder::kConsume, MemoryOrder::kAcquire,
                                       MemoryOrder::kSeqCst};
constexpr MemoryOrder kStoreOrders[] = {MemoryOrder::kRelaxed, MemoryOrder::kRelease, MemoryOrder::kSeqCst};
constexpr MemoryOrder kAllOrders[] = {MemoryOrder::kRelaxed, MemoryOrder::kConsume, MemoryOrder::kAcquire,
                                      MemoryOrder::kRelease, MemoryOrder::kAcqRel,  MemoryOrder::kSeqCst};

// What both styles share: the trace so far, its names, and the rules.
class Generator {
 public:
  explicit Generator(uint64_t seed) : dice_(seed), few_locations_(dice_.chance(0.3)) {}

 protected:
  static Event make(EventKind kind, uint64_t target = 0, MemoryOrder order = MemoryOrder::kRelaxed) {
    Event event;
    event.kind = kind;
    event.target = target;
    event.order = order;
    return event;
  }
  static Event make_range(EventKind kind, uint64_t address, uint64_t size) {
    Event event = make(kind, address);
    event.size = size;
    event.is_range = true;
    return event;
  }

  bool emit(size_t thread, Event event) {
    event.thread = static_cast<ThreadId>(thread);
    if (!rules_.accept(event)) return false;
    const size_t number = trace_.events.size();
    const std::string location = std::to_string(few_locations_ ? dice_.below(6) : number);
    if (few_locations_) {
      const auto found = std::find(trace_.locations.begin(), trace_.locations.end(), location);
      event.location = static_cast<LocationId>(found - trace_.locations.begin());
      if (found == trace_.locations.end()) trace_.locations.push_back(location);
    } else {
      event.location = static_cast<LocationId>(number);
      trace_.locations.push_back(location);
    }
    trace_.events.push_back(event);
    return true;
  }

  void name(Operand operand, std::string_view prefix, size_t count) {
    std::vector<std::string>& table = trace_.names[static_cast<size_t>(operand)];
    while (table.size() < count) table.push_back(fmt::format("{}{}", prefix, table.size()));
  }
  uint64_t new_name(Operand operand, std::string name) {
    std::vector<std::string>& table = trace_.names[static_cast<size_t>(operand)];
    table.push_back(std::move(name));
    return table.size() - 1;
  }

  MemoryOrder any_order(EventKind kind) {
    if (kind == EventKind::kAtomicLoad || kind == EventKind::kCasFail) return dice_.pick(kLoadOrders);
    if (kind == EventKind::kAtomicStore) return dice_.pick(kStoreOrders);
    return dice_.pick(kAllOrders);
  }

  Dice dice_;
  const bool few_locations_;
  WellFormed rules_;
  TestTrace trace_;
};

class ChaoticGenerator : Generator {
 public:
  using Generator::Generator;

  TestTrace run() {
    const size_t threads = dice_.between(2, 5);
    const size_t length = dice_.between(8, 60);
    choose_letters();
    name(Operand::kThread, "T", threads);
    for (size_t tries = 0; trace_.events.size() < length && tries < 20 * length; ++tries) {
      Event event = dice_.chance(access_share_) ? dice_.pick(accesses_) : dice_.pick(letters_);
      if (info(event.kind).has_order) event.order = any_order(event.kind);
      if (info(event.kind).operand == Operand::kThread) event.target = dice_.below(threads);
      emit(dice_.below(threads), event);
    }
    return std::move(trace_);
  }

 private:
  void add_letters(std::initializer_list<EventKind> kinds, size_t names) {
    for (const EventKind kind : kinds)
      for (size_t id = 0; id < names; ++id) letters_.push_back(make(kind, id));
  }

  // A few families of operations each time, so that those that are there meet often.
  void choose_letters() {
    access_share_ = dice_.chance(0.5) ? 0.2 : 0.4;
    choose_accesses();
    name(Operand::kLock, "L", 2);
    name(Operand::kMessage, "M", 1);
    name(Operand::kBarrier, "B", 2);
    name(Operand::kSemaphore, "S", 1);
    name(Operand::kCondition, "C", 1);
    do {
      if (dice_.chance(0.4)) add_letters({EventKind::kAcquire, EventKind::kRelease}, dice_.between(1, 2));
      if (dice_.chance(0.3))
        add_letters({EventKind::kReadAcquire, EventKind::kReadRelease, EventKind::kAcquire, EventKind::kRelease}, 1);
      if (dice_.chance(0.4)) add_letters({EventKind::kFork, EventKind::kJoin}, 1);
      if (dice_.chance(0.3)) add_letters({EventKind::kBarrierEnter, EventKind::kBarrierLeave}, dice_.between(1, 2));
      if (dice_.chance(0.2)) add_letters({EventKind::kSend, EventKind::kReceive}, 1);
      if (dice_.chance(0.2)) add_letters({EventKind::kPost, EventKind::kSemaphoreWait}, 1);
      if (dice_.chance(0.1)) add_letters({EventKind::kSeenEnded}, 1);
      if (dice_.chance(0.1)) add_letters({EventKind::kWait, EventKind::kNotify, EventKind::kBegin, EventKind::kEnd}, 1);
      if (dice_.chance(0.3)) add_flag({EventKind::kVolatileRead, EventKind::kVolatileWrite});
      if (dice_.chance(0.5)) {
        add_flag({EventKind::kAtomicLoad, EventKind::kAtomicStore, EventKind::kAtomicRmw, EventKind::kCasOk,
                  EventKind::kCasFail});
        if (dice_.chance(0.7)) letters_.insert(letters_.end(), 4, make(EventKind::kFence));
      }
    } while (letters_.empty());
  }

  // Atomic or volatile operations on a variable of their own, on a plain one, on bytes, or of no bytes.
  void add_flag(std::initializer_list<EventKind> kinds) {
    const size_t form = dice_.below(5);
    const uint64_t own = new_name(Operand::kVariable, fmt::format("f{}", letters_.size()));
    for (const EventKind kind : kinds) {
      if (form == 0) letters_.push_back(make_range(kind, 0x100, 4));
      if (form == 1) letters_.push_back(make(kind, 0));
      if (form == 2) letters_.push_back(make_range(kind, 0x100, 0));
      if (form >= 3) letters_.push_back(make(kind, own));
    }
  }

  void choose_accesses() {
    const std::vector<std::string> variables = {"x", "A[0]", "A[1]", "A.f"};
    for (const std::string& variable : variables) new_name(Operand::kVariable, variable);
    new_name(Operand::kObject, "A");
    const size_t used = dice_.between(1, variables.size());
    for (size_t id = 0; id < used; ++id)
      for (const EventKind kind : {EventKind::kRead, EventKind::kWrite}) accesses_.push_back(make(kind, id));
    if (dice_.chance(0.2)) {
      for (const EventKind kind : {EventKind::kAlloc, EventKind::kFree}) letters_.push_back(make(kind));
      letters_[letters_.size() - 2].size = 2;
    }
    if (dice_.chance(0.3)) {
      for (size_t i = 0; i < 6; ++i)
        for (const EventKind kind : {EventKind::kRead, EventKind::kWrite})
          accesses_.push_back(make_range(kind, 0x100 + dice_.below(8), dice_.between(1, 9)));
      if (dice_.chance(0.3)) {
        letters_.push_back(make_range(EventKind::kAlloc, 0x102, dice_.between(1, 12)));
        letters_.push_back(make_range(EventKind::kFree, 0x102, 0));
      }
    }
  }

  double access_share_ = 0;
  std::vector<Event> accesses_, letters_;
};

enum class Discipline { kOwner, kLock, kReaderLock, kVolatile, kAtomic, kMessage, kSemaphore, kBarrier, kReadOnly };
constexpr Discipline kDisciplines[] = {
    Discipline::kOwner,      Discipline::kOwner,      Discipline::kLock,     Discipline::kLock,    Discipline::kLock,
    Discipline::kReaderLock, Discipline::kReaderLock, Discipline::kVolatile, Discipline::kAtomic,  Discipline::kAtomic,
    Discipline::kMessage,    Discipline::kSemaphore,  Discipline::kBarrier,  Discipline::kReadOnly};

class DisciplinedGenerator : Generator {
 public:
  DisciplinedGenerator(uint64_t seed, size_t threads, size_t length) : Generator(seed), length_(length) {
    name(Operand::kThread, "T", threads);
    scripts_.resize(threads);
    const size_t roots = std::min(threads, dice_.between(1, 3));
    for (size_t thread = 0; thread < roots; ++thread) running_.push_back(thread);
    next_thread_ = roots;
    // Many threads may live at once, or few at a time: then their slots in the clocks are used again.
    most_running_ = dice_.chance(0.4) ? dice_.between(2, 6) : threads;
    // A script is about four events long; all threads should have come by two thirds of the trace.
    fork_share_ = std::max(0.15, 6.0 * static_cast<double>(threads) / static_cast<double>(length));
    mistakes_ = std::array{0.0, 0.05, 0.2, 0.5}[dice_.below(4)];
    patience_ = std::array{0.1, 0.4, 0.8, 1.0}[dice_.below(4)];
    make_objects();
  }

  TestTrace run() {
    for (size_t tries = 0; trace_.events.size() < length_ && tries < 20 * length_; ++tries) {
      const size_t thread = dice_.pick(running_);
      if (scripts_[thread].empty()) write_script(thread);
      // A script in one go keeps to disciplines that need more than the lock to be safe.
      const bool in_one_go = dice_.chance(patience_);
      do {
        if (scripts_[thread].empty() || !emit(thread, scripts_[thread].front())) break;
        scripts_[thread].pop_front();
      } while (in_one_go);
    }
    return std::move(trace_);
  }

 private:
  struct Object {
    Discipline discipline{};
    std::vector<uint64_t> variables;  // none: bytes
    uint64_t id = 0;                  // the object's name, or the address of its first byte
    uint64_t bytes = 0;
    uint64_t guard = 0;  // the lock, message, barrier, semaphore or flag that orders accesses
    bool flag_is_bytes = false;
    bool atomic_data = false;
    bool is_block = false;  // allocated and freed
    size_t owner = 0;
  };

  void make_objects() {
    const size_t count = dice_.between(1, 2 + length_ / 60);
    for (size_t i = 0; i < count; ++i) {
      Object object;
      object.discipline = dice_.pick(kDisciplines);
      object.guard = dice_.below(1 + count / 3);
      object.atomic_data = dice_.chance(0.15);
      object.is_block = dice_.chance(0.3);
      object.owner = dice_.pick(running_);
      if (dice_.chance(0.3)) {
        object.id = 0x1000 + 0x40 * i;
        object.bytes = dice_.between(2, 12);
      } else {
        const std::string base = fmt::format("O{}", i);
        object.id = new_name(Operand::kObject, base);
        const size_t variables = dice_.chance(0.5) ? 1 : dice_.between(2, 5);
        const bool is_array = dice_.chance(0.5);
        for (size_t v = 0; v < variables; ++v)
          object.variables.push_back(
              new_name(Operand::kVariable, is_array ? fmt::format("{}[{}]", base, v) : fmt::format("{}.f{}", base, v)));
      }
      if (object.discipline == Discipline::kVolatile || object.discipline == Discipline::kAtomic) {
        object.flag_is_bytes = dice_.chance(0.3);
        object.guard = object.flag_is_bytes ? 0x100000 + 0x10 * object.guard
                                            : new_name(Operand::kVariable, fmt::format("flag{}", i));
      }
      objects_.push_back(std::move(object));
    }
    name(Operand::kLock, "L", 1 + count);
    name(Operand::kMessage, "M", 1 + count);
    name(Operand::kBarrier, "B", 1 + count);
    name(Operand::kSemaphore, "S", 1 + count);
    name(Operand::kCondition, "C", 1);
  }

  void write_script(size_t thread) {
    if (dice_.chance(fork_share_) && fork_or_join(thread)) return;
    if (dice_.chance(0.02)) {
      constexpr EventKind kinds[] = {EventKind::kBegin, EventKind::kEnd, EventKind::kNotify, EventKind::kWait};
      scripts_[thread].push_back(make(dice_.pick(kinds)));
      return;
    }
    write_access_script(thread, dice_.pick(objects_));
  }

  bool fork_or_join(size_t thread) {
    if (next_thread_ < scripts_.size() && running_.size() < most_running_ &&
        (running_.size() == 1 || dice_.chance(0.7))) {
      const size_t child = next_thread_++;
      emit(thread, make(EventKind::kFork, child));
      running_.push_back(child);
      for (Object& object : objects_)
        if (object.owner == thread && dice_.chance(0.5)) object.owner = child;
      return true;
    }
    const size_t at = dice_.below(running_.size());
    const size_t ended = running_[at];
    if (ended == thread || !scripts_[ended].empty()) return false;
    emit(thread, make(EventKind::kJoin, ended));
    running_.erase(running_.begin() + static_cast<ptrdiff_t>(at));
    for (Object& object : objects_)
      if (object.owner == ended) object.owner = thread;
    return true;
  }

  Event access(const Object& object, bool writes) {
    EventKind kind = writes ? EventKind::kWrite : EventKind::kRead;
    if (object.atomic_data && !dice_.chance(mistakes_)) {
      constexpr EventKind kWriting[] = {EventKind::kAtomicStore, EventKind::kAtomicRmw, EventKind::kCasOk};
      constexpr EventKind kReading[] = {EventKind::kAtomicLoad, EventKind::kCasFail};
      kind = writes ? dice_.pick(kWriting) : dice_.pick(kReading);
    }
    Event event;
    if (object.variables.empty()) {
      const uint64_t size = std::min<uint64_t>(object.bytes, object.atomic_data ? 4 : dice_.between(1, 8));
      const uint64_t at = object.atomic_data ? 0 : dice_.below(object.bytes - size + 1);
      event = make_range(kind, object.id + at, size);
    } else {
      event = make(kind, object.variables[dice_.below(object.variables.size())]);
    }
    if (info(kind).has_order) event.order = any_order(kind);
    return event;
  }

  // One or more accesses; now and then the end of the block and its next beginning.
  void add_accesses(std::deque<Event>& script, const Object& object, bool writes) {
    for (size_t i = dice_.between(1, 3); i > 0; --i) script.push_back(access(object, writes && dice_.chance(0.6)));
    if (!object.is_block || !writes || !dice_.chance(0.15)) return;
    Event alloc = make(EventKind::kAlloc, object.id);
    Event free = make(EventKind::kFree, object.id);
    alloc.size = object.variables.empty() ? object.bytes : object.variables.size();
    alloc.is_range = free.is_range = object.variables.empty();
    if (allocated_.contains(object.id) || !free.is_range) script.push_back(free);
    if (dice_.chance(0.8)) {
      script.push_back(alloc);
      allocated_.insert(object.id);
    } else {
      allocated_.erase(object.id);
    }
  }

  void add_pair(std::deque<Event>& script, const Object& object, EventKind before, EventKind after, bool writes) {
    script.push_back(make(before, object.guard));
    const bool nested = dice_.chance(0.1);
    if (nested) script.push_back(make(before, object.guard));
    add_accesses(script, object, writes);
    if (nested) script.push_back(make(after, object.guard));
    script.push_back(make(after, object.guard));
  }

  Event flag(const Object& object, EventKind kind, MemoryOrder order = MemoryOrder::kRelaxed) {
    Event event = object.flag_is_bytes ? make_range(kind, object.guard, 4) : make(kind, object.guard);
    event.order = info(kind).has_order && dice_.chance(mistakes_) ? any_order(kind) : order;
    return event;
  }

  void write_atomic_script(std::deque<Event>& script, const Object& object) {
    switch (dice_.below(4)) {
      case 0:
        script.push_back(flag(object, EventKind::kAtomicRmw, MemoryOrder::kAcqRel));
        add_accesses(script, object, true);
        script.push_back(flag(object, EventKind::kAtomicRmw, MemoryOrder::kRelease));
        return;
      case 1:
        script.push_back(flag(object, EventKind::kAtomicLoad, MemoryOrder::kAcquire));
        add_accesses(script, object, true);
        script.push_back(flag(object, EventKind::kAtomicStore, MemoryOrder::kRelease));
        return;
      case 2:
        script.push_back(flag(object, EventKind::kAtomicLoad));
        script.push_back(make(EventKind::kFence, 0, MemoryOrder::kAcquire));
        add_accesses(script, object, true);
        script.push_back(make(EventKind::kFence, 0, dice_.chance(0.5) ? MemoryOrder::kRelease : MemoryOrder::kSeqCst));
        script.push_back(flag(object, dice_.chance(0.5) ? EventKind::kAtomicStore : EventKind::kAtomicRmw));
        return;
      default:
        script.push_back(flag(object, EventKind::kCasFail, MemoryOrder::kSeqCst));
        add_accesses(script, object, true);
        script.push_back(flag(object, EventKind::kCasOk, MemoryOrder::kSeqCst));
        return;
    }
  }

  // A phase: one thread writes, all that are free enter; those that leave read what was written.
  void run_barrier(size_t writer, const Object& object) {
    emit(writer, access(object, true));
    std::vector<size_t> group;
    for (const size_t thread : running_)
      if (thread == writer || (scripts_[thread].empty() && dice_.chance(0.6))) group.push_back(thread);
    for (const size_t thread : group) emit(thread, make(EventKind::kBarrierEnter, object.guard));
    for (const size_t thread : group) {
      scripts_[thread].push_back(make(EventKind::kBarrierLeave, object.guard));
      if (dice_.chance(0.5)) scripts_[thread].push_back(access(object, false));
    }
  }

  void write_access_script(size_t thread, const Object& object) {
    std::deque<Event>& script = scripts_[thread];
    const bool writes = dice_.chance(0.5);
    if (dice_.chance(mistakes_)) return add_accesses(script, object, writes);
    switch (object.discipline) {
      case Discipline::kOwner:
        if (object.owner == thread) add_accesses(script, object, writes);
        return;
      case Discipline::kLock:
        return add_pair(script, object, EventKind::kAcquire, EventKind::kRelease, writes);
      case Discipline::kReaderLock:
        if (writes) return add_pair(script, object, EventKind::kAcquire, EventKind::kRelease, true);
        return add_pair(script, object, EventKind::kReadAcquire, EventKind::kReadRelease, false);
      case Discipline::kVolatile:
        script.push_back(flag(object, EventKind::kVolatileRead));
        add_accesses(script, object, writes);
        script.push_back(flag(object, EventKind::kVolatileWrite));
        return;
      case Discipline::kAtomic:
        return write_atomic_script(script, object);
      case Discipline::kMessage:
        return add_pair(script, object, EventKind::kReceive, EventKind::kSend, writes);
      case Discipline::kSemaphore:
        return add_pair(script, object, EventKind::kSemaphoreWait, EventKind::kPost, writes);
      case Discipline::kBarrier:
        return run_barrier(thread, object);
      case Discipline::kReadOnly:
        return add_accesses(script, object, false);
    }
  }

  const size_t length_;
  std::vector<std::deque<Event>> scripts_;  // by thread: what it is about to do
  std::vector<size_t> running_;
  size_t next_thread_ = 0;
  size_t most_running_ = 0;
  double fork_share_ = 0;
  double mistakes_ = 0;  // how often a script forgets its discipline
  double patience_ = 0;  // how often a script runs in one go
  std::vector<Object> objects_;
  std::set<uint64_t> allocated_;
};

}  // namespace

TestTrace random_trace(uint64_t seed) {
  Dice dice(~seed);
  if (seed % 2 == 0) return ChaoticGenerator(seed).run();
  if (seed % 100 == 99) {
    const size_t threads = dice.between(100, 300);
    return DisciplinedGenerator(seed, threads, dice.between(8 * threads, 12 * threads)).run();
  }
  if (seed % 20 == 19) return DisciplinedGenerator(seed, dice.between(8, 40), dice.between(200, 600)).run();
  return DisciplinedGenerator(seed, dice.between(2, 8), dice.between(30, 250)).run();
}

}  // namespace deadheat::test
