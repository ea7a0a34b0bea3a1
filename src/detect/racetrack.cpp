#include "detect/racetrack.h"

namespace deadheat {

void RaceTrack::configure(const DetectorOptions& options) {
  options_ = options.racetrack;
  machine_.choose(options_.setting);
  machine_.order().limit_clocks(options_.clock_entries);
}

void RaceTrack::sync(const Event& e) {
  if (e.kind != EventKind::kAlloc) {
    machine_.sync(e);
    return;
  }
  ++allocated_;
  if (e.is_range) {
    blocks_.add(e.target, e.size, [this](auto& gone) { machine_.forget(gone.value); });
  } else {
    Object& object = objects_.at(arena_, e.target);
    machine_.forget(object.state);
    object.elements = e.size;
  }
}

// ---- Which level, and whether at all ------------------------------------------------------------------------------

// Section 3.5: a large array is watched at its beginning, in its middle and at its end.
bool RaceTrack::is_watched(uint64_t first, uint64_t last, uint64_t elements) const {
  const uint64_t m = options_.watched_elements;
  if (options_.setting == RaceTrackOptions::Setting::kBasic || elements <= 3 * m) return true;
  const uint64_t middle = (elements - m) / 2;
  return first < m || (first < middle + m && last >= middle) || last >= elements - m;
}

bool RaceTrack::is_watched(const Place& place) const {
  if (place.is_range) {
    const auto* block = blocks_.find(place.target);
    if (block == nullptr) return true;
    const uint64_t offset = place.target - block->address;
    return is_watched(offset / 8, (offset + place.bytes - 1) / 8, (block->bytes + 7) / 8);
  }
  if (place.element == VariableInfo::kNotAnElement) return true;
  const Object* object = objects_.find(index(place.object));
  return object == nullptr || is_watched(place.element, place.element, object->elements);
}

uint64_t RaceTrack::bytes_of_one_object(uint64_t address, uint64_t bytes) const {
  const auto* block = blocks_.first_in(address, bytes);
  if (block == nullptr) return bytes;
  return std::min(bytes, block->address > address ? block->address - address : block->address + block->bytes - address);
}

RaceTrackState* RaceTrack::whole_object(Place& place) {
  if (options_.setting != RaceTrackOptions::Setting::kGranularity) return nullptr;
  if (!place.is_range) {
    RaceTrackState& x = objects_.at(arena_, index(place.object)).state;
    return x.state() == RaceTrackState::State::kRefined ? nullptr : &x;
  }
  auto* block = blocks_.find(place.target);
  if (block == nullptr || block->value.state() == RaceTrackState::State::kRefined) return nullptr;
  place.target = block->address;
  place.bytes = block->bytes;
  return &block->value;
}

std::optional<Outcome> RaceTrack::object_access(const Access& a, Place& place) {
  const bool is_free = a.kind == AccessKind::kFree;  // no access of the program's
  if (is_atomic(a.kind)) return outcome(a, Edge::kNotWatched, /*is_object=*/false);
  accesses_ += !is_free;
  RaceTrackState* x = whole_object(place);
  if (x == nullptr) {
    if (!is_watched(place)) return outcome(a, Edge::kNotWatched, /*is_object=*/false);
    return std::nullopt;
  }
  const Edge edge = machine_.access(a, *x, /*is_object=*/true);
  at_object_level_ += !is_free;
  objects_in_exclusive0_ += !is_free && (edge == Edge::kFirstAccess || edge == Edge::kSameThread);
  refined_ += RaceTrackMachine::is_race(edge);
  return outcome(a, edge, /*is_object=*/true);
}

Outcome RaceTrack::access(const Access& a, const Place& place, Var& x) {
  // Not asked as an object before, or only as part of a wider access: both are to be seen to here.
  if (is_atomic(a.kind) || !is_watched(place)) return outcome(a, Edge::kNotWatched, /*is_object=*/false);
  return outcome(a, machine_.access(a, x, /*is_object=*/false), /*is_object=*/false);
}

// ---- Warnings -----------------------------------------------------------------------------------------------------

Outcome RaceTrack::outcome(const Access& a, Edge edge, bool is_object) {
  taken_[static_cast<int>(edge)] += a.kind != AccessKind::kFree;  // a free is no access of the program's
  if (!RaceTrackMachine::warns(edge)) return {static_cast<uint8_t>(edge)};
  // Race-Detected is reached by the whole machine only, but for the setting that has no more than its early half.
  const bool is_whole = RaceTrackMachine::is_race(edge) ||
                        (edge == Edge::kAnotherThread && options_.setting != RaceTrackOptions::Setting::kLockset);
  const int rank = rank::kRanked + (is_whole ? rank::kWholeMachine : 0) + (is_object ? 0 : rank::kVariableLevel);
  return {static_cast<uint8_t>(edge), true, static_cast<uint8_t>(rank)};
}

void RaceTrack::count(CounterSink& sink) const {
  for (int edge = 0; edge < RaceTrackMachine::kEdgeCount; ++edge)
    if (taken_[edge] > 0) sink.add_rule(RaceTrackMachine::kEdgeNames[edge], AccessKind::kNone, taken_[edge]);
  sink.add("thread clock ticks", machine_.order().ticks(), CounterSink::kPerSync);
  sink.add("objects/allocated", allocated_, CounterSink::kPerSync);
  sink.add("objects/refined", refined_, CounterSink::kPerAccess);
  sink.add("monitored accesses/all", accesses_, CounterSink::kPerAccess);
  sink.add("monitored accesses/at object level", at_object_level_, CounterSink::kPerAccess, accesses_);
  sink.add("monitored accesses/of these in Exclusive0", objects_in_exclusive0_, CounterSink::kPerAccess,
           at_object_level_);
  sink.add("tables/locksets", machine_.locksets().size(), CounterSink::kPerAccess);
  sink.add("tables/threadsets", machine_.threadsets().size(), CounterSink::kPerAccess);
  sink.add("tables/sweeps of threadsets", machine_.threadsets().sweeps(), CounterSink::kPerAccess);
}

}  // namespace deadheat
