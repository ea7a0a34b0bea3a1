#include "symbolize/function_tree.h"

#include <dwarf.h>

#include <algorithm>

namespace deadheat::symbolize {

FunctionTree::FunctionTree(Dwarf_Die unit) : unit_(unit) { visit_children(unit, kTop); }

void FunctionTree::visit_children(Dwarf_Die& parent, size_t function) {
  Dwarf_Die child;
  if (dwarf_child(&parent, &child) != 0) return;
  do visit(child, function);
  while (dwarf_siblingof(&child, &child) == 0);
}

void FunctionTree::visit(Dwarf_Die& entry, size_t function) {
  const int tag = dwarf_tag(&entry);
  if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) {
    Node node = {entry, {}, {}};
    Dwarf_Addr base = 0, begin = 0, end = 0;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(&entry, at, &base, &begin, &end)) > 0;)
      if (begin < end) node.ranges.push_back({begin, end});
    if (!node.ranges.empty()) {
      const size_t index = nodes_.size();
      nodes_.push_back(std::move(node));
      (tag == DW_TAG_inlined_subroutine && function != kTop ? nodes_[function].inlined : functions_).push_back(index);
      function = index;
    }
  }
  visit_children(entry, function);
}

std::vector<Dwarf_Die> FunctionTree::at(uint64_t address) {
  std::vector<Dwarf_Die> found;
  const auto covers = [&](size_t index) {
    const std::vector<Range>& ranges = nodes_[index].ranges;
    return std::any_of(ranges.begin(), ranges.end(),
                       [&](Range range) { return address >= range.begin && address < range.end; });
  };
  const std::vector<size_t>* level = &functions_;
  for (;;) {
    const auto next = std::find_if(level->begin(), level->end(), covers);
    if (next == level->end()) break;
    found.push_back(nodes_[*next].entry);
    level = &nodes_[*next].inlined;
  }
  std::reverse(found.begin(), found.end());
  return found;
}

void FunctionTree::index_scopes(Dwarf_Die& parent, size_t around) {
  Dwarf_Die child;
  if (dwarf_child(&parent, &child) != 0) return;
  do {
    size_t inside = around;
    switch (dwarf_tag(&child)) {
      case DW_TAG_namespace:
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
      case DW_TAG_union_type:
      case DW_TAG_subprogram:
        inside = scopes_.size();
        scopes_.push_back({dwarf_dieoffset(&child), around});
        break;
      default:
        break;
    }
    index_scopes(child, inside);
  } while (dwarf_siblingof(&child, &child) == 0);
}

std::vector<Dwarf_Die> FunctionTree::scopes_of(Dwarf_Die& declaration) {
  if (scopes_.empty()) index_scopes(unit_, kTop);
  const Dwarf_Off wanted = dwarf_dieoffset(&declaration);
  const auto found = std::lower_bound(scopes_.begin(), scopes_.end(), wanted,
                                      [](const Scope& scope, Dwarf_Off offset) { return scope.entry < offset; });
  std::vector<Dwarf_Die> around;
  if (found == scopes_.end() || found->entry != wanted) return around;
  for (size_t at = found->around; at != kTop; at = scopes_[at].around) {
    Dwarf_Die entry;
    if (dwarf_offdie(dwarf_cu_getdwarf(unit_.cu), scopes_[at].entry, &entry) == nullptr) break;
    around.push_back(entry);
  }
  return around;
}

}  // namespace deadheat::symbolize
