#include "symbolize/module.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "symbolize/function_tree.h"
#include "symbolize/stack_frame.h"

namespace deadheat::symbolize {
namespace {

char* debug_path = nullptr;  // the usual places: beside the module, in .debug, under /usr/lib/debug
std::string own_debug_path;  // where it points to if the user has others
const Dwfl_Callbacks kCallbacks = {dwfl_build_id_find_elf, dwfl_standard_find_debuginfo, dwfl_offline_section_address,
                                   &debug_path};

const char* text_of(Dwarf_Die& entry, unsigned attribute) {
  Dwarf_Attribute found;
  return dwarf_formstring(dwarf_attr_integrate(&entry, attribute, &found));
}

int number_of(Dwarf_Die& entry, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  if (dwarf_formudata(dwarf_attr(&entry, attribute, &found), &value) != 0) return 0;
  return static_cast<int>(value);
}

// Where a function is declared: an inlined copy and a definition outside of its class only refer to it.
Dwarf_Die declaration_of(Dwarf_Die entry) {
  for (int most = 8; most > 0; --most) {
    Dwarf_Attribute found;
    Dwarf_Die other;
    if (dwarf_attr(&entry, DW_AT_abstract_origin, &found) == nullptr &&
        dwarf_attr(&entry, DW_AT_specification, &found) == nullptr)
      break;
    if (dwarf_formref_die(&found, &other) == nullptr) break;
    entry = other;
  }
  return entry;
}

// Names of C have no scopes.
bool has_scopes(Dwarf_Die& unit) {
  switch (dwarf_srclang(&unit)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:  // later ones, too, by GCC and Clang
      return true;
    default:
      return false;
  }
}

std::string full_path(Dwarf_Die& unit, const char* file) {
  if (file == nullptr) return "";
  if (file[0] == '/') return file;
  Dwarf_Attribute found;
  const char* folder = dwarf_formstring(dwarf_attr(&unit, DW_AT_comp_dir, &found));
  if (folder == nullptr) return file;
  return std::string(folder) + "/" + without_dot(file);
}

// What compilers put behind a name is not in the source: the number of a static local of C ("count.3"), of a part that a
// structure was split into ("_ZL6orders.0"), of a unit ("total.llvm.77").
std::string variable_name(std::string name) {
  for (size_t dot; (dot = name.rfind('.')) != std::string::npos && dot > 0 && dot + 1 < name.size();) {
    const std::string_view last = std::string_view(name).substr(dot + 1);
    if (last.find_first_not_of("0123456789") != std::string_view::npos && last != "llvm" && last != "lto_priv") break;
    name.erase(dot);
  }
  return demangled(name.c_str());
}

}  // namespace

void add_debug_path(const std::string& folders) {
  own_debug_path = ":.debug:/usr/lib/debug:" + folders;
  debug_path = own_debug_path.data();
}

std::string demangled(const char* name) {
  if (std::strncmp(name, "_Z", 2) != 0) return name;
  int status = 0;
  char* readable = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  if (readable == nullptr) return name;
  std::string result = readable;
  std::free(readable);
  return result;
}

Module::Module(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  session_ = dwfl_begin(&kCallbacks);
  if (session_ != nullptr) {
    dwfl_report_begin(session_);
    // Loaded at 0: then addresses are those of the module's own headers.
    module_ = dwfl_report_elf(session_, path.c_str(), path.c_str(), file, 0, true);
    dwfl_report_end(session_, nullptr, nullptr);
  }
  if (module_ == nullptr) {  // otherwise the session closes it
    close(file);
    return;
  }
  GElf_Addr elf_bias = 0;
  if (dwfl_module_getelf(module_, &elf_bias) == nullptr) {
    module_ = nullptr;
    return;
  }
  const unsigned char* id = nullptr;
  GElf_Addr where = 0;
  const int length = dwfl_module_build_id(module_, &id, &where);
  for (int i = 0; i < length; ++i) {
    build_id_ += "0123456789abcdef"[id[i] >> 4];
    build_id_ += "0123456789abcdef"[id[i] & 15];
  }
  dwarf_ = dwfl_module_getdwarf(module_, &bias_);
}

Module::~Module() {
  if (session_ != nullptr) dwfl_end(session_);
}

void Module::index_units() {
  units_indexed_ = true;
  Dwarf_CU* unit = nullptr;
  Dwarf_Die entry;
  while (dwarf_get_units(dwarf_, unit, &unit, nullptr, nullptr, &entry, nullptr) == 0) {
    Dwarf_Addr base = 0, begin = 0, end = 0;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(&entry, at, &base, &begin, &end)) > 0;)
      if (begin < end) units_.push_back({begin, end, dwarf_dieoffset(&entry)});
  }
  std::sort(units_.begin(), units_.end(), [](const UnitRange& a, const UnitRange& b) { return a.begin < b.begin; });
}

std::optional<Dwarf_Die> Module::unit_of(uint64_t address) {
  if (!units_indexed_) index_units();
  // Ranges of units do not overlap, but a function that the linker threw away may sit at 0: walk back to one that
  // covers.
  auto next = std::upper_bound(units_.begin(), units_.end(), address,
                               [](uint64_t a, const UnitRange& range) { return a < range.begin; });
  while (next != units_.begin()) {
    --next;
    Dwarf_Die entry;
    if (address < next->end && dwarf_offdie(dwarf_, next->unit, &entry) != nullptr) return entry;
    if (address - next->begin > (uint64_t{1} << 32)) break;
  }
  return std::nullopt;
}

FunctionTree& Module::functions_of(Dwarf_Die& unit) {
  Dwarf_Die split = {};
  uint8_t type = 0;
  dwarf_cu_info(unit.cu, nullptr, &type, nullptr, &split, nullptr, nullptr, nullptr);
  const Dwarf_Die& read = type == DW_UT_skeleton && split.addr != nullptr ? split : unit;
  std::unique_ptr<FunctionTree>& tree = functions_[read.addr];
  if (tree == nullptr) tree = std::make_unique<FunctionTree>(read);
  return *tree;
}

// With scopes and parameters as the linkage name has them. GCC gives none to functions that other units cannot call (in
// anonymous namespaces, local classes, lambdas) where they are inlined: then with the scopes around its declaration.
std::string Module::name_of(Dwarf_Die& function) {
  const char* linkage = text_of(function, DW_AT_linkage_name);
  if (linkage == nullptr) linkage = text_of(function, DW_AT_MIPS_linkage_name);
  if (linkage != nullptr) return demangled(linkage);
  const char* const written = text_of(function, DW_AT_name);
  std::string name = written == nullptr ? "" : written;
  Dwarf_Die declared = declaration_of(function), unit;
  if (name.empty() || dwarf_diecu(&declared, &unit, nullptr, nullptr) == nullptr || !has_scopes(unit)) return name;
  bool is_innermost = true;
  for (Dwarf_Die& scope : functions_of(unit).scopes_of(declared)) {
    const char* const scope_name = text_of(scope, DW_AT_name);
    const int tag = dwarf_tag(&scope);
    if (tag == DW_TAG_subprogram) return name_of(scope) + "::" + name;
    if (scope_name != nullptr)
      name = std::string(scope_name) + "::" + name;
    else if (tag == DW_TAG_namespace)
      name = "(anonymous namespace)::" + name;
    else
      name = (is_innermost && name.starts_with("operator()") ? "{lambda}::" : "{unnamed}::") + name;
    is_innermost = false;
  }
  return name;
}

std::string Module::symbol(uint64_t address) const {
  GElf_Sym found;
  GElf_Off offset = 0;
  const char* name = dwfl_module_addrinfo(module_, address, &offset, &found, nullptr, nullptr, nullptr);
  return name == nullptr ? "" : demangled(name);
}

std::vector<Frame> Module::code(uint64_t address) {
  if (module_ == nullptr) return {};
  const uint64_t in_dwarf = address - bias_;
  std::optional<Dwarf_Die> unit = dwarf_ == nullptr ? std::nullopt : unit_of(in_dwarf);
  if (!unit) {
    Frame frame{symbol(address), "", 0, 0};
    return frame.function.empty() ? std::vector<Frame>{} : std::vector<Frame>{frame};
  }

  Frame place;  // the source position that the next frame out stands at
  if (Dwarf_Line* line = dwarf_getsrc_die(&*unit, in_dwarf); line != nullptr) {
    place.file = full_path(*unit, dwarf_linesrc(line, nullptr, nullptr));
    dwarf_lineno(line, &place.line);
    dwarf_linecol(line, &place.column);
  }
  std::vector<Frame> frames;
  Dwarf_Files* files = nullptr;
  size_t file_count = 0;
  for (Dwarf_Die& function : functions_of(*unit).at(in_dwarf)) {
    place.function = name_of(function);
    frames.push_back(place);
    place = {};
    if (dwarf_tag(&function) != DW_TAG_inlined_subroutine) break;
    if (files == nullptr) dwarf_getsrcfiles(&*unit, &files, &file_count);
    const size_t file = static_cast<size_t>(number_of(function, DW_AT_call_file));
    if (files != nullptr && file < file_count)
      place.file = full_path(*unit, dwarf_filesrc(files, file, nullptr, nullptr));
    place.line = number_of(function, DW_AT_call_line);
    place.column = number_of(function, DW_AT_call_column);
  }
  if (frames.empty()) frames.push_back(place);
  // The symbol has the types of the parameters, which sparse debug information leaves out.
  std::string& outermost = frames.back().function;
  if (const std::string name = symbol(address); outermost.empty() || name.starts_with(outermost + "("))
    outermost = name;
  return frames;
}

std::optional<StackVariable> Module::stack(uint64_t address, const StackBytes& wanted) {
  if (module_ == nullptr) return StackVariable{};
  Dwarf_Addr bias = 0;
  Dwarf_CFI* table = dwfl_module_eh_cfi(module_, &bias);
  if (table == nullptr) table = dwfl_module_dwarf_cfi(module_, &bias);
  const std::optional<StackFrame> frame = StackFrame::of(table, address - bias, wanted);
  if (!frame) return std::nullopt;
  const uint64_t in_dwarf = address - bias_;
  std::optional<Dwarf_Die> unit = dwarf_ == nullptr ? std::nullopt : unit_of(in_dwarf);
  if (!unit) return StackVariable{};
  std::vector<Dwarf_Die> functions = functions_of(*unit).at(in_dwarf);
  if (functions.empty()) return StackVariable{};
  StackVariable found = frame->variable(functions.back(), in_dwarf, wanted, code(address)).value_or(StackVariable{});
  if (!found.file.empty()) found.file = full_path(*unit, found.file.c_str());
  return found;
}

void Module::index_objects() {
  objects_indexed_ = true;
  const int count = dwfl_module_getsymtab(module_);
  for (int i = 1; i < count; ++i) {
    GElf_Sym found;
    GElf_Addr address = 0;
    GElf_Word section = 0;
    const char* name = dwfl_module_getsym_info(module_, i, &found, &address, &section, nullptr, nullptr);
    if (name == nullptr || *name == 0 || found.st_size == 0 || section == SHN_UNDEF) continue;
    if (GELF_ST_TYPE(found.st_info) != STT_OBJECT && GELF_ST_TYPE(found.st_info) != STT_COMMON) continue;
    objects_.push_back({address, found.st_size, name});
  }
  std::stable_sort(objects_.begin(), objects_.end(),
                   [](const Object& a, const Object& b) { return a.start < b.start; });
}

std::optional<Variable> Module::data(uint64_t address) {
  if (module_ == nullptr) return std::nullopt;
  if (!objects_indexed_) index_objects();
  const auto after = std::upper_bound(objects_.begin(), objects_.end(), address,
                                      [](uint64_t a, const Object& object) { return a < object.start; });
  if (after == objects_.begin()) return std::nullopt;
  const Object& object = *(after - 1);
  if (address - object.start >= object.size) return std::nullopt;
  return Variable{variable_name(object.name), object.start, object.size};
}

std::vector<NamedBytes> Module::names_at(uint64_t address) {
  const std::optional<Variable> variable = data(address);
  if (!variable) return {};
  std::vector<NamedBytes> names{{variable->name, variable->start, variable->size, false}};
  if (members_ == nullptr) members_ = std::make_unique<Members>(dwarf_);
  for (NamedBytes& named : members_->at(variable->name, variable->start - bias_, address - bias_)) {
    named.begin += bias_;
    names.push_back(std::move(named));
  }
  return names;
}

}  // namespace deadheat::symbolize
