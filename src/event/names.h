// The names of a trace: one table for each name space, and for each variable the object it belongs to.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "event/event.h"

namespace deadheat {

// Strings in the order of first appearance, found by an open hash table. The bytes of a name lie in chunks that never
// move; a name costs 16 bytes, 8 to 16 bytes of hash table and its characters.
class StringTable {
 public:
  static constexpr uint32_t kNotFound = UINT32_MAX;

  uint32_t intern(std::string_view name);
  // Adds many names, none of which may be known: false at the first that is; those before it stay. The places of
  // names to come are fetched ahead, so that a large table costs no cache miss for each.
  bool append(std::span<const std::string_view> names);
  uint32_t find(std::string_view name) const;  // kNotFound if it is not there
  size_t size() const { return names_.size(); }
  std::string_view operator[](size_t i) const { return names_[i]; }

 private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t name = kNotFound;
  };
  // The slot that holds `name`, or the empty one where it belongs.
  size_t slot_of(std::string_view name, uint32_t hash) const;
  void add(size_t slot, std::string_view name, uint32_t hash);
  void grow(size_t slots);
  std::string_view keep(std::string_view name);

  std::vector<std::string_view> names_;
  std::vector<Slot> slots_;  // a power of two, at most half full; empty at first
  std::vector<std::unique_ptr<char[]>> chunks_;
  size_t chunk_left_ = 0;
  char* chunk_next_ = nullptr;
};

// Names in the order of first appearance; an id is a position in that order.
template <class Id>
class NameTable {
 public:
  // The id of `name`, a new one if it was not known.
  Id intern(std::string_view name) { return static_cast<Id>(strings_.intern(name)); }
  bool append(std::span<const std::string_view> names) { return strings_.append(names); }
  size_t size() const { return strings_.size(); }
  std::string_view operator[](Id id) const { return strings_[index(id)]; }

 private:
  StringTable strings_;
};

// Splits a variable's name: the object is what stands before the first `.` or `[`; the whole name if there is
// neither. Only a name of the form `object[decimal]` is an element of an array.
struct VariableName {
  std::string_view object;
  uint64_t element = VariableInfo::kNotAnElement;
};
VariableName split_variable_name(std::string_view name);

struct Names {
  NameTable<ThreadId> threads;
  NameTable<VariableId> variables;
  NameTable<ObjectId> objects;
  NameTable<LockId> locks;
  NameTable<MessageId> messages;
  NameTable<BarrierId> barriers;
  NameTable<SemaphoreId> semaphores;
  NameTable<ConditionId> conditions;
  NameTable<LocationId> locations;
  std::vector<VariableInfo> variable_info;  // by VariableId

  VariableId intern_variable(std::string_view name);
  bool append_variables(std::span<const std::string_view> names);  // as StringTable::append
  // The name of a location, "" for none.
  std::string_view location(LocationId id) const { return id == kNoLocation ? std::string_view{} : locations[id]; }

 private:
  void add_variable_info(std::string_view name);
};

}  // namespace deadheat
