// SlimState: arrays, how they come and go, and what a refinement does to their states.
#include <algorithm>
#include <cstdio>

#include "detect/slimstate.h"

namespace deadheat {

SlimState::Array* SlimState::make_array(const Partition& P, uint64_t address, uint64_t bytes) {
  Array* array = arena_.make<Array>();
  array->P = array->base = P;
  array->T = static_cast<Var*>(arena_.allocate(sizeof(Var)));
  new (array->T) Var{};
  array->number = next_number_++;
  array->worth = kPatience;
  array->address = address;
  array->bytes = bytes;
  array->next = arrays_;
  if (arrays_ != nullptr) arrays_->last = array;
  arrays_ = array;
  return array;
}

void SlimState::make_named(NamedArray& named, ObjectId object) {
  named.array = make_array(Partition::coarse(static_cast<uint32_t>(named.length)), index(object), 0);
  named.array->unit = 1;
}

void SlimState::destroy(Array* array) {
  drop_states(*array);
  if (array->next != nullptr) array->next->last = array->last;
  (array->last != nullptr ? array->last->next : arrays_) = array->next;
  arena_.destroy(array);
}

// All states and trails of an array; it must get new states before anything else.
void SlimState::drop_states(Array& array) {
  const uint32_t parts = array.base.parts();
  for (uint32_t p = 0; p < parts; ++p) fasttrack_.forget(array.T[p]);
  arena_.free(array.T, parts * sizeof(Var));
  array.T = nullptr;
  for (Var* chunk : array.chunks) {
    if (chunk == nullptr) continue;
    for (uint32_t i = 0; i < kChunk; ++i) fasttrack_.forget(chunk[i]);
    arena_.free(chunk, kChunk * sizeof(Var));
  }
  array.chunks.release(arena_);
  array.P = array.base = Partition::coarse(array.length());
  collect_trails(array);
}

// Every part of the old partition is a union of parts of the new one, which begin with copies of its state.
void SlimState::refine_to(Array& array, const Partition& P) {
  if (P == array.P) return;
  ++refinements_;
  const Partition old = array.P;
  array.P = P;
  if (P.mode() == Partition::Mode::kFine) {
    array.chunks.resize(arena_, 1);
    return;
  }
  const uint32_t parts = P.parts();
  Var* T = static_cast<Var*>(arena_.allocate(parts * sizeof(Var)));
  for (uint32_t p = 0; p < parts; ++p) {
    const uint32_t first = P.part(p).b, from = old.part_of(first);
    const bool inherits = old.part(from).b == first;  // one of them takes over what the state owns
    new (T + p) Var(inherits ? array.T[from] : fasttrack_.clone(array.T[from]));
  }
  arena_.free(array.T, old.parts() * sizeof(Var));
  array.T = T;
  array.base = P;
}

SlimState::Var& SlimState::fine_state(Array& array, uint32_t element) {
  const uint32_t number = element / kChunk;
  if (number >= array.chunks.size()) array.chunks.resize(arena_, number + 1);
  Var*& chunk = array.chunks[number];
  if (chunk == nullptr) [[unlikely]] {
    chunk = static_cast<Var*>(arena_.allocate(kChunk * sizeof(Var)));
    for (uint32_t i = 0; i < kChunk; ++i) {
      const uint32_t at = number * kChunk + i;
      new (chunk + i) Var(at < array.length() ? fasttrack_.clone(array.T[array.base.part_of(at)]) : Var{});
    }
  }
  return chunk[element % kChunk];
}

// Frees the trails that no state refers to. Called when they have grown by a quarter and by a few bytes for each part,
// so that its cost is a small part of what made them.
void SlimState::collect_trails(Array& array) {
  const auto mark_event = [](uint64_t event) {
    if ((event & kTrailTag) == 0) return;
    for (Trail* trail = reinterpret_cast<Trail*>(event & ~kTrailTag); trail != nullptr; trail = trail->other)
      trail->marked = true;
  };
  const auto mark = [&](const Var& x) {
    if (!x.W().is_never()) mark_event(x.W_origin().event());
    if (x.R_is_clock()) {
      x.reads().for_each([&](Epoch, const Origin& origin) { mark_event(origin.event()); });
    } else if (!x.R().is_never()) {
      mark_event(x.R_origin().event());
    }
  };
  const uint32_t parts = array.T == nullptr ? 0 : array.base.parts();
  for (uint32_t p = 0; p < parts; ++p) mark(array.T[p]);
  for (const Var* chunk : array.chunks)
    for (uint32_t i = 0; chunk != nullptr && i < kChunk; ++i) mark(chunk[i]);
  array.trail_bytes = 0;
  for (Trail** at = &array.trails; *at != nullptr;) {
    Trail* trail = *at;
    if (!trail->marked) {
      for (Decoded& decoded : decoded_) {
        if (decoded.trail != trail) continue;
        decoded.trail = nullptr;
        decoded.accesses.release(arena_);
      }
      *at = trail->next;
      Trail::release(arena_, trail);
      continue;
    }
    trail->marked = false;
    array.trail_bytes += trail->bytes();
    at = &trail->next;
  }
  array.collect_at = array.trail_bytes + array.trail_bytes / 4 + 8 * size_t{parts} + 256;
}

// ---- Blocks of bytes ----------------------------------------------------------------------------------------------

void SlimState::index_block(Array* block, bool is_there) {
  for (uint64_t page = block->address / kPage; page <= (block->address + block->bytes - 1) / kPage; ++page) {
    ArenaVector<Array*>& there = blocks_.at(arena_, page);
    if (maps_[map_slot(page)].page == page) maps_[map_slot(page)].page = UINT64_MAX;
    if (is_there) {
      there.push_back(arena_, block);
      continue;
    }
    there.erase(static_cast<uint32_t>(std::find(there.begin(), there.end(), block) - there.begin()));
    if (there.empty()) {
      there.release(arena_);
      blocks_.erase(page);
    }
  }
}

// A block that has some of these bytes, or null.
SlimState::Array* SlimState::block_at(uint64_t address, uint64_t bytes) {
  const auto meets = [&](const Array* block) {
    return address < block->address ? block->address - address < bytes : address - block->address < block->bytes;
  };
  if (last_block_ != nullptr && meets(last_block_)) return last_block_;
  for (uint64_t page = address / kPage; page <= (address + bytes - 1) / kPage; ++page) {
    if (const ArenaVector<Array*>* there = blocks_.find(page)) {
      for (Array* block : *there)
        if (meets(block)) return last_block_ = block;
    }
    if (study_ == nullptr && maps_[map_slot(page)].page != page) map_page(page);  // a study sees every access
  }
  return nullptr;
}

// For has_no_block, until the page gets a block or loses one.
void SlimState::map_page(uint64_t page) {
  PageMap& map = maps_[map_slot(page)];
  map = {.page = page};
  const ArenaVector<Array*>* there = blocks_.find(page);
  if (there == nullptr) return;
  for (const Array* block : *there) {
    const uint64_t first = std::max(block->address, page * kPage) / kGranule;
    const uint64_t last = std::min(block->address + block->bytes - 1, page * kPage + kPage - 1) / kGranule;
    for (uint64_t g = first; g <= last; ++g) map.blocks[g % kGranules / 64] |= uint64_t{1} << g % 64;
  }
}

// The memory is given anew: what was kept about it goes, but for bytes beyond the new block.
void SlimState::allocate_bytes(const Event& e) {
  if (e.size == 0) return;
  if (study_ != nullptr) study_->allocate(e.target, e.size);
  while (Array* old = block_at(e.target, e.size)) {
    commit_all(*old);
    if (old->address >= e.target && old->address - e.target + old->bytes <= e.size) {
      retire(*old);
      index_block(old, false);
      last_block_ = nullptr;
      destroy(old);
    } else {
      hand_back(old);
    }
  }
  if (e.size < kSmallArray || e.size > kMostElements) return;
  Array* block = make_array(Partition::coarse(1), e.target, e.size);
  block->is_block = true;
  index_block(block, true);
  takes_any_ = true;
}

// An access of all of a block, a memset, does not say what its elements are. Until one does, the block is one element,
// whose state the elements begin with.
void SlimState::whole_block(Array& block, const Access& a) {
  ++accesses_;
  ++checks_;
  if (!fasttrack_.access(a, block.T[0]).is_race) return;
  block.unit = static_cast<uint32_t>(block.bytes);
  report(block, {0, 0, 1}, a);
  block.unit = 0;
}

// The first access of a part says what the elements are: a power of two of bytes, at most 8. A wide one leaves it open;
// 4 is what arrays are most often made of.
bool SlimState::choose_unit(Array& block, const Access& a, uint64_t offset, uint64_t bytes) {
  const uint64_t most = bytes > 16 ? 4 : 8;
  const uint64_t end = offset + bytes == block.bytes ? 0 : offset + bytes;
  const uint64_t unit = uint64_t{1} << std::countr_zero(offset | end | most);
  const uint64_t n = (block.bytes + unit - 1) / unit;
  if (n < kSmallArray || (a.kind != AccessKind::kRead && a.kind != AccessKind::kWrite)) return false;
  block.unit = static_cast<uint32_t>(unit);
  block.P = block.base = Partition::coarse(static_cast<uint32_t>(n));
  if (study_ != nullptr && !block.is_freed) study_->begin_block(block.address, block.unit);
  return true;
}

bool SlimState::take_bytes(const Access& a, const Place& place) {
  if (place.bytes == 0) return false;
  Array* block = block_at(place.target, place.bytes);
  const bool is_taken = block != nullptr && take_bytes(a, place, block);
  if (study_ != nullptr && a.kind == AccessKind::kFree) study_->end_block(place.target);
  if (study_ != nullptr && a.kind != AccessKind::kFree) study_->access_bytes(a, place.target, place.bytes);
  return is_taken;
}

// Whether very many elements at once, from `first` on, can go into a footprint.
bool SlimState::pays(Array& block, const Access& a, uint32_t first) {
  Buffer* buffer = buffers_.find(index(a.thread));
  if (Pending* entry = buffer != nullptr ? find_pending(*buffer, block) : nullptr) {
    Footprint& f = a.kind == AccessKind::kRead ? entry->reads : entry->writes;
    if (!f.range.empty() && first != f.range.e + f.range.k) commit(block, a.thread, a.kind, f);
  }
  return !block.P.is_immediate();
}

bool SlimState::take_bytes(const Access& a, const Place& place, Array* block) {
  const uint64_t offset = place.target - block->address, end = offset + place.bytes;
  const bool is_inside = place.target >= block->address && end <= block->bytes;
  if (a.kind == AccessKind::kFree && is_inside && place.bytes == block->bytes) {
    if (block->unit == 0) block->unit = static_cast<uint32_t>(block->bytes);
    const bool was_open = block->P.length() == 1;
    free_array(*block, a);
    if (was_open) block->unit = 0;
    return true;
  }
  const bool is_plain = a.kind == AccessKind::kRead || a.kind == AccessKind::kWrite;
  if (is_inside && is_plain && block->unit == 0 && place.bytes == block->bytes) {
    whole_block(*block, a);
    return true;
  }
  if (is_inside && is_plain && (block->unit != 0 || choose_unit(*block, a, offset, place.bytes)) &&
      offset % block->unit == 0 && (end % block->unit == 0 || end == block->bytes) &&
      (place.bytes / block->unit < kLargeAccess || pays(*block, a, static_cast<uint32_t>(offset / block->unit)))) {
    touch(*block, a, static_cast<uint32_t>(offset / block->unit),
          static_cast<uint32_t>((place.bytes + block->unit - 1) / block->unit));
    if (block->P.mode() == Partition::Mode::kFine) hand_back(block);
    return true;
  }
  // Not by whole elements, or atomic, or so many that are checked one by one: from now on byte by byte, as all memory.
  do hand_back(block);
  while ((block = block_at(place.target, place.bytes)) != nullptr);
  return false;
}

uint32_t SlimState::hand_back_word(Array& block, uint32_t first, bool& is_empty) {
  constexpr uint32_t kWord = 8;
  const uint64_t address = block.address + uint64_t{first} * block.unit;
  const uint32_t in_word = block.unit < kWord && address % kWord == 0 ? kWord / block.unit : 1;
  const uint32_t count = first + in_word <= block.bytes / block.unit ? in_word : 1;
  Var states[kWord];
  bool are_same = true;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t at = first + i;
    const Var* chunk = at / kChunk < block.chunks.size() ? block.chunks[at / kChunk] : nullptr;
    states[i] = fasttrack_.clone(chunk != nullptr ? chunk[at % kChunk] : block.T[block.base.part_of(at)]);
    fasttrack_.change_origins(states[i], [&](Access& a) { resolve(a, at); });
    are_same &= !states[i].R_is_clock() && states[i] == states[0];
  }
  // A word whose units have one history has one state.
  const uint32_t step = are_same ? count : 1;
  for (uint32_t i = 0; i < count; i += step) {
    const Var& x = states[i];
    if (x.W().is_never() && !x.R_is_clock() && x.R().is_never()) continue;
    is_empty = false;
    Place place = place_of(block, first + i);
    place.bytes *= step;
    states_->put(place, x);
  }
  for (uint32_t i = 0; i < count; ++i) fasttrack_.forget(states[i]);
  return count;
}

// Units from `first` on that have no history, as far as that is quickly said: none has a state of its own, and all are
// in one part.
uint32_t SlimState::untouched_from(const Array& block, uint32_t first) const {
  const Partition::Mode mode = block.base.mode();
  if (first % kChunk != 0 || mode == Partition::Mode::kStride || mode == Partition::Mode::kFine) return 0;
  const uint32_t part = block.base.part_of(first);
  const Var& x = block.T[part];
  if (!x.W().is_never() || x.R_is_clock() || !x.R().is_never()) return 0;
  const uint32_t end = block.base.part(part).e + 1;
  uint32_t next = first;
  while (next < end && (next / kChunk >= block.chunks.size() || block.chunks[next / kChunk] == nullptr)) next += kChunk;
  return std::min(next, end) - std::min(first, end);
}

void SlimState::hand_back(Array* block) {
  commit_all(*block);
  bool is_empty = true;
  if (block->unit == 0) block->unit = static_cast<uint32_t>(block->bytes);
  for (uint32_t i = 0; i < block->length();) {
    const uint32_t untouched = untouched_from(*block, i);
    i += untouched != 0 ? untouched : hand_back_word(*block, i, is_empty);
  }
  handed_back_ += !is_empty;
  block->P = Partition::fine(block->length());  // from now on every unit of it has a state, or several
  retire(*block);
  index_block(block, false);
  last_block_ = nullptr;
  destroy(block);
}

// ---- What is known of arrays --------------------------------------------------------------------------------------

bool SlimState::keeps(const Place& place) const {
  if (place.is_range || place.element == VariableInfo::kNotAnElement) return false;
  const NamedArray* named = named_.find(index(place.object));
  return named != nullptr && place.element < named->length;
}

Partition SlimState::partition(ObjectId object) const {
  const NamedArray* named = named_.find(index(object));
  if (named == nullptr || named->length == 0) return {};
  return named->array == nullptr ? Partition::coarse(static_cast<uint32_t>(named->length)) : named->array->P;
}

const SlimState::Var& SlimState::state(ObjectId object, uint32_t part) {
  Array& array = *named_.find(index(object))->array;
  return array.P.mode() == Partition::Mode::kFine ? fine_state(array, part) : array.T[part];
}

// An array has its last partition at the end of its life. One that was freed is counted then, not again.
void SlimState::count_array(const Array& array, ModeCounts* counts) const {
  if (array.is_freed || array.length() < kSmallArray) return;
  ModeCounts& mode = counts[static_cast<int>(array.P.mode())];
  ++mode.arrays;
  mode.elements += array.length();
  mode.states += array.P.mode() == Partition::Mode::kFine ? array.length() : array.base.parts();
}

void SlimState::retire(const Array& array) {
  count_array(array, retired_);
  if (study_ != nullptr && !array.is_block) study_->end(static_cast<ObjectId>(array.address));
}

void SlimState::count(CounterSink& sink) const {
  fasttrack_.count(sink);
  ModeCounts counts[Partition::kModes];
  std::copy(std::begin(retired_), std::end(retired_), counts);
  for (const Array* array = arrays_; array != nullptr; array = array->next) count_array(*array, counts);
  uint64_t elements = 0, states = 0;
  for (const ModeCounts& mode : counts) {
    elements += mode.elements;
    states += mode.states;
  }
  constexpr auto kPerAccess = CounterSink::kPerAccess;
  sink.add("arrays/accesses", accesses_, kPerAccess);
  sink.add("arrays/checks", checks_, kPerAccess);
  sink.add("arrays/checks saved", accesses_ - std::min(accesses_, checks_), kPerAccess, accesses_);
  sink.add("arrays/commits", commits_, kPerAccess);
  sink.add("arrays/refinements", refinements_, kPerAccess);
  sink.add("arrays/blocks handed back", handed_back_, kPerAccess);
  // Figure 4 and Table II: a section for each of the three, a row for each mode.
  const auto add_modes = [&](const char* section, auto value, auto of) {
    char path[64];
    for (int m = 0; m < Partition::kModes; ++m) {
      const std::string_view mode = Partition::kNames[m];
      std::snprintf(path, sizeof path, "%s/%.*s", section, static_cast<int>(mode.size()), mode.data());
      sink.add(path, value(counts[m]), kPerAccess, of(counts[m]));
    }
  };
  using Counts = const ModeCounts&;
  add_modes("arrays in mode", [](Counts c) { return c.arrays; }, [](Counts) { return uint64_t{0}; });
  add_modes("elements in mode", [](Counts c) { return c.elements; }, [&](Counts) { return elements; });
  add_modes("states of elements", [](Counts c) { return c.states; }, [](Counts c) { return c.elements; });
  sink.add("states of elements/all", states, kPerAccess, elements);
  if (study_ != nullptr) study_->count(sink);
}

}  // namespace deadheat
