// What a detector is: the contract between an algorithm and the engine that feeds it events and stores its states.
//
// A detector D is a class with
//   D::Var                      the state of one variable; trivially copyable; D::Var{} means "never accessed"
//   D(Arena&)                   all its memory comes from the arena
//   sync(const Event&)          an event that only orders threads
//   acquire_part(const Event&)  called for atomic events only:
//   release_part(const Event&)  acquire part, then access, then release part
//   forget_atomics(key, count)  the memory of atomic objects is gone: their clocks are forgotten (see atomic_key)
//   access(const Access&, Var&) -> Outcome
//   conflict() -> Conflict      after an outcome that is a race: the other side
//   clone(const Var&) -> Var    a copy that owns its memory (a word is split into bytes)
//   forget(Var&)                a fresh block: no history
//   count(CounterSink&)         the counters of `--stats`
// and, if it needs them,
//   configure(const DetectorOptions&)  called once, before the first event
//   access(const Access&, const Place&, Var&)  instead of access(a, x): also where in which object the variable is
//   report_to(RaceSink&)        called once: races it finds other than as the outcome of the access at hand
//   take(const Access&, const Place&) -> bool  asked before `access`: true if the detector keeps the state of that
//                               variable itself and has dealt with the access. The free of an object is asked once for
//                               the whole object, with no element and no variable, and then for each variable.
//   keeps(const Place&) -> bool whether it would take an access there
//   takes_any() -> bool         false as long as it would take none at all
//   prefetch(const Place&)      an access there will come soon, which it would take
//   give_to(StateSink<Var>&)    called once: states of bytes that it kept and keeps no longer
//   finish()                    the trace is over
//   prefetch_behind(const Var&, ThreadId)  the thread will soon access the variable: fetches what lies behind its state
//   kWholeObjects = true        with several workers, one object is never divided between them
//   object_access(const Access&, Place&) -> std::optional<Outcome>
//                               asked before the engine looks up the state of a variable (RaceTrack's granularity): an
//                               outcome if the object as a whole answers (Place is then that of the object), nothing if
//                               the variable itself must answer
//   bytes_of_one_object(address, bytes)  with object_access: how many of the bytes it can be asked about at once
// Allocation and free go to sync() as well, before states are forgotten or the block is written.
//
// A detector does not know where a Var is stored, what a variable is, or what a report looks like.
#pragma once

#include <concepts>
#include <string_view>

#include "base/arena.h"
#include "base/table.h"
#include "event/event.h"

namespace deadheat {

// Which of RaceTrack's refinements are on: its Table 2, and `basic`, Figure 2 without any.
struct RaceTrackOptions {
  enum class Setting : uint8_t { kBasic, kLockset, kThreadset, kGranularity };
  Setting setting = Setting::kGranularity;
  uint32_t clock_entries = 8192;    // of a thread's vector clock
  uint64_t watched_elements = 128;  // at each of the three places of a large array
};

// What a user can choose about detectors and filters, in one place; each takes what concerns it.
struct DetectorOptions {
  uint64_t seed = 1;              // of random choices (Goldilocks)
  bool stop_after_first = false;  // no more checks of a variable once a race on it was reported (Goldilocks)
  uint64_t list_limit = 1 << 16;  // cells of the list of synchronisation events (Goldilocks)
  bool rex_lockset = false;       // contexts of the LockSet variant (ReX)
  bool rex_third_thread = false;  // the published rule that loses races (ReX)
  uint64_t rex_limit = 1 << 20;   // nodes of the contexts, entries of the history (ReX)
  bool study = false;             // also count what bit sets would need (SlimState)
  RaceTrackOptions racetrack;
};

// One access to one variable.
struct Access {
  ThreadId thread{};
  AccessKind kind = AccessKind::kNone;
  LocationId location = kNoLocation;
  uint64_t event = 0;  // its number in the trace
};

// How likely a warning is real, as the sum of what speaks for it: section 3.6 of the RaceTrack paper. 0: not ranked.
// Ranked warnings on one variable are one warning: the later ones add their access to it, and may raise its rank.
namespace rank {
inline constexpr uint8_t kRanked = 1;
inline constexpr uint8_t kSeveralThreads = 1;  // accesses of at least two threads are known: the engine's to add
inline constexpr uint8_t kWholeMachine = 2;    // not by the early half of the state machine
inline constexpr uint8_t kVariableLevel = 4;   // not for an object as a whole
}  // namespace rank

// What one access came to. The rule that fired is a number that the detector's own table of rules explains.
struct Outcome {
  uint16_t rule = 0;  // with 4 bytes in all an outcome stays in a register
  bool is_race = false;
  uint8_t rank = 0;
};
static_assert(sizeof(Outcome) == 4);

// The earlier access of a race, as far as the detector knows it.
struct Conflict {
  bool known = false;
  Access first;
};

// The variable of an access: which it is, and where it lies in its object.
struct Place {
  static constexpr uint64_t kNoVariable = UINT64_MAX;  // known by object and element only
  bool is_range = false;
  uint64_t target = 0;                             // VariableId, or the first address of a range
  uint64_t bytes = 0;                              // of a range
  ObjectId object{};                               // of a name
  uint64_t element = VariableInfo::kNotAnElement;  // of an array
};

class RaceSink {
 public:
  // A race on `place`, or a warning if `conflict` is not known; `second` is the later access.
  virtual void report(const Place& place, const Conflict& conflict, const Access& second) = 0;

 protected:
  ~RaceSink() = default;
};

// Where states go that a detector kept itself: from now on the owner of all other states has them.
template <class Var>
class StateSink {
 public:
  virtual void put(const Place& place, const Var& state) = 0;

 protected:
  ~StateSink() = default;
};

// Where a detector's counters go. `of`, if not 0, is the whole that `value` is a part of. With several workers the
// counters of accesses add up; those of synchronisation are the same in all of them.
class CounterSink {
 public:
  enum Scope { kPerAccess, kPerSync };
  virtual void add(std::string_view path, uint64_t value, Scope scope, uint64_t of = 0) = 0;
  // How often a rule fired; `kind` (read or write) says of which accesses it is a share.
  virtual void add_rule(std::string_view rule, AccessKind kind, uint64_t count) = 0;

 protected:
  ~CounterSink() = default;
};

template <class D>
concept Detector = std::constructible_from<D, Arena&> && std::is_trivially_copyable_v<typename D::Var> &&
                   requires(D d, const Event& e, typename D::Var& x, CounterSink& sink, SpacedKey key, uint64_t count) {
                     d.sync(e);
                     d.acquire_part(e);
                     d.release_part(e);
                     d.forget_atomics(key, count);
                     { d.conflict() } -> std::same_as<Conflict>;
                     { d.clone(x) } -> std::same_as<typename D::Var>;
                     d.forget(x);
                     d.count(sink);
                   } && (requires(D d, const Access& a, typename D::Var& x) { { d.access(a, x) } -> std::same_as<Outcome>; } ||
                         requires(D d, const Access& a, const Place& p, typename D::Var& x) {
                           { d.access(a, p, x) } -> std::same_as<Outcome>;
                         });

// The key of the clock that an atomic or volatile event operates on: variables and addresses do not meet, and what
// `vw` publishes no atomic store takes back.
using AtomicKey = SpacedKey;
enum AtomicSpace : uint32_t { kNamedAtomics = 0, kVolatileAtomics = 1, kAddressedAtomics = 2, kAtomicSpaces = 4 };
constexpr AtomicKey atomic_key(VariableId variable) { return {index(variable), kNamedAtomics}; }
constexpr AtomicKey atomic_key_of_address(uint64_t address) { return {address, kAddressedAtomics}; }
constexpr AtomicKey volatile_key(AtomicKey key) { return {key.number, key.space | kVolatileAtomics}; }
constexpr AtomicKey atomic_key(const Event& e) {
  const AtomicKey key = e.is_range ? atomic_key_of_address(e.target) : atomic_key(e.variable());
  const bool is_volatile = e.kind == EventKind::kVolatileRead || e.kind == EventKind::kVolatileWrite;
  return is_volatile ? volatile_key(key) : key;
}

}  // namespace deadheat
