#include "detect/slimstate.h"

#include <algorithm>

namespace deadheat {

namespace {

bool changes_clock(const Event& e) {
  return e.kind == EventKind::kVolatileRead || e.kind == EventKind::kVolatileWrite || acquires(e.order) ||
         releases(e.order);
}

}  // namespace

// ---- Synchronisation: footprints are committed before a clock changes --------------------------------------------

void SlimState::sync(const Event& e) {
  switch (e.kind) {
    case EventKind::kEnd:
      flush(e.thread);
      release_buffer(e.thread);
      break;
    case EventKind::kBegin:
    case EventKind::kWait:
    case EventKind::kNotify:
    case EventKind::kFree:  // `take` sees it as the access that it is
      break;
    case EventKind::kAlloc:
      if (e.is_range) {
        allocate_bytes(e);
      } else {
        NamedArray& named = named_.at(arena_, e.target);
        if (named.array != nullptr) {
          commit_all(*named.array);
          retire(*named.array);
          destroy(named.array);
        }
        named = {e.size >= kSmallArray && e.size <= kMostElements ? e.size : 0, nullptr};
        takes_any_ |= named.length > 0;
      }
      break;
    case EventKind::kJoin:
      clock_changes(e.other_thread());
      release_buffer(e.other_thread());
      clock_changes(e.thread);
      break;
    default:
      clock_changes(e.thread);
      break;
  }
  fasttrack_.sync(e);
}

// A relaxed operation changes no thread's clock: it neither takes nor publishes more than a fence did.
void SlimState::acquire_part(const Event& e) {
  if (changes_clock(e)) clock_changes(e.thread);
  fasttrack_.acquire_part(e);
}

void SlimState::finish() {
  for (uint32_t t = 0; t < threads_; ++t) flush(static_cast<ThreadId>(t));
  if (study_ != nullptr) study_->finish();
}

// ---- Footprints ---------------------------------------------------------------------------------------------------

bool SlimState::Footprint::add(Arena& arena, uint32_t element, const Access& a) {
  switch (range.add(element)) {
    case StridedRange::Growth::kFirst:
      start = element;
      [[fallthrough]];
    case StridedRange::Growth::kUp:
      up.add(arena, a.event, a.location);
      return true;
    case StridedRange::Growth::kDown:
      down.add(arena, a.event, a.location);
      return true;
    case StridedRange::Growth::kHadIt:
      return true;
    case StridedRange::Growth::kCannot:
      break;
  }
  return false;
}

template <class Visit>
void SlimState::Footprint::for_each(Visit visit) const {
  uint32_t element = start;
  up.for_each([&](uint64_t event, LocationId location) {
    visit(element, event, location);
    element += range.k;
  });
  element = start;
  down.for_each([&](uint64_t event, LocationId location) {
    element -= range.k;
    visit(element, event, location);
  });
}

Trail* SlimState::Footprint::make_trail(Arena& arena) {
  const int32_t step = static_cast<int32_t>(range.k);
  Trail* trail = up.make_trail(arena, start, step);
  if (down.count() > 0) trail->other = down.make_trail(arena, start - range.k, -step);
  return trail;
}

void SlimState::Footprint::clear(Arena& arena) {
  up.clear(arena);
  down.clear(arena);
  range = {};
}

// ---- Commit buffers -----------------------------------------------------------------------------------------------

SlimState::Pending* SlimState::find_pending(Buffer& buffer, const Array& array) const {
  if (buffer.capacity == 0) return nullptr;
  for (uint32_t i = array.number;; ++i) {
    const uint16_t slot = buffer.slots[i & (buffer.capacity - 1)];
    if (slot == 0) return nullptr;
    if (buffer.entries[slot - 1].array == &array) return &buffer.entries[slot - 1];
  }
}

void SlimState::rehash(Buffer& buffer, uint32_t capacity) {
  if (buffer.slots != nullptr) arena_.free(buffer.slots, buffer.capacity * sizeof(uint16_t));
  buffer.slots = static_cast<uint16_t*>(arena_.allocate(capacity * sizeof(uint16_t)));
  buffer.capacity = capacity;
  std::fill_n(buffer.slots, capacity, uint16_t{0});
  for (uint32_t entry = 0; entry < buffer.entries.size(); ++entry) {
    if (buffer.entries[entry].array == nullptr) continue;
    uint32_t i = buffer.entries[entry].array->number;
    while (buffer.slots[i & (capacity - 1)] != 0) ++i;
    buffer.slots[i & (capacity - 1)] = static_cast<uint16_t>(entry + 1);
  }
}

// The thread's footprints on the array. A full buffer is flushed first.
SlimState::Pending& SlimState::pending(Array& array, ThreadId thread) {
  Buffer& buffer = buffers_.at(arena_, index(thread));
  if (Pending* found = find_pending(buffer, array)) return *found;
  if (buffer.entries.size() == kCommitBuffer) flush(thread);
  fasttrack_.order().thread(thread);  // it takes its slot now, not when it commits
  threads_ = std::max(threads_, static_cast<uint32_t>(index(thread)) + 1);
  if (2 * (buffer.entries.size() + 1) > buffer.capacity) rehash(buffer, buffer.capacity == 0 ? 8 : 2 * buffer.capacity);
  buffer.entries.push_back(arena_, Pending{&array, {}, {}});
  ++buffer.generation;
  ++array.pending;
  uint32_t i = array.number;
  while (buffer.slots[i & (buffer.capacity - 1)] != 0) ++i;
  buffer.slots[i & (buffer.capacity - 1)] = static_cast<uint16_t>(buffer.entries.size());
  return buffer.entries.back();
}

// Writes first: a read that the same epoch's write covers need not be recorded.
void SlimState::commit_entry(Pending& entry, ThreadId thread) {
  Array& array = *entry.array;
  entry.array = nullptr;
  ++buffers_.find(index(thread))->generation;
  --array.pending;
  if (!entry.writes.range.empty()) commit(array, thread, AccessKind::kWrite, entry.writes);
  if (!entry.reads.range.empty()) commit(array, thread, AccessKind::kRead, entry.reads);
}

void SlimState::flush(ThreadId thread) {
  Buffer* buffer = buffers_.find(index(thread));
  if (buffer == nullptr || buffer->entries.empty()) return;
  for (Pending& entry : buffer->entries)
    if (entry.array != nullptr) commit_entry(entry, thread);
  buffer->entries.clear();
  if (buffer->capacity > 64)  // a rare crowd: its memory is not kept
    release_buffer(thread);
  else
    std::fill_n(buffer->slots, buffer->capacity, uint16_t{0});
}

// Of a thread that has no footprints. If it makes others, it gets another.
void SlimState::release_buffer(ThreadId thread) {
  Buffer* buffer = buffers_.find(index(thread));
  if (buffer == nullptr || buffer->capacity == 0) return;
  buffer->entries.release(arena_);
  arena_.free(buffer->slots, buffer->capacity * sizeof(uint16_t));
  buffer->slots = nullptr;
  buffer->capacity = 0;
}

// Every thread's footprints on one array, before it ends or changes hands.
void SlimState::commit_all(Array& array) {
  for (uint32_t t = 0; t < threads_ && array.pending > 0; ++t) {
    Buffer* buffer = buffers_.find(t);
    if (buffer == nullptr) continue;
    if (Pending* entry = find_pending(*buffer, array)) commit_entry(*entry, static_cast<ThreadId>(t));
  }
}

// ---- Accesses -----------------------------------------------------------------------------------------------------

void SlimState::touch(Array& array, const Access& a, uint32_t first, uint32_t count) {
  accesses_ += count;
  if (a.kind != AccessKind::kRead && a.kind != AccessKind::kWrite && array.P.mode() != Partition::Mode::kFine)
    refine_to(array, Partition::fine(array.length()));
  if (array.P.is_immediate() || count == 1) {
    for (uint32_t i = first; i < first + count; ++i) gather(array, a, i);
    return;
  }
  // Towards the side on which the footprint can grow.
  Pending& entry = pending(array, a.thread);
  const StridedRange& range = (a.kind == AccessKind::kRead ? entry.reads : entry.writes).range;
  if (!range.empty() && first < range.b) {
    for (uint32_t i = first + count; i-- > first;) gather(array, a, i);
    return;
  }
  for (uint32_t i = first, end = first + count; i < end;) {
    gather(array, a, i++);
    if (i == end || array.P.is_immediate()) continue;
    // Two elements say how the footprint grows; the others follow at once.
    Pending& grown = pending(array, a.thread);
    if ((a.kind == AccessKind::kRead ? grown.reads : grown.writes).goes_on(arena_, i, end - i, a.event, a.location))
      return;
  }
}

void SlimState::gather(Array& array, const Access& a, uint32_t element) {
  if (array.P.is_immediate()) return access_now(array, a, element);
  Pending& entry = pending(array, a.thread);
  Footprint& f = a.kind == AccessKind::kRead ? entry.reads : entry.writes;
  if (!f.add(arena_, element, a)) [[unlikely]] {
    commit(array, a.thread, a.kind, f);
    if (array.P.is_immediate()) return access_now(array, a, element);
    f.add(arena_, element, a);
  }
  if (array.is_block && study_ == nullptr) begin_stream(array, a, f);
}

void SlimState::begin_stream(const Array& block, const Access& a, Footprint& f) {
  const Buffer& buffer = *buffers_.find(index(a.thread));
  const uint64_t key = stream_key(a.location, a.kind);
  streams_[key % kStreams] = {.key = key,
                              .buffer = &buffer,
                              .generation = buffer.generation,
                              .shift = static_cast<uint32_t>(std::countr_zero(block.unit)),
                              .address = block.address,
                              .bytes = block.bytes / block.unit * block.unit,
                              .footprint = &f};
}

void SlimState::access_now(Array& array, const Access& a, uint32_t element) {
  if (array.P.mode() == Partition::Mode::kPrefix) refine_to(array, refine(array.P, {element, element, 1}));
  Var& x = array.P.mode() == Partition::Mode::kFine ? fine_state(array, element) : array.T[array.P.part_of(element)];
  ++checks_;
  if (fasttrack_.access(a, x).is_race) [[unlikely]]
    report(array, {element, element, 1}, a);
}

// ---- Commits ------------------------------------------------------------------------------------------------------

void SlimState::commit(Array& array, ThreadId thread, AccessKind kind, Footprint& f) {
  ++commits_;
  array.worth += static_cast<int32_t>(std::min<uint32_t>(f.range.size(), kPatience)) - kCommitCost;
  array.worth = std::min(array.worth, kPatience);
  refine_to(array, array.worth < 0 ? Partition::fine(array.length()) : refine(array.P, f.range));
  Access a{thread, kind, f.up.first_location(), f.up.first()};
  if (array.P.mode() == Partition::Mode::kFine) {
    f.for_each([&](uint32_t element, uint64_t event, LocationId location) {
      a.event = event;
      a.location = location;
      access_now(array, a, element);
    });
    f.clear(arena_);
    return;
  }
  const Epoch E = fasttrack_.order().thread(thread).E;
  Trail* trail = nullptr;
  array.P.for_each_part(f.range, [&](uint32_t p) {
    ++checks_;
    Var& x = array.T[p];
    if (kind == AccessKind::kRead && x.W() == E) return;
    const bool is_recorded = kind == AccessKind::kRead ? x.R_is_clock() || x.R() != E : x.W() != E;
    if (is_recorded && trail == nullptr && f.range.size() > 1) {
      trail = f.make_trail(arena_);
      a.event = kTrailTag | reinterpret_cast<uint64_t>(trail);
      for (Trail* made = trail; made != nullptr; made = made->other) {
        made->next = array.trails;
        array.trails = made;
        array.trail_bytes += made->bytes();
      }
    }
    commit_part(array, a, array.P.part(p), x);
  });
  f.clear(arena_);
  if (array.trail_bytes > array.collect_at) collect_trails(array);
}

void SlimState::commit_part(Array& array, const Access& a, const StridedRange& part, Var& x) {
  if (fasttrack_.access(a, x).is_race) [[unlikely]] {
    report(array, part, a);
  } else if (a.kind == AccessKind::kWrite) {
    fasttrack_.forget_read(x);
  }
}

// ---- Frees --------------------------------------------------------------------------------------------------------

void SlimState::free_object(const Access& a, ObjectId object) {
  NamedArray* named = named_.find(index(object));
  if (named == nullptr || named->length == 0) return;
  if (named->array == nullptr) make_named(*named, object);
  free_array(*named->array, a);
}

// A free writes every element; afterwards all have the same history again, whatever they had before.
void SlimState::free_array(Array& array, const Access& a) {
  commit_all(array);
  const auto is_element_by_itself = [&](uint32_t i) {
    return i / kChunk < array.chunks.size() && array.chunks[i / kChunk] != nullptr;
  };
  for (uint32_t p = 0, parts = array.base.parts(); p < parts; ++p) {
    if (!fasttrack_.access(a, array.T[p]).is_race) continue;
    const StridedRange part = array.base.part(p);
    if (array.chunks.empty()) {
      report(array, part, a);
    } else {
      for (uint32_t i = part.b; i <= part.e; i += part.k)
        if (!is_element_by_itself(i)) report(array, {i, i, 1}, a);
    }
  }
  for (uint32_t c = 0; c < array.chunks.size(); ++c) {
    for (uint32_t i = 0; array.chunks[c] != nullptr && i < kChunk; ++i)
      if (fasttrack_.access(a, array.chunks[c][i]).is_race) report(array, {c * kChunk + i, c * kChunk + i, 1}, a);
  }
  retire(array);
  array.is_freed = true;
  const Partition coarse = Partition::coarse(array.length());
  drop_states(array);
  array.P = array.base = coarse;
  array.T = static_cast<Var*>(arena_.allocate(sizeof(Var)));
  new (array.T) Var{};
  fasttrack_.access(a, array.T[0]);
}

// ---- Reports ------------------------------------------------------------------------------------------------------

Place SlimState::place_of(const Array& array, uint32_t element) const {
  if (!array.is_block) return {false, Place::kNoVariable, 0, static_cast<ObjectId>(array.address), element};
  const uint64_t offset = uint64_t{element} * array.unit;
  return {true, array.address + offset, std::min<uint64_t>(array.unit, array.bytes - offset)};
}

void SlimState::resolve(Access& a, uint32_t element) {
  if ((a.event & kTrailTag) == 0) return;
  const Trail* trail = reinterpret_cast<const Trail*>(a.event & ~kTrailTag);
  if (!trail->contains(element)) trail = trail->other;
  const uint32_t position = trail->position(element);
  if (trail->is_plain()) {
    a.event = trail->first + position * trail->distance;
    a.location = trail->locations.first;
    return;
  }
  Decoded* decoded = std::find_if(std::begin(decoded_), std::end(decoded_),
                                  [trail](const Decoded& known) { return known.trail == trail; });
  if (decoded == std::end(decoded_)) {
    decoded = &decoded_[next_decoded_++ % std::size(decoded_)];
    decoded->trail = trail;
    decoded->accesses.release(arena_);
    decoded->accesses.reserve(arena_, trail->count);
    trail->for_each([&](uint64_t event, LocationId location) {
      decoded->accesses.push_back(arena_, {a.thread, a.kind, location, event});
    });
  }
  a.event = decoded->accesses[position].event;
  a.location = decoded->accesses[position].location;
}

// The last access raced with what FastTrack says, on each of the elements. Commits do not follow the order of events,
// so the access that was committed later may have come first.
void SlimState::report(Array& array, const StridedRange& elements, Access second) {
  const Access first = fasttrack_.conflict().first;
  for (uint32_t i = elements.b; i <= elements.e; i += elements.k) {
    Access a = first, b = second;
    resolve(a, i);
    resolve(b, i);
    if (a.event > b.event) std::swap(a, b);
    races_->report(place_of(array, i), {true, a}, b);
  }
}

}  // namespace deadheat
