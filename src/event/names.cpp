#include "event/names.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>

#include "base/fatal.h"
#include "base/prefetch.h"

namespace deadheat {

namespace {
constexpr size_t kChunkBytes = 1 << 16;

uint32_t hash_of(std::string_view name) { return static_cast<uint32_t>(XXH3_64bits(name.data(), name.size())); }
}  // namespace

size_t StringTable::slot_of(std::string_view name, uint32_t hash) const {
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.name == kNotFound || (slot.hash == hash && names_[slot.name] == name)) return i;
  }
}

uint32_t StringTable::find(std::string_view name) const {
  return slots_.empty() ? kNotFound : slots_[slot_of(name, hash_of(name))].name;
}

uint32_t StringTable::intern(std::string_view name) {
  if (names_.size() * 2 >= slots_.size()) grow(std::max<size_t>(16, slots_.size() * 2));
  const uint32_t hash = hash_of(name);
  const size_t slot = slot_of(name, hash);
  if (slots_[slot].name == kNotFound) add(slot, name, hash);
  return slots_[slot].name;
}

void StringTable::add(size_t slot, std::string_view name, uint32_t hash) {
  DEADHEAT_CHECK(names_.size() < kNotFound);
  slots_[slot] = {hash, static_cast<uint32_t>(names_.size())};
  names_.push_back(keep(name));
}

bool StringTable::append(std::span<const std::string_view> names) {
  constexpr size_t kAhead = 16;
  const size_t wanted = 2 * (names_.size() + names.size());
  if (wanted > slots_.size()) grow(std::bit_ceil(std::max<size_t>(16, wanted)));
  std::array<uint32_t, kAhead> hashes;
  for (size_t i = 0; i < names.size() + kAhead; ++i) {
    uint32_t& hash = hashes[i % kAhead];
    if (i >= kAhead) {
      const std::string_view name = names[i - kAhead];
      const size_t slot = slot_of(name, hash);
      if (slots_[slot].name != kNotFound) return false;
      add(slot, name, hash);
    }
    if (i < names.size()) {
      hash = hash_of(names[i]);
      deadheat::prefetch(&slots_[hash & (slots_.size() - 1)]);
    }
  }
  return true;
}

void StringTable::grow(size_t slots) {
  std::vector<Slot> old(slots);
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.name == kNotFound) continue;
    size_t i = slot.hash & mask;
    while (slots_[i].name != kNotFound) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

std::string_view StringTable::keep(std::string_view name) {
  if (name.size() > chunk_left_) {
    const size_t bytes = std::max(kChunkBytes, name.size());
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(bytes));
    chunk_next_ = chunks_.back().get();
    chunk_left_ = bytes;
  }
  char* kept = chunk_next_;
  if (!name.empty()) std::memcpy(kept, name.data(), name.size());
  chunk_next_ += name.size();
  chunk_left_ -= name.size();
  return {kept, name.size()};
}

VariableName split_variable_name(std::string_view name) {
  const size_t cut = name.find_first_of(".[");
  if (cut == std::string_view::npos || cut == 0) return {name};
  VariableName split{name.substr(0, cut)};
  if (name[cut] == '[' && name.back() == ']') {
    const char* first = name.data() + cut + 1;
    const char* last = name.data() + name.size() - 1;
    uint64_t element = 0;
    const auto [end, error] = std::from_chars(first, last, element);
    const bool canonical = first != last && (*first != '0' || last == first + 1);
    if (error == std::errc{} && end == last && canonical) split.element = element;
  }
  return split;
}

VariableId Names::intern_variable(std::string_view name) {
  const VariableId id = variables.intern(name);
  if (index(id) == variable_info.size()) add_variable_info(name);
  return id;
}

bool Names::append_variables(std::span<const std::string_view> names) {
  const bool all_new = variables.append(names);
  while (variable_info.size() < variables.size())
    add_variable_info(variables[static_cast<VariableId>(variable_info.size())]);
  return all_new;
}

void Names::add_variable_info(std::string_view name) {
  const VariableName split = split_variable_name(name);
  // The fields of an object and the elements of an array tend to come one after the other.
  const bool as_before = !variable_info.empty() && objects[variable_info.back().object] == split.object;
  variable_info.push_back({as_before ? variable_info.back().object : objects.intern(split.object), split.element});
}

}  // namespace deadheat
