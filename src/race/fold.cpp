#include "race/fold.h"

#include <map>
#include <set>
#include <tuple>

#include "race/code_place.h"

namespace deadheat {

namespace {

// What tells the memory of one race from that of another, of the same two places.
using MemoryKey = std::tuple<Memory::Kind, std::string_view, std::string_view, std::vector<CodePlace>>;

MemoryKey key_of(const Memory& memory) {
  if (memory.kind == Memory::kVariable) return {};
  std::vector<CodePlace> stack;
  for (const StackFrame& frame : memory.stack)
    if (!frame.ours) stack.push_back(place_of(frame));
  const bool is_global = memory.kind == Memory::kGlobal;
  return {memory.kind, is_global ? memory.name : std::string_view{}, memory.module, std::move(stack)};
}

}  // namespace

void fold_by_places(Findings& findings) {
  std::map<std::pair<PlacePair, MemoryKey>, size_t> firsts;  // to the one that stands for all
  std::vector<std::set<VariableKey>> variables;
  std::set<VariableKey> all;
  std::vector<Finding> kept;
  for (const Finding& race : findings.races) {
    const PlacePair places = places_of(race);
    all.insert(variable_of(race));
    size_t stands = kept.size();
    if (places.first.is_known() && places.second.is_known())
      stands = firsts.try_emplace({places, key_of(race.memory)}, kept.size()).first->second;
    if (stands == kept.size()) {
      kept.push_back(race);
      variables.push_back({variable_of(race)});
      continue;
    }
    kept[stands].races += race.races;
    kept[stands].variables += variables[stands].insert(variable_of(race)).second ? 1 : 0;
  }
  findings.variables = all.size();
  findings.races = std::move(kept);
}

}  // namespace deadheat
