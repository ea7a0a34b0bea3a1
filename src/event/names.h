// The names of a trace: one table for each name space, and for each variable the object it belongs to.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/ids.h"
#include "event/event.h"

namespace deadheat {

// Names in the order of first appearance; an id is a position in that order.
template <class Id>
class NameTable {
 public:
  // The id of `name`, a new one if it was not known.
  Id intern(std::string_view name) {
    if (auto found = ids_.find(name); found != ids_.end()) return found->second;
    const Id id = static_cast<Id>(names_.size());
    names_.emplace_back(name);
    ids_.emplace(names_.back(), id);
    return id;
  }
  size_t size() const { return names_.size(); }
  std::string_view operator[](Id id) const { return names_[index(id)]; }

 private:
  std::deque<std::string> names_;  // a deque: the keys of `ids_` point into it
  std::unordered_map<std::string_view, Id> ids_;
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
  std::deque<VariableInfo> variable_info;  // by VariableId

  VariableId intern_variable(std::string_view name);
  // The name of a location, "" for none.
  std::string_view location(LocationId id) const { return id == kNoLocation ? std::string_view{} : locations[id]; }
};

}  // namespace deadheat
