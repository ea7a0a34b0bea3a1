// What bytes of a global are called: the global, and its members by way of the variable and of their types.
//
// Idea      One index of all variables at fixed addresses, made when first needed; then down the type to the byte:
//           `table`, `table.rows`, `table.rows[3]`, `Row`, `table.rows[3].count`, `Row.count`.
// Promises  Never fails: bytes that nothing is known of have no names.
// Tested by test/record
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace deadheat::symbolize {

struct NamedBytes {
  std::string name;
  uint64_t begin = 0, bytes = 0;
  bool is_type = false;  // else a variable or a member
};

class Members {
 public:
  explicit Members(Dwarf* dwarf);

  // Of the variable that begins at `start`, what has the byte at `address`, from the outside in. Addresses are those of
  // the debug information.
  std::vector<NamedBytes> at(const std::string& variable, uint64_t start, uint64_t address);

 private:
  void index(Dwarf_Die& parent, unsigned depth);

  Dwarf* dwarf_;
  std::unordered_map<uint64_t, Dwarf_Off> variables_;  // by address
};

}  // namespace deadheat::symbolize
