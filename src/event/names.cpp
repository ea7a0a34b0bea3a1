#include "event/names.h"

#include <charconv>

namespace deadheat {

VariableName split_variable_name(std::string_view name) {
  const size_t cut = name.find_first_of(".[");
  if (cut == std::string_view::npos || cut == 0) return {name};
  VariableName split{name.substr(0, cut)};
  if (name[cut] == '[' && name.back() == ']') {
    const char* first = name.data() + cut + 1;
    const char* last = name.data() + name.size() - 1;
    uint64_t element = 0;
    const auto [end, error] = std::from_chars(first, last, element);
    const bool canonical = first != last && (*first != '0' || last == first + 1);
    if (error == std::errc{} && end == last && canonical) split.element = element;
  }
  return split;
}

VariableId Names::intern_variable(std::string_view name) {
  const VariableId id = variables.intern(name);
  if (index(id) == variable_info.size()) {
    const VariableName split = split_variable_name(name);
    variable_info.push_back({objects.intern(split.object), split.element});
  }
  return id;
}

}  // namespace deadheat
