// The worker of a given detector and filter: the loop over events, and the states of variables.
//
// Cost     Everything a plain access of a named variable needs is in this loop and the detector's `access`, inlined.
//          The loop prefetches the states of accesses a few events ahead: otherwise, with a million variables, most of
//          the time would be spent waiting for memory.
#pragma once

#include <map>
#include <optional>
#include <type_traits>
#include <unordered_map>

#include "base/prefetch.h"
#include "engine/race_log.h"
#include "engine/split.h"
#include "engine/worker.h"
#include "filter/filter.h"
#include "shadow/memory_shadow.h"

namespace deadheat {

template <class D>
constexpr bool needs_whole_objects() {
  if constexpr (requires { D::kWholeObjects; }) {
    return D::kWholeObjects;
  } else {
    return false;
  }
}

template <class D>
concept TakesAccesses = requires(D d, const Access& a, const Place& p) { d.take(a, p); };

template <Detector D, Filter F>
class WorkerOf final : public Worker, private RaceSink, private StateSink<typename D::Var> {
  using Var = typename D::Var;
  static_assert(IdTable<Var>::kChunk == Share::kChunk);
  static constexpr bool kWholeObjects = needs_whole_objects<D>();
  static constexpr bool kAsksObjects = requires(D d, const Access& a, Place& p) { d.object_access(a, p); };
  static constexpr bool kHasFilter = !std::is_same_v<F, PassAll>;
  static constexpr size_t kAhead = 40;  // events between a prefetch and its use
  // A filter wants to see every access.
  static constexpr bool kHasShortCut =
      !kHasFilter && requires(D d, const Var& x) { d.is_same_epoch(ThreadId{}, AccessKind::kRead, x); };
  // All states are the engine's: nothing has to be asked before one is looked up.
  static constexpr bool kStatesOnly = !TakesAccesses<D> && !kAsksObjects;
  static constexpr bool kLooksBehind = requires(const D& d, const Var& x) { d.prefetch_behind(x, ThreadId{}); };

 public:
  WorkerOf(const WorkerOptions& options, Share share)
      : share_(share),
        coarse_(options.coarse),
        all_(options.all),
        log_(options.all, options.fresh_is_new),
        detector_(arena_),
        filter_(arena_),
        memory_(arena_, detector_) {
    if constexpr (requires(D d) { d.configure(options.detector); }) detector_.configure(options.detector);
    if constexpr (requires(F f) { f.configure(options.detector); }) filter_.configure(options.detector);
    if constexpr (requires(D d, RaceSink& sink) { d.report_to(sink); }) detector_.report_to(*this);
    if constexpr (requires(D d, StateSink<Var>& sink) { d.give_to(sink); }) detector_.give_to(*this);
  }
  D& detector() { return detector_; }
  F& filter() { return filter_; }

  ShareUnit unit() const override {
    if (kWholeObjects) return ShareUnit::kObjects;
    return coarse_ ? ShareUnit::kObjectChunks : ShareUnit::kVariables;
  }
  void consume(const Batch& batch, const Selection* mine) override {
    if (mine == nullptr) {
      consume_all(batch, batch.events.data(), batch.events.size(), [](size_t i) { return i; });
    } else {
      consume_all(batch, mine->events.data(), mine->count, [at = mine->positions.data()](size_t i) { return at[i]; });
    }
  }
  void finish() override {
    if constexpr (requires(D d) { d.finish(); }) detector_.finish();
  }
  std::vector<FoundRace>& races() override { return log_.races(); }
  void count(CounterSink& sink) const override {
    detector_.count(sink);
    filter_.count(sink);
  }
  size_t memory_bytes() const override { return arena_.peak_bytes(); }

 private:
  struct KnownVariable {
    VariableInfo info;
    uint32_t next;   // another variable of the same object, or kLast
    uint32_t state;  // its place in variables_, or kLast: only where ids are not (see state_of)
  };
  static constexpr uint32_t kLast = UINT32_MAX;
  // A freed object: the state, and the races so far, of those of its variables that were never accessed yet.
  struct FreedObject {
    Var state{};
    std::vector<FoundRace> races;
  };

  // ---- the loop ----

  // Events of the batch; position(i) is where event i stands in it.
  template <class Position>
  void consume_all(const Batch& batch, const Event* events, size_t count, Position position) {
    if constexpr (TakesAccesses<D>) {
      if (is_numbered() && !coarse_) return consume_events<true>(batch, events, count, position);
    }
    consume_events<false>(batch, events, count, position);
  }

  template <bool kBesideKept, class Position>
  void consume_events(const Batch& batch, const Event* events, size_t count, Position position) {
    size_t defined = 0;
    for (size_t i = 0; i < count; ++i) {
      if constexpr (kBesideKept) {
        if (i + kAhead < count) prefetch_known(events[i + kAhead]);
        if (i + kAhead / 2 < count) prefetch_beside_kept(events[i + kAhead / 2]);
      } else if constexpr (!kHasFilter) {  // few accesses are left behind one
        if (i + kAhead < count) prefetch(events[i + kAhead]);
        if (i + kAhead / 2 < count) look_behind(events[i + kAhead / 2]);
      }
      const Event& e = events[i];
      const uint64_t number = batch.first_event + position(i);
      // Variables are defined by their first access and no earlier: what happened to their object before is theirs too.
      if (!e.is_range && e.target >= known_count_ && info(e.kind).operand == Operand::kVariable) [[unlikely]]
        while (known_count_ <= e.target) define(batch.new_variables[defined++]);
      if (is_plain_access(e.kind)) {
        plain(e, number);
      } else {
        other(e, number);
      }
    }
    while (defined < batch.new_variables.size()) define(batch.new_variables[defined++]);
  }

  // ---- accesses ----

  [[gnu::always_inline]] void plain(const Event& e, uint64_t number) {
    const AccessKind kind = e.kind == EventKind::kRead ? AccessKind::kRead : AccessKind::kWrite;
    if constexpr (kHasFilter) {
      // Before anything is looked up.
      if (e.is_range && filter_.is_redundant({e.thread, kind, e.location, number}, Place{true, e.target, e.size}))
        return share_.of > 1 ? see(e.thread) : void();
    }
    // A range of one state needs no more than a variable with a name.
    Var* of_range = nullptr;
    bool has_states_only = false;
    if constexpr (kStatesOnly) {
      if (e.is_range && !coarse_) of_range = memory_.find(e.target, e.size);
    } else if constexpr (TakesAccesses<D> && !kHasFilter) {
      if (e.is_range && !coarse_ && share_.number == 0) {
        if (detector_.has_no_block(e.target, e.size)) {
          has_states_only = true;
          of_range = memory_.find(e.target, e.size);
        } else if (detector_.goes_on(e.thread, kind, e.location, number, e.target, e.size)) {
          return;
        }
      }
    }
    if constexpr (kHasShortCut) {
      // States beside those that a detector keeps do not lie at their ids.
      const Var* const x = e.is_range ? of_range : TakesAccesses<D> ? nullptr : variables_.find(e.target);
      if (x != nullptr && detector_.is_same_epoch(e.thread, kind, *x)) [[likely]]
        return;
    }
    const Access a{e.thread, kind, e.location, number};
    if (share_.of > 1) see(e.thread);
    if (e.is_range) {
      if (of_range != nullptr) [[likely]]
        return state_of_range(e.target, e.size, *of_range, a);
      if (kStatesOnly ? !coarse_ : has_states_only) {
        const auto visit = [&](uint64_t first, uint64_t size, Var& x) { state_of_range(first, size, x, a); };
        if (memory_.visit_two_words(e.target, e.size, visit)) return;
      }
      if (has_states_only) return states(e.target, e.size, a);
      range(e.target, e.size, a);
    } else if (owns(e.variable())) {
      if constexpr (kHasFilter) {
        if (filter_.is_redundant(a, place_of(e.variable()))) return;
      }
      named(e.variable(), a);
    }
  }

  // Threads take their slots in the order of the trace in every worker, also where their first access is another's
  // business: what is named and counted must not depend on the number of workers.
  void see(ThreadId thread) {
    if (thread == last_seen_) return;
    last_seen_ = thread;
    if (index(thread) >= seen_.size()) seen_.resize(index(thread) + 1);
    if (seen_[index(thread)]) return;
    seen_[index(thread)] = true;
    Event begin;
    begin.kind = EventKind::kBegin;
    begin.thread = thread;
    detector_.sync(begin);
  }

  [[gnu::always_inline]] void named(VariableId variable, const Access& a) {
    if constexpr (TakesAccesses<D>) {
      if (detector_.takes_any() && !coarse_) return named_beside_kept(variable, a);
    }
    if (kAsksObjects && !coarse_ && object_answers(place_of(variable), a)) return;
    Var& x = coarse_ ? objects_.at(arena_, index(known_[index(variable)].info.object))
                     : variables_.at(arena_, index(variable));
    if (const Outcome outcome = access(a, variable, x); outcome.is_race) [[unlikely]]
      found(variable, a, outcome.rank);
  }

  void named_beside_kept(VariableId variable, const Access& a) {
    if (detector_.take(a, place_of(variable))) return;
    if (access(a, variable, numbered_state(variable)).is_race) [[unlikely]]
      found(variable, a, 0);
  }

  // Whether the object as a whole answered for the access.
  bool object_answers([[maybe_unused]] Place place, [[maybe_unused]] const Access& a) {
    if constexpr (kAsksObjects) {
      const std::optional<Outcome> outcome = detector_.object_access(a, place);
      if (!outcome) return false;
      if (outcome->is_race) {
        const auto what = place.is_range ? FoundRace::What::kRange : FoundRace::What::kObject;
        const uint64_t target = place.is_range ? place.target : index(place.object);
        log_.add({what, target, place.bytes, detector_.conflict(), a, outcome->rank});
      }
      return true;
    }
    return false;
  }

  [[gnu::always_inline]] Outcome access(const Access& a, VariableId variable, Var& x) {
    if constexpr (requires(const Place& p) { detector_.access(a, p, x); }) {
      return detector_.access(a, place_of(variable), x);
    } else {
      return detector_.access(a, x);
    }
  }

  Outcome access(const Access& a, const Place& place, Var& x) {
    if constexpr (requires { detector_.access(a, place, x); }) {
      return detector_.access(a, place, x);
    } else {
      return detector_.access(a, x);
    }
  }

  void range(uint64_t address, uint64_t bytes, const Access& a) {
    if (coarse_ && block_access(address, a)) return;
    if constexpr (TakesAccesses<D>) {
      if (!coarse_ && owns_page(address) && detector_.takes_any() && detector_.take(a, Place{true, address, bytes}))
        return;
    }
    if constexpr (kAsksObjects) {
      if (!coarse_) return range_by_objects(address, bytes, a);
    }
    states(address, bytes, a);
  }

  void range_by_objects(uint64_t address, uint64_t bytes, const Access& a) {
    if constexpr (kAsksObjects) {
      if (share_.number != 0) return;  // one object is never divided
      while (bytes > 0) {
        const uint64_t here = detector_.bytes_of_one_object(address, bytes);
        if (!object_answers(Place{true, address, here}, a)) states(address, here, a);
        address += here;
        bytes -= here;
      }
    }
  }

  void states(uint64_t address, uint64_t bytes, const Access& a) {
    memory_.for_each(
        address, bytes, [this](uint64_t page) { return owns_page(page); },
        [&](uint64_t first, uint64_t size, Var& x) { state_of_range(first, size, x, a); });
  }

  [[gnu::always_inline]] void state_of_range(uint64_t first, uint64_t size, Var& x, const Access& a) {
    if (const Outcome outcome = access(a, Place{true, first, size}, x); outcome.is_race) [[unlikely]]
      log_.add({FoundRace::What::kRange, first, size, detector_.conflict(), a, outcome.rank});
  }

  void other(const Event& e, uint64_t number) {
    if (e.kind == EventKind::kNothing) return;
    if constexpr (kHasFilter) filter_.sync(e);
    if (is_atomic_access(e.kind)) {
      detector_.acquire_part(e);
      const Access a{e.thread, info(e.kind).access, e.location, number};
      if (e.is_range) {
        if (e.size != 0) range(e.target, e.size, a);  // else it only orders
      } else if (owns(e.variable())) {
        named(e.variable(), a);
      }
      detector_.release_part(e);
    } else {
      detector_.sync(e);
      if constexpr (TakesAccesses<D>) {
        if (!is_numbered() && detector_.takes_any()) number_states();
      }
      if (e.kind == EventKind::kAlloc) allocate(e);
      if (e.kind == EventKind::kFree) free(e, number);
    }
  }

  // ---- blocks ----

  // A fresh block has no history.
  void allocate(const Event& e) {
    if (e.is_range) {
      if (coarse_) make_block(e);
      memory_.forget(e.target, e.size);
      forget_atomics(atomic_key_of_address(e.target), e.size);
      log_.allocate(e.target, e.size);
      return;
    }
    if (e.target < first_of_object_.size()) {
      for_each_variable(e.object(), [&](VariableId v) {
        if (Var* x = find_state(v)) detector_.forget(*x);
        forget_atomics(atomic_key(v), 1);
      });
    }
    if (Var* x = objects_.find(e.target)) detector_.forget(*x);
    // Races between frees of the former block stay: they are races on every variable of the object.
    if (auto freed = freed_.find(e.target); freed != freed_.end()) detector_.forget(freed->second.state);
  }

  // A free is a write of the whole block, also of what was never accessed in it.
  void free(const Event& e, uint64_t number) {
    const Access a{e.thread, AccessKind::kFree, e.location, number};
    if (e.is_range) {
      range(e.target, e.size, a);
      forget_atomics(atomic_key_of_address(e.target), e.size);
      return;
    }
    if (coarse_) {
      if (owns_object(e.object())) {
        const Outcome outcome = access(a, Place{false, e.target, 0, e.object()}, objects_.at(arena_, e.target));
        if (outcome.is_race) log_.add({FoundRace::What::kObject, e.target, 0, detector_.conflict(), a, outcome.rank});
      }
    } else if (kAsksObjects &&
               (!owns_object(e.object()) || object_answers(Place{false, Place::kNoVariable, 0, e.object()}, a))) {
      return;  // atomics order nothing for such a detector: there is nothing to forget
    } else {
      const Place whole{false, Place::kNoVariable, 0, e.object()};
      if constexpr (TakesAccesses<D>) {
        if (share_.has(e.target)) detector_.take(a, whole);
      }
      FreedObject& freed = freed_[e.target];
      const Outcome outcome = access(a, whole, freed.state);
      if (outcome.is_race && (all_ || freed.races.empty()))
        freed.races.push_back({FoundRace::What::kVariable, 0, 0, detector_.conflict(), a, outcome.rank});
    }
    if (e.target >= first_of_object_.size()) return;
    for_each_variable(e.object(), [&](VariableId v) {
      if (!coarse_ && owns(v)) named(v, a);
      forget_atomics(atomic_key(v), 1);
    });
  }

  void forget_atomics(AtomicKey first, uint64_t count) {
    detector_.forget_atomics(first, count);
    detector_.forget_atomics(volatile_key(first), count);
  }

  // ---- coarse ranges: a block is one variable ----

  struct Block {
    uint64_t bytes;
    Var state;
  };

  // A block stays, freed, until its memory is allocated again.
  void make_block(const Event& e) {
    auto at = blocks_.lower_bound(e.target);
    if (at != blocks_.begin() && e.target - std::prev(at)->first < std::prev(at)->second.bytes) --at;
    while (at != blocks_.end() && (at->first < e.target || at->first - e.target < e.size)) {
      detector_.forget(at->second.state);
      at = blocks_.erase(at);
    }
    blocks_.emplace(e.target, Block{e.size, Var{}});
  }

  bool block_access(uint64_t address, const Access& a) {
    auto at = blocks_.upper_bound(address);
    if (at == blocks_.begin()) return false;
    --at;
    auto& [start, block] = *at;
    if (address - start >= block.bytes) return false;
    if (!owns_page(start & ~uint64_t{4095})) return true;
    if (const Outcome outcome = access(a, Place{true, start, block.bytes}, block.state); outcome.is_race)
      log_.add({FoundRace::What::kRange, start, block.bytes, detector_.conflict(), a, outcome.rank});
    return true;
  }

  // ---- bookkeeping ----

  bool owns(VariableId v) const {
    if (share_.of == 1) return true;
    if (kWholeObjects || coarse_) return owns_object(known_[index(v)].info.object);
    return share_.has(index(v) / Share::kChunk);
  }
  bool owns_object(ObjectId object) const {
    return share_.has(Share::unit_of(object, kWholeObjects ? ShareUnit::kObjects : ShareUnit::kObjectChunks));
  }
  bool owns_page(uint64_t page_address) const {
    return kWholeObjects ? share_.number == 0 : share_.has(page_address / 4096);
  }

  // The state of a variable lies at its id. But where the detector keeps states itself, those of the others would leave
  // holes: from the first such variable on they are numbered as they come.
  Var& state_of(VariableId v) { return is_numbered() ? numbered_state(v) : variables_.at(arena_, index(v)); }
  Var& numbered_state(VariableId v) {
    if (index(v) < by_id_) return variables_.at(arena_, index(v));
    uint32_t& state = known_[index(v)].state;
    if (state == kLast) state = next_state_++;
    return variables_.at(arena_, state);
  }
  Var* find_state(VariableId v) const {
    if (index(v) < by_id_) return variables_.find(index(v));
    const uint32_t state = known_[index(v)].state;
    return state == kLast ? nullptr : variables_.find(state);
  }
  bool is_numbered() const { return TakesAccesses<D> && by_id_ != UINT64_MAX; }
  void number_states() {
    by_id_ = known_count_;
    next_state_ = static_cast<uint32_t>(known_count_);
  }

  Place place_of(VariableId v) const {
    const VariableInfo& known = known_[index(v)].info;
    return {false, index(v), 0, known.object, known.element};
  }

  // Not worth telling accesses from the few other events, whose targets name something else: that does no harm.
  void prefetch(const Event& e) const {
    if (e.is_range) return memory_.prefetch(e.target);
    variables_.prefetch(e.target);
  }

  // What lies behind a state, or a word of memory, that has arrived by now.
  void look_behind(const Event& e) const {
    if (!is_plain_access(e.kind)) return;
    if (e.is_range) return memory_.prefetch_state(e.target, e.size);
    if constexpr (kLooksBehind) {
      if (const Var* x = variables_.find(e.target)) detector_.prefetch_behind(*x, e.thread);
    }
  }

  // The same beside states that the detector keeps, where what is known of a variable must come first.
  void prefetch_known(const Event& e) const {
    if (e.is_range) return memory_.prefetch(e.target);
    if (is_plain_access(e.kind) && e.target < known_count_) deadheat::prefetch(&known_[e.target]);
  }
  void prefetch_beside_kept(const Event& e) const {
    if (e.is_range) return memory_.prefetch_state(e.target, e.size);
    if (!is_plain_access(e.kind) || e.target >= known_count_) return;
    if (const Var* x = find_state(e.variable())) {
      deadheat::prefetch(x);
    } else {
      detector_.prefetch(place_of(e.variable()));
    }
  }

  void define(const VariableInfo& info) {
    const uint32_t id = static_cast<uint32_t>(known_.size());
    const size_t object = index(info.object);
    if (object >= first_of_object_.size()) first_of_object_.resize(object + 1, kLast);
    known_.push_back({info, first_of_object_[object], kLast});
    ++known_count_;
    first_of_object_[object] = id;
    if (freed_.empty() || coarse_) return;
    const auto freed = freed_.find(object);
    if (freed == freed_.end() || !owns(static_cast<VariableId>(id))) return;
    bool is_kept = false;
    if constexpr (TakesAccesses<D>) is_kept = detector_.keeps(place_of(static_cast<VariableId>(id)));
    if (!is_kept) state_of(static_cast<VariableId>(id)) = detector_.clone(freed->second.state);
    for (FoundRace race : freed->second.races) {
      race.target = id;
      log_.add(race);
    }
  }

  template <class Visit>
  void for_each_variable(ObjectId object, Visit visit) {
    for (uint32_t v = first_of_object_[index(object)]; v != kLast; v = known_[v].next)
      visit(static_cast<VariableId>(v));
  }

  [[gnu::noinline]] void found(VariableId variable, const Access& a, int rank) {
    const auto what = coarse_ ? FoundRace::What::kObject : FoundRace::What::kVariable;
    const uint64_t target = coarse_ ? index(known_[index(variable)].info.object) : index(variable);
    log_.add({what, target, 0, detector_.conflict(), a, rank});
  }

  void report(const Place& place, const Conflict& conflict, const Access& second) override {
    const auto what = place.is_range ? FoundRace::What::kRange : FoundRace::What::kVariable;
    uint64_t target = place.target;
    if (!place.is_range && target == Place::kNoVariable) {
      target = element(place.object, place.element);
      // Nothing but frees has touched it: their races are in `freed_`, should it ever be accessed.
      if (target == kLast) return;
    }
    log_.add({what, target, place.bytes, conflict, second});
  }

  void put(const Place& place, const Var& state) override {
    memory_.for_each(
        place.target, place.bytes, [](uint64_t) { return true; },
        [&](uint64_t, uint64_t, Var& x) {
          detector_.forget(x);
          x = detector_.clone(state);
        });
  }

  // The variable that is this element of the object, or kLast. The index is made when first needed, for races only.
  uint32_t element(ObjectId object, uint64_t number) {
    Elements& elements = elements_[index(object)];
    if (elements.made_of < known_count_ && index(object) < first_of_object_.size()) {
      elements.made_of = known_count_;
      for_each_variable(object, [&](VariableId v) {
        elements.variables.emplace(known_[index(v)].info.element, static_cast<uint32_t>(index(v)));
      });
    }
    const auto found = elements.variables.find(number);
    return found == elements.variables.end() ? kLast : found->second;
  }

  Arena arena_;
  const Share share_;
  const bool coarse_;
  const bool all_;
  RaceLog log_;
  D detector_;
  F filter_;
  IdTable<Var> variables_;
  IdTable<Var> objects_;  // coarse
  MemoryShadow<D> memory_;
  ThreadId last_seen_{UINT32_MAX};
  std::vector<bool> seen_;            // by ThreadId, with several workers
  std::vector<KnownVariable> known_;  // by VariableId
  uint64_t known_count_ = 0;          // its size, for the loop
  uint64_t by_id_ = UINT64_MAX;       // variables whose states lie at their ids: those below
  uint32_t next_state_ = 0;
  std::vector<uint32_t> first_of_object_;
  std::unordered_map<uint64_t, FreedObject> freed_;
  std::map<uint64_t, Block> blocks_;  // coarse: by first address
  struct Elements {
    uint64_t made_of = 0;                              // known variables when it was made
    std::unordered_map<uint64_t, uint32_t> variables;  // by element
  };
  std::unordered_map<uint64_t, Elements> elements_;  // by object
};

}  // namespace deadheat
