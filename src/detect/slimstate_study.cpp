#include "detect/slimstate_study.h"

#include <algorithm>
#include <numeric>

namespace deadheat {

void BitSet::insert(Arena& arena, uint32_t i, uint32_t n) {
  if (words_.empty()) words_.resize(arena, (n + 63) / 64);
  words_[i / 64] |= uint64_t{1} << i % 64;
}

// ---- Any set and the partition modes ------------------------------------------------------------------------------

namespace {

bool is_union_of_parts(const Partition& P, const BitSet& f) {
  for (uint32_t i = 0; i < P.length(); ++i)
    if (f.contains(i) != f.contains(P.part(P.part_of(i)).b)) return false;
  return true;
}

bool as_strided(const BitSet& f, uint32_t n, StridedRange& range) {
  range = {};
  for (uint32_t i = 0; i < n; ++i)
    if (f.contains(i) && range.add(i) == StridedRange::Growth::kCannot) return false;
  return true;
}

// The largest block of which the set and the borders that P has already are made; 1 if there is none.
uint32_t block_for(const Partition& P, const BitSet& f) {
  const uint32_t n = P.length();
  uint32_t d = n;
  if (P.mode() == Partition::Mode::kBlock || P.mode() == Partition::Mode::kSplit) d = std::gcd(n, P.parameter());
  for (uint32_t i = 1; i < n && d > 1; ++i)
    if (f.contains(i) != f.contains(i - 1)) d = std::gcd(d, i);
  return d;
}

}  // namespace

Partition refine(const Partition& P, const BitSet& f) {
  using Mode = Partition::Mode;
  const uint32_t n = P.length();
  if (is_union_of_parts(P, f)) return P;
  if (StridedRange range; as_strided(f, n, range)) return refine(P, range);
  uint32_t last = n - 1;
  while (!f.contains(last)) --last;
  const bool may_be_block = P.mode() == Mode::kCoarse || P.mode() == Mode::kBlock || P.mode() == Mode::kSplit;
  if (const uint32_t d = may_be_block ? block_for(P, f) : 1; d > 1) return Partition::block(d, n);
  if (P.mode() == Mode::kCoarse || P.mode() == Mode::kStride) {
    const uint32_t s = P.mode() == Mode::kStride ? P.parameter() : 1;
    for (uint32_t t = std::max(2u, s); t < n; t += s)
      if (n % t == 0 && t % s == 0 && is_union_of_parts(Partition::stride(t, n), f)) return Partition::stride(t, n);
  }
  if (P.mode() == Mode::kSplit) last = std::max(last, P.parameter());
  if ((P.mode() == Mode::kCoarse || P.mode() == Mode::kSplit) && 4 * uint64_t{last} < n)
    return Partition::prefix(last + 1, n);
  if (P.mode() == Mode::kPrefix && 2 * uint64_t{last} < n - 1) return Partition::prefix(2 * last, n);
  return Partition::fine(n);
}

// ---- Any partition ------------------------------------------------------------------------------------------------

void LabelPartition::begin(Arena& arena, uint32_t n) {
  labels_.resize(arena, n);
  sizes_.push_back(arena, n);
}

void LabelPartition::release(Arena& arena) {
  labels_.release(arena);
  sizes_.release(arena);
}

template <class Contains>
void LabelPartition::refine(Arena& arena, Contains contains) {
  ArenaVector<uint32_t> inside, divided;  // by old label: its indices in the set; its second half's label
  inside.resize(arena, parts());
  divided.resize(arena, parts());
  for (uint32_t i = 0; i < labels_.size(); ++i) inside[labels_[i]] += contains(i);
  const uint32_t old_parts = parts();
  for (uint32_t p = 0; p < old_parts; ++p) {
    if (inside[p] == 0 || inside[p] == sizes_[p]) continue;
    divided[p] = parts();
    sizes_[p] -= inside[p];
    sizes_.push_back(arena, inside[p]);
  }
  for (uint32_t i = 0; i < labels_.size() && parts() > old_parts; ++i)
    if (labels_[i] < old_parts && divided[labels_[i]] != 0 && contains(i)) labels_[i] = divided[labels_[i]];
  inside.release(arena);
  divided.release(arena);
}

// ---- The study ----------------------------------------------------------------------------------------------------

void SlimStateStudy::begin(Array*& array, uint32_t n) {
  array = arena_.make<Array>();
  array->n = n;
  array->by_bits = Partition::coarse(n);
  array->of_bits.begin(arena_, n);
  array->both.begin(arena_, n);
  array->holder = &array;
  array->next = first_;
  if (first_ != nullptr) first_->last = array;
  first_ = array;
}

void SlimStateStudy::access(const Access& a, ObjectId object, uint32_t n, uint32_t element) {
  Array*& array = arrays_.at(arena_, index(object));
  if (array == nullptr) begin(array, n);
  access(a, *array, element);
}

void SlimStateStudy::access(const Access& a, Array& array, uint32_t element) {
  if (is_atomic(a.kind)) return commit_alone(array, element);
  Footprint& f = footprint(array, a.thread, a.kind == AccessKind::kWrite);
  f.bits.insert(arena_, element, array.n);
  if (f.strided.add(element) != StridedRange::Growth::kCannot) return;
  commit_strided(array, f);
  f.strided.add(element);
}

void SlimStateStudy::commit_alone(Array& array, uint32_t element) {
  array.of_bits.refine(arena_, [&](uint32_t i) { return i == element; });
  array.both.refine(arena_, [&](uint32_t i) { return i == element; });
  array.by_bits = Partition::fine(array.n);
}

// ---- Blocks -------------------------------------------------------------------------------------------------------

void SlimStateStudy::allocate(uint64_t address, uint64_t bytes) {
  blocks_.add(address, bytes, [this](auto& gone) { end(gone.value); });
}

void SlimStateStudy::begin_block(uint64_t address, uint32_t unit) {
  auto* block = blocks_.find(address);
  begin(block->value, static_cast<uint32_t>((block->bytes + unit - 1) / unit));
  block->value->unit = unit;
}

// An access may reach out of a block, at either end.
void SlimStateStudy::access_bytes(const Access& a, uint64_t address, uint64_t bytes) {
  for (const uint64_t at : {address, address + bytes - 1}) {
    auto* block = blocks_.find(at);
    if (block == nullptr || block->value == nullptr || block->value->is_fine) continue;
    Array& array = *block->value;
    const uint64_t offset = address - block->address, end = offset + bytes;
    const bool is_inside = address >= block->address && end <= block->bytes;
    if (!is_inside || offset % array.unit != 0 || (end % array.unit != 0 && end != block->bytes)) {
      array.is_fine = true;
    } else if (at == address) {
      for (uint64_t i = offset / array.unit; i * array.unit < end; ++i) access(a, array, static_cast<uint32_t>(i));
    }
  }
}

void SlimStateStudy::end_block(uint64_t address) {
  if (auto* block = blocks_.find(address)) end(block->value);
}

// ---- Footprints ---------------------------------------------------------------------------------------------------

SlimStateStudy::Footprint& SlimStateStudy::footprint(Array& array, ThreadId thread, bool writes) {
  for (Footprint& f : array.footprints)
    if (f.thread == thread && f.writes == writes) return f;
  touched_.at(arena_, index(thread)).push_back(arena_, &array);
  array.footprints.push_back(arena_, {thread, writes, {}, {}});
  return array.footprints.back();
}

void SlimStateStudy::commit_strided(Array& array, Footprint& f) {
  array.of_bits.refine(arena_, [&](uint32_t i) { return f.strided.contains(i); });
  f.strided = {};
}

void SlimStateStudy::commit(Array& array, Footprint& f) {
  commit_strided(array, f);
  array.by_bits = refine(array.by_bits, f.bits);
  array.both.refine(arena_, [&](uint32_t i) { return f.bits.contains(i); });
  f.bits.clear(arena_);
}

void SlimStateStudy::synchronises(ThreadId thread) {
  ArenaVector<Array*>& touched = touched_.at(arena_, index(thread));
  for (Array* array : touched) {
    for (uint32_t i = array->footprints.size(); i-- > 0;) {
      if (array->footprints[i].thread != thread) continue;
      commit(*array, array->footprints[i]);
      array->footprints.erase(i);
    }
  }
  touched.clear();
}

void SlimStateStudy::end(ObjectId object) {
  if (Array** array = arrays_.find(index(object))) end(*array);
}

void SlimStateStudy::end(Array* array) {
  if (array == nullptr) return;
  *array->holder = nullptr;
  for (Footprint& f : array->footprints) {
    commit(*array, f);
    ArenaVector<Array*>& touched = touched_.at(arena_, index(f.thread));
    for (uint32_t i = touched.size(); i-- > 0;)
      if (touched[i] == array) touched.erase(i);
  }
  elements_ += array->n;
  by_bits_ += array->is_fine ? array->n : array->by_bits.parts();
  of_bits_ += array->is_fine ? array->n : array->of_bits.parts();
  both_ += array->is_fine ? array->n : array->both.parts();
  array->footprints.release(arena_);
  array->of_bits.release(arena_);
  array->both.release(arena_);
  if (array->next != nullptr) array->next->last = array->last;
  (array->last != nullptr ? array->last->next : first_) = array->next;
  arena_.destroy(array);
}

void SlimStateStudy::finish() {
  while (first_ != nullptr) end(first_);
}

void SlimStateStudy::count(CounterSink& sink) const {
  sink.add("study/elements", elements_, CounterSink::kPerAccess);
  sink.add("study/states with bit-set footprints", by_bits_, CounterSink::kPerAccess, elements_);
  sink.add("study/states with bit-set partitions", of_bits_, CounterSink::kPerAccess, elements_);
  sink.add("study/states with both", both_, CounterSink::kPerAccess, elements_);
}

}  // namespace deadheat
