// The functions of one compile unit and the calls inlined into them, as a tree over address ranges; and the scopes that
// declarations are in.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <vector>

namespace deadheat::symbolize {

class FunctionTree {
 public:
  // `unit` is the unit whose entries are read: for split DWARF the one in the .dwo file.
  explicit FunctionTree(Dwarf_Die unit);

  // The function around an address and the inlined calls in it down to the address, innermost first.
  std::vector<Dwarf_Die> at(uint64_t address);

  // The namespaces, classes and functions around a declaration of this unit, innermost first.
  std::vector<Dwarf_Die> scopes_of(Dwarf_Die& declaration);

 private:
  struct Range {
    uint64_t begin;
    uint64_t end;
  };
  struct Node {
    Dwarf_Die entry;
    std::vector<Range> ranges;
    std::vector<size_t> inlined;  // calls inlined directly into this one
  };
  static constexpr size_t kTop = SIZE_MAX;

  struct Scope {
    Dwarf_Off entry;
    size_t around;  // index of the next one out
  };

  void index_scopes(Dwarf_Die& parent, size_t around);
  void visit_children(Dwarf_Die& parent, size_t function);
  void visit(Dwarf_Die& entry, size_t function);

  std::vector<Node> nodes_;
  std::vector<size_t> functions_;  // those that are inlined nowhere
  Dwarf_Die unit_;
  std::vector<Scope> scopes_;  // ascending; made when they are first asked for
};

}  // namespace deadheat::symbolize
