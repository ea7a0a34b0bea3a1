// The shapes `mix` and `objects`: what the benchmarks of the FastTrack paper do on average.
//
// Idea     Every thread works in rounds: some accesses to data of its own, then some more under a lock to the data of
//          that lock; all along it looks at read-shared data that thread 0 wrote before the threads began. Between two
//          releases, which is an epoch, it comes back to what it touched a moment ago as often as the paper counted.
//          Arrays are swept, as loops do: a third of the rounds begins with a sweep over the thread's own row of an
//          array, all reads or all writes, and half of the read-shared data are tables that are looked through as a
//          whole. From time to time all threads meet at a barrier: then their rows of the arrays change hands, and
//          thread 0 rewrites some of the read-shared data while the others wait.
// Numbers  Of the reads 63.4 % are of the same epoch, 20.8 % of read-shared data (14.6 % seen in this epoch before),
//          the rest exclusive; of the writes 71 % are of the same epoch.       FastTrack, Figure 2 and its section 3
// Places   A location in the code belongs to a function; a function walks one class of data and does one thing at
//          one line. A thread stays in a function for a round.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "replay/trace_shape.h"

namespace deadheat {

namespace {

constexpr uint32_t kHotShared = 512;    // read-shared variables that all threads look at for a while
constexpr uint32_t kLooksAtShared = 4;  // first looks after which they go on by one

constexpr double kReadSameEpoch = 0.634;
constexpr double kReadSharedAgain = 0.146;
// A sixteenth of the first looks begins a sweep of a table, so that as many elements of tables are read as others.
constexpr uint32_t kTableLength = 16;
constexpr double kTableChance = 1.0 / kTableLength;
constexpr double kReadSharedFirst = 0.062;
// Most exclusive reads that are the first of their epoch belong to sweeps, if there are arrays.
constexpr double kReadOwnFirst = 0.158;
constexpr double kReadOwnFirstBesideSweeps = 0.04;
constexpr double kSweepingRounds = 0.35;
// A write is less often part of a sweep than a read.
constexpr double kWritingSweeps = 0.25;
constexpr double kWriteSameEpoch = 0.71;

enum Class : uint32_t { kShared, kLocked, kLocal, kArray, kClassCount };
constexpr std::array<std::string_view, kClassCount> kFiles = {"config.c", "account.c", "worker.c", "matrix.c"};

constexpr uint32_t kFields = 4;     // of an object
constexpr uint32_t kFunctions = 8;  // for each class
// A function's lines: four kinds of access to four fields, and its lock.
enum Line : uint32_t {
  kFirstRead = 0,
  kReadAgain = 4,
  kFirstWrite = 8,
  kWriteAgain = 12,
  kLock = 16,
  kUnlock = 17,
  kLines
};
constexpr uint32_t kRewritten = 2 * kTableLength;  // read-shared variables that change at a barrier
constexpr uint32_t kRow = 16;                      // of an array; every thread has one

// Steers how often threads come back to what they touched in this epoch: an epoch begins with nothing to come back to,
// so the chance must lie above the share that is wanted, by an amount that depends on the length of epochs.
class Steering {
 public:
  explicit Steering(double wanted) : wanted_(wanted), chance_(wanted) {}
  double chance() const { return chance_; }
  void count(bool came_back) {
    came_back_ += came_back ? 1 : 0;
    if (++all_ % 1024 != 0) return;
    const double share = static_cast<double>(came_back_) / static_cast<double>(all_);
    chance_ = std::clamp(chance_ + (wanted_ - share), wanted_, 1.0);
  }

 private:
  double wanted_;
  double chance_;
  uint64_t all_ = 0;
  uint64_t came_back_ = 0;
};

// What a thread touched in this epoch, the latest few.
struct Recent {
  struct Touched {
    VariableId variable;
    uint32_t place;  // of the first line of its function, plus its field
  };
  static constexpr uint32_t kCapacity = 16;
  std::array<Touched, kCapacity> items;
  uint32_t count = 0;  // of all; the last kCapacity are there

  void add(Touched item) { items[count++ % kCapacity] = item; }
  // Mostly what was touched last, sometimes what was touched a while ago.
  const Touched& pick(Random& random) const {
    const uint32_t most = std::min(count, kCapacity);
    const uint32_t back = std::min(random.below(most), random.below(most));
    return items[(count - 1 - back) % kCapacity];
  }
};

// A loop over neighbouring elements.
struct Sweep {
  Class walks = kArray;
  uint32_t next = 0;
  uint32_t left = 0;
  bool writes = false;
};

struct Worker {
  Sweep sweep;
  Recent own_reads, shared_reads, writes;
  uint32_t left = 0;  // accesses until the round goes on
  bool in_section = false;
  uint32_t lock = 0;
  uint32_t position = 0;  // in the data it walks
  uint32_t local_position = 0;
  Class walks = kLocal;
  uint32_t function = 0;

  void new_epoch() { own_reads.count = shared_reads.count = writes.count = 0; }
};

class Mix final : public ShapeMaker {
 public:
  explicit Mix(const GeneratorOptions& options);
  void prologue(EventSink& sink, uint32_t budget) override;
  void step(EventSink& sink, uint32_t budget) override;
  uint32_t smallest_budget() const override { return (5 + kRow) * threads_ + 2 * kRewritten; }
  void close(EventSink& sink) override;

 private:
  void one_event(EventSink& sink, uint32_t thread);
  void begin_round(uint32_t thread);
  void sweep_on(EventSink& sink, uint32_t thread);
  void finish_sweeps(EventSink& sink);
  void enter_section(EventSink& sink, uint32_t thread);
  void leave_section(EventSink& sink, uint32_t thread);
  void read(EventSink& sink, uint32_t thread);
  void write(EventSink& sink, uint32_t thread);
  void barrier(EventSink& sink);
  Recent::Touched next_own(EventSink& sink, uint32_t thread);
  Recent::Touched next_shared(EventSink& sink, const Worker& worker);
  void begin_table(Worker& worker);
  uint32_t tables() const { return has_arrays_ ? sizes_[kShared] / 2 / kTableLength : 0; }
  uint32_t first_of_tables() const { return sizes_[kShared] - tables() * kTableLength; }
  VariableId variable(EventSink& sink, Class c, uint32_t i);
  LocationId location(EventSink& sink, uint32_t place);

  uint32_t threads_;
  double read_share_;        // of the accesses
  double read_chance_;       // of an access that is not part of a sweep
  uint32_t round_accesses_;  // outside and inside of the section together
  bool has_sections_;
  uint32_t sizes_[kClassCount];  // variables of each class; local ones of each thread
  uint32_t bases_[kClassCount];
  uint32_t locks_, per_lock_;
  bool has_arrays_;
  uint32_t arrays_, array_length_;
  uint64_t events_until_barrier_, barrier_distance_;
  uint32_t shift_ = 0;  // by how many threads the slices of the arrays have moved on
  uint32_t current_ = 0;
  uint64_t shared_looks_ = 0;
  Steering reads_again_{kReadSameEpoch};
  Steering writes_again_{kWriteSameEpoch};
  Random random_;
  std::vector<Worker> workers_;
  std::vector<bool> is_held_;
  LazyIds<VariableId> variables_;
  LazyIds<LocationId> locations_;
  LazyIds<LockId> lock_ids_;
};

Mix::Mix(const GeneratorOptions& options)
    : threads_(std::max(1u, options.threads)), random_(options.seed), workers_(threads_) {
  // A short trace has fewer variables, or it would come back to none of them.
  const auto all = static_cast<uint32_t>(std::clamp<uint64_t>(options.events / 8, 16, options.variables));
  // Read-shared data are looked at often, but they are few.
  sizes_[kShared] = std::max(4u, all / 100 * 5);
  sizes_[kLocked] = std::max(4u, all / 100 * 15);
  sizes_[kLocal] = std::max(4u, all / 100 * 28 / threads_);
  sizes_[kArray] = std::max(4u, all / 100 * 52);
  locks_ = std::clamp(sizes_[kLocked] / 64, 1u, 1024u);
  per_lock_ = sizes_[kLocked] / locks_;
  const double synchronisation = (100 - options.reads - options.writes) / 100;
  read_share_ = options.reads / (options.reads + options.writes);
  has_sections_ = synchronisation > 0;
  // An acquire and a release in each round.
  round_accesses_ = has_sections_ ? static_cast<uint32_t>(std::clamp(2 / synchronisation - 2, 1.0, 1e6)) : 64;
  // A sweep must fit into an epoch.
  has_arrays_ = options.shape == TraceShape::kMix && round_accesses_ >= 2 * kRow;
  array_length_ = kRow * threads_;
  arrays_ = has_arrays_ ? std::max(1u, sizes_[kArray] / array_length_) : 0;
  sizes_[kArray] = arrays_ * array_length_;
  const double swept = arrays_ > 0 ? kSweepingRounds * kRow / round_accesses_ : 0;
  read_chance_ = (read_share_ - swept * (1 - (1 - read_share_) * kWritingSweeps)) / (1 - swept);
  uint32_t base = 0;
  for (uint32_t c = 0; c < kClassCount; ++c) {
    bases_[c] = base;
    base += sizes_[c] * (c == kLocal ? threads_ : 1);
  }
  variables_ = LazyIds<VariableId>(base);
  locations_ = LazyIds<LocationId>(size_t{kClassCount} * kFunctions * kLines);
  lock_ids_ = LazyIds<LockId>(locks_);
  is_held_.resize(locks_);

  // A barrier is 4 events a thread: a hundredth of the synchronisation.
  barrier_distance_ =
      has_sections_ ? static_cast<uint64_t>(std::min(400.0 * threads_ / synchronisation, 1e15)) : UINT64_MAX;
  events_until_barrier_ = barrier_distance_;
  for (uint32_t t = 0; t < threads_; ++t) {
    workers_[t].local_position = random_.below(sizes_[kLocal]);
    begin_round(t);
  }
}

VariableId Mix::variable(EventSink& sink, Class c, uint32_t i) {
  return variables_.get(bases_[c] + i, [&] {
    Names& names = sink.names();
    switch (c) {
      case kShared:
        if (i >= first_of_tables()) {
          const uint32_t element = i - first_of_tables();
          return names.intern_variable(fmt::format("table{}[{}]", element / kTableLength, element % kTableLength));
        }
        return names.intern_variable(fmt::format("config{}.f{}", i / kFields, i % kFields));
      case kLocked:
        return names.intern_variable(fmt::format("account{}.f{}", i / kFields, i % kFields));
      case kLocal:
        return names.intern_variable(fmt::format("item{}.f{}", i / kFields, i % kFields));
      default:
        return names.intern_variable(fmt::format("matrix{}[{}]", i / array_length_, i % array_length_));
    }
  });
}

LocationId Mix::location(EventSink& sink, uint32_t place) {
  return locations_.get(place, [&] {
    const uint32_t c = place / (kFunctions * kLines);
    const uint32_t line = place % (kFunctions * kLines);
    return sink.names().locations.intern(fmt::format("{}:{}", kFiles[c], 100 + line / kLines * 40 + line % kLines));
  });
}

void Mix::prologue(EventSink& sink, uint32_t budget) {
  const LocationId make = sink.names().locations.intern("main.c:10");
  const LocationId fill = sink.names().locations.intern("main.c:11");
  const auto end = static_cast<uint32_t>(std::min<uint64_t>(budget, uint64_t{arrays_} + tables() + sizes_[kShared]));
  for (uint32_t i = 0; i < end; ++i) {
    if (i < arrays_)
      sink.alloc(0, sink.names().objects.intern(fmt::format("matrix{}", i)), array_length_, make);
    else if (i < arrays_ + tables())
      sink.alloc(0, sink.names().objects.intern(fmt::format("table{}", i - arrays_)), kTableLength, make);
    else
      sink.access(0, EventKind::kWrite, variable(sink, kShared, i - arrays_ - tables()), fill);
  }
}

// One thread for a while, as a scheduler or a buffer of a recorder would have it.
void Mix::step(EventSink& sink, uint32_t budget) {
  const size_t before = sink.size();
  if (events_until_barrier_ == 0 && threads_ > 1) {
    barrier(sink);
    events_until_barrier_ = barrier_distance_;
  } else {
    current_ = threads_ > 1 ? (current_ + 1 + random_.below(threads_ - 1)) % threads_ : 0;
    const uint32_t run = std::min(8 + random_.below(120), budget);
    for (uint32_t i = 0; i < run; ++i) one_event(sink, current_);
  }
  const uint64_t made = sink.size() - before;
  events_until_barrier_ -= std::min(events_until_barrier_, made);
}

void Mix::one_event(EventSink& sink, uint32_t thread) {
  Worker& worker = workers_[thread];
  if (worker.sweep.left > 0) return sweep_on(sink, thread);
  if (worker.left == 0 && has_sections_) {
    if (worker.in_section)
      leave_section(sink, thread);
    else
      enter_section(sink, thread);
    if (worker.left == 0) begin_round(thread);
    return;
  }
  if (worker.left == 0) begin_round(thread);
  --worker.left;
  if (random_.chance(read_chance_))
    read(sink, thread);
  else
    write(sink, thread);
}

void Mix::begin_round(uint32_t thread) {
  Worker& worker = workers_[thread];
  worker.walks = kLocal;
  worker.function = random_.below(kFunctions);
  worker.left = std::max(1u, round_accesses_ * 3 / 4);
  if (arrays_ > 0 && random_.chance(kSweepingRounds)) {
    const uint32_t owner = (thread + shift_) % threads_;
    const uint32_t first = random_.below(arrays_) * array_length_ + owner * kRow;
    worker.sweep = {kArray, first, kRow, random_.chance((1 - read_share_) * kWritingSweeps)};
  }
}

// A sweep is part of its round, never goes on in the next epoch, and a loop does not come back to what it passed.
void Mix::sweep_on(EventSink& sink, uint32_t thread) {
  Worker& worker = workers_[thread];
  Sweep& sweep = worker.sweep;
  const uint32_t i = sweep.next++;
  --sweep.left;
  if (worker.left > 0) --worker.left;
  (sweep.writes ? writes_again_ : reads_again_).count(false);
  const uint32_t place = (sweep.walks * kFunctions + worker.function) * kLines;  // one line: the body of the loop
  sink.access(thread, sweep.writes ? EventKind::kWrite : EventKind::kRead, variable(sink, sweep.walks, i),
              location(sink, place + (sweep.writes ? kFirstWrite : kFirstRead)));
}

void Mix::finish_sweeps(EventSink& sink) {
  for (uint32_t t = 0; t < threads_; ++t)
    while (workers_[t].sweep.left > 0) sweep_on(sink, t);
}

void Mix::enter_section(EventSink& sink, uint32_t thread) {
  Worker& worker = workers_[thread];
  // A lock that is free; at most one is held by each thread, and a thread that finds none soon works on without.
  for (int attempt = 0; attempt < 8; ++attempt) {
    const uint32_t lock = random_.below(locks_);
    if (is_held_[lock]) continue;
    is_held_[lock] = true;
    worker.in_section = true;
    worker.lock = lock;
    worker.walks = kLocked;
    worker.position = random_.below(per_lock_);
    worker.left = std::max(1u, round_accesses_ - round_accesses_ * 3 / 4);
    const LockId id = lock_ids_.get(lock, [&] { return sink.names().locks.intern(fmt::format("mutex{}", lock)); });
    const uint32_t place = (kLocked * kFunctions + worker.function) * kLines;
    sink.operation(thread, EventKind::kAcquire, index(id), location(sink, place + kLock));
    return;
  }
  begin_round(thread);
  read(sink, thread);
}

void Mix::leave_section(EventSink& sink, uint32_t thread) {
  Worker& worker = workers_[thread];
  const LockId id = lock_ids_.get(worker.lock, [] { return LockId{}; });
  const uint32_t place = (kLocked * kFunctions + worker.function) * kLines;
  sink.operation(thread, EventKind::kRelease, index(id), location(sink, place + kUnlock));
  is_held_[worker.lock] = false;
  worker.in_section = false;
  worker.new_epoch();
  begin_round(thread);
}

// The next variable on the worker's way through its own data.
Recent::Touched Mix::next_own(EventSink& sink, uint32_t thread) {
  Worker& worker = workers_[thread];
  uint32_t i = 0;
  switch (worker.walks) {
    case kLocked:
      worker.position = worker.position + 1 < per_lock_ ? worker.position + 1 : 0;
      i = worker.lock * per_lock_ + worker.position;
      break;
    default:
      worker.local_position = random_.chance(0.02)                         ? random_.below(sizes_[kLocal])
                              : worker.local_position + 1 < sizes_[kLocal] ? worker.local_position + 1
                                                                           : 0;
      i = thread * sizes_[kLocal] + worker.local_position;
  }
  return {variable(sink, worker.walks, i), (worker.walks * kFunctions + worker.function) * kLines + i % kFields};
}

Recent::Touched Mix::next_shared(EventSink& sink, const Worker& worker) {
  const uint64_t hot = ++shared_looks_ / kLooksAtShared + random_.below(kHotShared);
  const auto i = static_cast<uint32_t>(hot % first_of_tables());
  return {variable(sink, kShared, i), (kShared * kFunctions + worker.function) * kLines + i % kFields};
}

void Mix::begin_table(Worker& worker) {
  const uint64_t hot = shared_looks_ / kLooksAtShared / kTableLength + random_.below(kHotShared / kTableLength);
  const auto table = static_cast<uint32_t>(hot % tables());
  worker.sweep = {kShared, first_of_tables() + table * kTableLength, kTableLength, false};
}

void Mix::read(EventSink& sink, uint32_t thread) {
  Worker& worker = workers_[thread];
  Line line = kReadAgain;
  Recent::Touched touched;
  const bool again = worker.own_reads.count > 0 && random_.chance(reads_again_.chance());
  reads_again_.count(again);
  // The others are shared out as they are among the reads that do not come back to data of the thread's own.
  const double own = arrays_ > 0 ? kReadOwnFirstBesideSweeps : kReadOwnFirst;
  const double draw = again ? 1 : random_.unit() * (kReadSharedAgain + kReadSharedFirst + own);
  if (again) {
    touched = worker.own_reads.pick(random_);
  } else if (draw < kReadSharedAgain && worker.shared_reads.count > 0) {
    touched = worker.shared_reads.pick(random_);
  } else if (draw < kReadSharedAgain + kReadSharedFirst) {
    touched = next_shared(sink, worker);
    worker.shared_reads.add(touched);
    line = kFirstRead;
    if (tables() > 0 && random_.chance(kTableChance)) begin_table(worker);
  } else {
    touched = next_own(sink, thread);
    worker.own_reads.add(touched);
    line = kFirstRead;
  }
  sink.access(thread, EventKind::kRead, touched.variable, location(sink, touched.place + line));
}

void Mix::write(EventSink& sink, uint32_t thread) {
  Worker& worker = workers_[thread];
  Recent::Touched touched;
  const bool again = worker.writes.count > 0 && random_.chance(writes_again_.chance());
  writes_again_.count(again);
  if (again) {
    touched = worker.writes.pick(random_);
  } else {
    // What was just read is changed, or the walk goes on.
    const bool changes = worker.own_reads.count > 0 && random_.chance(0.5);
    touched = changes ? worker.own_reads.pick(random_) : next_own(sink, thread);
    worker.writes.add(touched);
  }
  sink.access(thread, EventKind::kWrite, touched.variable,
              location(sink, touched.place + (again ? kWriteAgain : kFirstWrite)));
}

void Mix::barrier(EventSink& sink) {
  finish_sweeps(sink);
  close(sink);
  finish_sweeps(sink);  // those of the rounds that began with the end of a section
  const BarrierId id = sink.names().barriers.intern("phase");
  const LocationId place = sink.names().locations.intern("main.c:31");
  const LocationId update = sink.names().locations.intern("main.c:32");
  meet(sink, threads_, id, place);
  const uint32_t first = random_.below(sizes_[kShared] / kTableLength + 1) * kTableLength;
  for (uint32_t i = 0; i < std::min(kRewritten, sizes_[kShared]); ++i)
    sink.access(0, EventKind::kWrite, variable(sink, kShared, (first + i) % sizes_[kShared]), update);
  meet(sink, threads_, id, place);
  ++shift_;
  for (uint32_t t = 0; t < threads_; ++t) {
    workers_[t].new_epoch();
    begin_round(t);
  }
}

void Mix::close(EventSink& sink) {
  for (uint32_t t = 0; t < threads_; ++t)
    if (workers_[t].in_section) leave_section(sink, t);
}

}  // namespace

std::unique_ptr<ShapeMaker> make_mix(const GeneratorOptions& options) { return std::make_unique<Mix>(options); }

}  // namespace deadheat
