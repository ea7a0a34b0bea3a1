#include "symbolize/stack_frame.h"

#include <dwarf.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace deadheat::symbolize {
namespace {

constexpr uint64_t kFramePointer = 6, kStackPointer = 7;  // DWARF's numbers of rbp and rsp
constexpr uint64_t kWord = 8;

// The register and distance that an operation adds up, if it does.
struct Based {
  uint64_t number;
  uint64_t distance;
};
std::optional<Based> register_and_distance(const Dwarf_Op& operation) {
  if (operation.atom >= DW_OP_breg0 && operation.atom <= DW_OP_breg31)
    return Based{operation.atom - uint64_t{DW_OP_breg0}, operation.number};
  if (operation.atom == DW_OP_bregx) return Based{operation.number, operation.number2};
  return std::nullopt;
}

std::optional<uint64_t> number_of(Dwarf_Die& entry, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  if (dwarf_formudata(dwarf_attr_integrate(&entry, attribute, &found), &value) != 0) return std::nullopt;
  return value;
}

bool type_of(Dwarf_Die& entry, Dwarf_Die& type) {
  Dwarf_Attribute found;
  return dwarf_formref_die(dwarf_attr_integrate(&entry, DW_AT_type, &found), &type) != nullptr;
}

std::optional<uint64_t> size_of(Dwarf_Die& type) {
  Dwarf_Word size = 0;
  if (dwarf_aggregate_size(&type, &size) != 0) return std::nullopt;
  return size;
}

// Where it is declared. (dwarf_decl_file takes file 0 for none, which it is up to version 4 only.)
struct Declaration {
  const char* file = nullptr;
  int line = 0;
};
Declaration declaration_of(Dwarf_Die& entry) {
  Declaration found;
  dwarf_decl_line(&entry, &found.line);
  Dwarf_Attribute attribute;
  Dwarf_Word number = 0;
  Dwarf_Die unit;
  Dwarf_Half version = 0;
  Dwarf_Files* files = nullptr;
  size_t count = 0;
  if (dwarf_formudata(dwarf_attr_integrate(&entry, DW_AT_decl_file, &attribute), &number) == 0 &&
      dwarf_cu_die(attribute.cu, &unit, &version, nullptr, nullptr, nullptr, nullptr, nullptr) != nullptr &&
      (number != 0 || version >= 5) && dwarf_getsrcfiles(&unit, &files, &count) == 0 && number < count)
    found.file = without_dot(dwarf_filesrc(files, number, nullptr, nullptr));
  return found;
}

template <class Visit>
void each_child(Dwarf_Die& parent, Visit visit) {
  Dwarf_Die child;
  if (dwarf_child(&parent, &child) != 0) return;
  do visit(child);
  while (dwarf_siblingof(&child, &child) == 0);
}

// A part of an object: a member, or an element.
struct Part {
  std::string name;
  Dwarf_Die type;
  uint64_t offset;  // of the wanted bytes in it
};

std::optional<Part> member_with(Dwarf_Die& type, uint64_t offset, uint64_t bytes) {
  std::optional<Part> found;
  unsigned count = 0;
  each_child(type, [&](Dwarf_Die& member) {
    const bool inherited = dwarf_tag(&member) == DW_TAG_inheritance;
    if (!inherited && dwarf_tag(&member) != DW_TAG_member) return;
    if (dwarf_hasattr(&member, DW_AT_external) != 0 || dwarf_hasattr(&member, DW_AT_virtuality) != 0) return;
    Part part;
    if (!type_of(member, part.type)) return;
    uint64_t begin = number_of(member, DW_AT_data_member_location).value_or(0);
    std::optional<uint64_t> size = size_of(part.type);
    const std::optional<uint64_t> bits = number_of(member, DW_AT_bit_size);
    if (const std::optional<uint64_t> first = number_of(member, DW_AT_data_bit_offset); first && bits) {
      begin = *first / 8;
      size = (*first + *bits + 7) / 8 - begin;
    }
    if (!size || offset < begin || offset + bytes > begin + *size) return;
    const char* name = dwarf_diename(&member);
    if (!inherited && name != nullptr) part.name = std::string(".") + name;
    part.offset = offset - begin;
    ++count;
    found = part;
  });
  // Members of a union lie one upon another, and so may bit fields.
  return count == 1 ? found : std::nullopt;
}

std::optional<Part> element_with(Dwarf_Die& type, uint64_t offset, uint64_t bytes) {
  Part part;
  if (!type_of(type, part.type)) return std::nullopt;
  const std::optional<uint64_t> size = size_of(part.type);
  if (!size || *size == 0 || offset % *size + bytes > *size) return std::nullopt;
  std::vector<uint64_t> counts;
  each_child(type, [&](Dwarf_Die& range) {
    if (dwarf_tag(&range) != DW_TAG_subrange_type) return;
    const std::optional<uint64_t> count = number_of(range, DW_AT_count);
    counts.push_back(count ? *count : number_of(range, DW_AT_upper_bound).value_or(0) + 1);
  });
  uint64_t index = offset / *size;
  for (size_t i = counts.size(); i-- > 0;) {
    const bool outermost = i == 0;
    if (!outermost && counts[i] == 0) return std::nullopt;
    part.name = "[" + std::to_string(outermost ? index : index % counts[i]) + "]" + part.name;
    if (!outermost) index /= counts[i];
  }
  part.offset = offset % *size;
  return part;
}

// "[2].hits": the way from an object of a type down to the smallest part that has the bytes.
std::string parts_down_to(Dwarf_Die type, uint64_t offset, uint64_t bytes) {
  std::string name;
  for (unsigned depth = 0; depth < 32; ++depth) {
    Dwarf_Die bare;
    if (dwarf_peel_type(&type, &bare) != 0) break;
    const int tag = dwarf_tag(&bare);
    std::optional<Part> part;
    if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type)
      part = member_with(bare, offset, bytes);
    else if (tag == DW_TAG_array_type)
      part = element_with(bare, offset, bytes);
    if (!part) break;
    name += part->name;
    type = part->type;
    offset = part->offset;
  }
  return name;
}

}  // namespace

std::optional<StackFrame> StackFrame::of(Dwarf_CFI* table, uint64_t address, const StackBytes& known) {
  StackFrame frame;
  frame.stack_pointer_ = known.stack_pointer;
  if (known.frame_end != 0) frame.frame_end_ = known.frame_end;
  Dwarf_Frame* row = nullptr;
  if (table == nullptr || dwarf_cfi_addrframe(table, address, &row) != 0) return frame;
  const std::unique_ptr<Dwarf_Frame, decltype(&std::free)> owned(row, &std::free);
  Dwarf_Op* rule = nullptr;
  size_t length = 0;
  if (dwarf_frame_cfa(row, &rule, &length) != 0 || length == 0) return frame;
  const std::optional<Based> based = register_and_distance(rule[0]);
  if (!based) return frame;
  if (length == 1 && based->number == kStackPointer) {
    const uint64_t end = known.stack_pointer + based->distance;
    if (end != (known.frame_end != 0 ? known.frame_end : known.lowest_return + kWord)) return std::nullopt;
    frame.frame_end_ = end;
  } else if (length == 1 && based->number == kFramePointer) {
    if (known.frame_end != 0) frame.frame_pointer_ = known.frame_end - based->distance;
  } else if (based->number == kFramePointer) {
    // It has aligned its frame, and begun it with a copy of its return address and the caller's frame pointer.
    if (known.frame_end == known.lowest_return + kWord) return std::nullopt;
    frame.frame_pointer_ = known.lowest_return - kWord;
  }
  return frame;
}

std::optional<uint64_t> StackFrame::register_value(uint64_t number) const {
  if (number == kStackPointer) return stack_pointer_;
  return number == kFramePointer ? frame_pointer_ : std::nullopt;
}

std::optional<uint64_t> StackFrame::address_of(const Dwarf_Op& operation, std::optional<uint64_t> base) const {
  if (operation.atom == DW_OP_fbreg) return base ? std::optional(*base + operation.number) : std::nullopt;
  const std::optional<Based> based = register_and_distance(operation);
  if (!based) return std::nullopt;
  const std::optional<uint64_t> value = register_value(based->number);
  return value ? std::optional(*value + based->distance) : std::nullopt;
}

std::optional<uint64_t> StackFrame::frame_base(Dwarf_Die& function, uint64_t address) const {
  Dwarf_Attribute found;
  Dwarf_Op* operations = nullptr;
  size_t length = 0;
  if (dwarf_getlocation_addr(dwarf_attr_integrate(&function, DW_AT_frame_base, &found), address, &operations, &length,
                             1) != 1 ||
      length != 1)
    return std::nullopt;
  if (operations[0].atom == DW_OP_call_frame_cfa) return frame_end_;
  if (operations[0].atom >= DW_OP_reg0 && operations[0].atom <= DW_OP_reg31)
    return register_value(operations[0].atom - uint64_t{DW_OP_reg0});
  return address_of(operations[0], std::nullopt);
}

// One walk over the scopes that are around an address.
class StackFrame::Search {
 public:
  Search(const StackFrame& frame, std::optional<uint64_t> base, uint64_t address, const StackBytes& wanted,
         const std::vector<Frame>& places)
      : frame_(frame), base_(base), address_(address), wanted_(wanted), places_(places) {}

  void visit(Dwarf_Die& scope, unsigned level) {
    each_child(scope, [&](Dwarf_Die& entry) {
      const int tag = dwarf_tag(&entry);
      if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
        look_at(entry, level);
      else if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_try_block ||
                tag == DW_TAG_catch_block) &&
               dwarf_haspc(&entry, address_) > 0)
        visit(entry, tag == DW_TAG_inlined_subroutine ? level + 1 : level);
    });
  }
  // Of several, the smallest: a name for a part of another variable (a structured binding) is the better one.
  std::optional<StackVariable> found;
  unsigned level_of_found = 0;

 private:
  // A part of a variable in memory; `offset` is where the part begins in the variable.
  struct Piece {
    uint64_t begin;
    uint64_t size;
    uint64_t offset;
  };

  // Those of its pieces that are plain memory at the address.
  std::vector<Piece> pieces_of(Dwarf_Attribute* location, uint64_t size) const {
    Dwarf_Op* operations = nullptr;
    size_t length = 0;
    if (dwarf_getlocation_addr(location, address_, &operations, &length, 1) != 1) return {};
    if (length == 1) {
      const std::optional<uint64_t> begin = frame_.address_of(operations[0], base_);
      return begin ? std::vector<Piece>{{*begin, size, 0}} : std::vector<Piece>{};
    }
    std::vector<Piece> pieces;
    uint64_t offset = 0;
    for (size_t i = 0, first = 0; i < length; ++i) {
      if (operations[i].atom == DW_OP_bit_piece) break;
      if (operations[i].atom != DW_OP_piece) continue;
      if (i == first + 1)
        if (const std::optional<uint64_t> begin = frame_.address_of(operations[first], base_))
          pieces.push_back({*begin, operations[i].number, offset});
      offset += operations[i].number;
      first = i + 1;
    }
    return pieces;
  }

  // The one place in memory that it has wherever debug information says that it is in memory. Optimising compilers
  // forget to say so of parts of its scope, but a variable that other threads can reach does not move.
  std::vector<Piece> home_of(Dwarf_Attribute* location, uint64_t size) const {
    std::optional<uint64_t> home;
    Dwarf_Addr base = 0, begin = 0, end = 0;
    Dwarf_Op* operations = nullptr;
    size_t length = 0;
    for (ptrdiff_t at = 0; (at = dwarf_getlocations(location, at, &base, &begin, &end, &operations, &length)) > 0;) {
      const std::optional<uint64_t> place = length == 1 ? frame_.address_of(operations[0], base_) : std::nullopt;
      if (!place) continue;
      if (home && *home != *place) return {};
      home = place;
    }
    return home ? std::vector<Piece>{{*home, size, 0}} : std::vector<Piece>{};
  }

  // Before its declaration a variable's memory may be that of something else.
  enum class Declared { kBefore, kAfter, kUnknown };
  Declared declared(Dwarf_Die& variable, unsigned level) const {
    const auto [file, line] = declaration_of(variable);
    if (level >= places_.size()) return Declared::kUnknown;
    const Frame& here = places_[places_.size() - 1 - level];
    if (file == nullptr || line == 0 || here.line == 0 || !here.file.ends_with(file)) return Declared::kUnknown;
    return line <= here.line ? Declared::kBefore : Declared::kAfter;
  }

  // Where it is in memory, if it exists at the address.
  std::vector<Piece> places_of(Dwarf_Die& variable, uint64_t size, unsigned level) const {
    Dwarf_Attribute location;
    if (dwarf_attr_integrate(&variable, DW_AT_location, &location) == nullptr) return {};
    const bool parameter = dwarf_tag(&variable) == DW_TAG_formal_parameter;
    const Declared when = parameter ? Declared::kBefore : declared(variable, level);
    if (when == Declared::kAfter) return {};
    std::vector<Piece> pieces = pieces_of(&location, size);
    return pieces.empty() && when == Declared::kBefore ? home_of(&location, size) : pieces;
  }

  void look_at(Dwarf_Die& variable, unsigned level) {
    const char* name = dwarf_diename(&variable);
    Dwarf_Die type;
    if (name == nullptr || !type_of(variable, type)) return;
    if (dwarf_hasattr_integrate(&variable, DW_AT_artificial) != 0) return;  // not a name of the source
    const std::optional<uint64_t> size = size_of(type);
    if (!size || (found && found->size < *size)) return;
    for (const Piece& piece : places_of(variable, *size, level)) {
      if (wanted_.address < piece.begin || wanted_.address - piece.begin >= piece.size) continue;
      const uint64_t offset = piece.offset + (wanted_.address - piece.begin);
      const auto [file, line] = declaration_of(variable);
      found = {name + parts_down_to(type, offset, wanted_.bytes),
               file == nullptr ? "" : file,
               line,
               piece.begin - piece.offset,
               *size,
               0};
      level_of_found = level;
    }
  }

  const StackFrame& frame_;
  const std::optional<uint64_t> base_;
  const uint64_t address_;
  const StackBytes& wanted_;
  const std::vector<Frame>& places_;
};

std::optional<StackVariable> StackFrame::variable(Dwarf_Die& function, uint64_t address, const StackBytes& wanted,
                                                  const std::vector<Frame>& places) const {
  Search search(*this, frame_base(function, address), address, wanted, places);
  search.visit(function, 0);
  if (search.found && search.level_of_found < places.size())
    search.found->inlined = static_cast<unsigned>(places.size() - 1 - search.level_of_found);
  return search.found;
}

}  // namespace deadheat::symbolize
