#include "symbolize/members.h"

#include <dwarf.h>

namespace deadheat::symbolize {
namespace {

constexpr unsigned kMostDepth = 32;

const char* name_of(Dwarf_Die& entry) {
  Dwarf_Attribute found;
  return dwarf_formstring(dwarf_attr_integrate(&entry, DW_AT_name, &found));
}

bool type_of(Dwarf_Die& entry, Dwarf_Die& type) {
  Dwarf_Attribute found;
  Dwarf_Die named;
  if (dwarf_formref_die(dwarf_attr_integrate(&entry, DW_AT_type, &found), &named) == nullptr) return false;
  return dwarf_peel_type(&named, &type) == 0;
}

uint64_t size_of(Dwarf_Die& type) {
  Dwarf_Word size = 0;
  return dwarf_aggregate_size(&type, &size) == 0 ? size : 0;
}

uint64_t number_of(Dwarf_Die& entry, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  return dwarf_formudata(dwarf_attr(&entry, attribute, &found), &value) == 0 ? value : 0;
}

bool fixed_address(Dwarf_Attribute& location, const Dwarf_Op& step, uint64_t& address) {
  address = step.number;
  if (step.atom == DW_OP_addr) return true;
  Dwarf_Attribute value;  // Clang: the number of an address in a table
  Dwarf_Addr found = 0;
  if (step.atom != DW_OP_addrx && step.atom != DW_OP_GNU_addr_index) return false;
  if (dwarf_getlocation_attr(&location, &step, &value) != 0 || dwarf_formaddr(&value, &found) != 0) return false;
  address = found;
  return true;
}

// The way down from one variable.
class Descent {
 public:
  Descent(uint64_t address, std::vector<NamedBytes>& names) : address_(address), names_(names) {}

  void go(Dwarf_Die type, const std::string& name, uint64_t begin, unsigned depth) {
    if (depth == kMostDepth) return;
    switch (dwarf_tag(&type)) {
      case DW_TAG_array_type:
        return into_array(type, name, begin, depth);
      case DW_TAG_structure_type:
      case DW_TAG_class_type:
      case DW_TAG_union_type:
        return into_members(type, name, begin, depth);
      default:
        return;
    }
  }

 private:
  void into_array(Dwarf_Die& type, const std::string& name, uint64_t begin, unsigned depth) {
    Dwarf_Die element;
    if (!type_of(type, element)) return;
    const uint64_t size = size_of(element);
    if (size == 0) return;
    const uint64_t number = (address_ - begin) / size;
    const std::string element_name = name + "[" + std::to_string(number) + "]";
    names_.push_back({element_name, begin + number * size, size, false});
    go(element, element_name, begin + number * size, depth + 1);
  }

  void into_members(Dwarf_Die& type, const std::string& name, uint64_t begin, unsigned depth) {
    const char* const type_name = name_of(type);
    if (type_name != nullptr) names_.push_back({type_name, begin, size_of(type), true});
    Dwarf_Die member;
    if (dwarf_child(&type, &member) != 0) return;
    do {
      const int tag = dwarf_tag(&member);
      Dwarf_Die member_type;
      if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !type_of(member, member_type)) continue;
      const uint64_t at = begin + number_of(member, DW_AT_data_member_location), size = size_of(member_type);
      if (address_ < at || address_ - at >= size) continue;
      const char* const member_name = name_of(member);
      if (tag == DW_TAG_inheritance || member_name == nullptr) {  // a base, or a structure without a name
        go(member_type, name, at, depth + 1);
        continue;
      }
      const std::string whole = name + "." + member_name;
      names_.push_back({whole, at, size, false});
      if (type_name != nullptr) names_.push_back({std::string(type_name) + "." + member_name, at, size, false});
      go(member_type, whole, at, depth + 1);
    } while (dwarf_siblingof(&member, &member) == 0);
  }

  const uint64_t address_;
  std::vector<NamedBytes>& names_;
};

}  // namespace

Members::Members(Dwarf* dwarf) : dwarf_(dwarf) {
  Dwarf_CU* unit = nullptr;
  Dwarf_Die entry, split;
  uint8_t type = 0;
  while (dwarf_ != nullptr && dwarf_get_units(dwarf_, unit, &unit, nullptr, &type, &entry, &split) == 0)
    index(type == DW_UT_skeleton && split.addr != nullptr ? split : entry, 0);
}

void Members::index(Dwarf_Die& parent, unsigned depth) {
  Dwarf_Die entry;
  if (depth == kMostDepth || dwarf_child(&parent, &entry) != 0) return;
  do {
    switch (dwarf_tag(&entry)) {
      case DW_TAG_namespace:
      case DW_TAG_subprogram:
      case DW_TAG_lexical_block:
        index(entry, depth + 1);
        break;
      case DW_TAG_variable: {
        Dwarf_Attribute found;
        Dwarf_Op* steps = nullptr;
        size_t count = 0;
        uint64_t address = 0;
        if (dwarf_getlocation(dwarf_attr(&entry, DW_AT_location, &found), &steps, &count) == 0 && count == 1 &&
            fixed_address(found, steps[0], address))
          variables_.emplace(address, dwarf_dieoffset(&entry));
        break;
      }
      default:
        break;
    }
  } while (dwarf_siblingof(&entry, &entry) == 0);
}

std::vector<NamedBytes> Members::at(const std::string& variable, uint64_t start, uint64_t address) {
  std::vector<NamedBytes> names;
  const auto known = variables_.find(start);
  Dwarf_Die entry, type;
  if (known == variables_.end() || dwarf_offdie(dwarf_, known->second, &entry) == nullptr || !type_of(entry, type))
    return names;
  Descent(address, names).go(type, variable, start, 0);
  return names;
}

}  // namespace deadheat::symbolize
