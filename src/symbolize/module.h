// One module (program or shared library) on disk, and what its symbols and DWARF say about places in it.
//
// Idea      elfutils finds and reads the files, separate debug files and split DWARF included. We add two indexes, each
//           made when first needed: the address ranges of the compile units (Clang writes no .debug_aranges), and for
//           each unit the tree of its functions and the calls inlined into them.
// Promises  Never fails: a module that cannot be read, or a place that nothing is known of, gives an empty answer.
// Cost      The first question about a module reads all unit headers, the first about a unit all of its entries.
// Tested by test/unit/symbolize_test.cpp
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "symbolize/members.h"
#include "symbolize/protocol.h"

namespace deadheat::symbolize {

class FunctionTree;

class Module {
 public:
  explicit Module(const std::string& path);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  std::vector<Frame> code(uint64_t address);
  std::optional<Variable> data(uint64_t address);
  // All that a byte of a global is called, the global first.
  std::vector<NamedBytes> names_at(uint64_t address);
  // The variable of the function at that address; without a name if none is known, nothing if the frame is not one of
  // that function.
  std::optional<StackVariable> stack(uint64_t address, const StackBytes& wanted);
  bool is_open() const { return module_ != nullptr; }  // it could be read
  const std::string& build_id() const { return build_id_; }

 private:
  struct UnitRange {
    uint64_t begin;
    uint64_t end;
    Dwarf_Off unit;
  };
  struct Object {
    uint64_t start;
    uint64_t size;
    std::string name;
  };

  void index_units();
  void index_objects();
  std::optional<Dwarf_Die> unit_of(uint64_t address);
  FunctionTree& functions_of(Dwarf_Die& unit);
  std::string name_of(Dwarf_Die& function);
  std::string symbol(uint64_t address) const;

  Dwfl* session_ = nullptr;
  Dwfl_Module* module_ = nullptr;
  Dwarf* dwarf_ = nullptr;  // null without debug information
  Dwarf_Addr bias_ = 0;     // of the debug file's addresses
  std::string build_id_;
  bool units_indexed_ = false;
  std::vector<UnitRange> units_;  // ascending
  bool objects_indexed_ = false;
  std::vector<Object> objects_;                                     // ascending
  std::unique_ptr<Members> members_;                                // made when they are first asked for
  std::map<const void*, std::unique_ptr<FunctionTree>> functions_;  // by where the entry of the unit is in memory
};

// Folders in which separate debug files are looked for besides the usual places (beside the module, .debug,
// /usr/lib/debug): also as .build-id/ab/cdef.debug. For modules that are opened from now on.
void add_debug_path(const std::string& folders);

// "int add(int, int)" for "_Z3addii"; other names as they are.
std::string demangled(const char* name);

}  // namespace deadheat::symbolize
