#include "cli/recorded_names.h"

namespace deadheat::cli {

symbolize::Module* RecordedModules::of(uint32_t number) {
  const auto [at, is_new] = modules_.try_emplace(number);
  if (is_new) {
    auto opened = std::make_unique<symbolize::Module>(run_.modules[number].path);
    if (opened->build_id() == run_.modules[number].build_id) at->second = std::move(opened);
  }
  return at->second.get();
}

std::vector<std::string> RecordedNames::functions(std::string_view location, bool callers) {
  std::vector<std::string> functions;
  uint32_t path = RunInfo::path_in(location).value_or(0);
  for (bool is_innermost = true; path != 0 && path < run_.paths.size() && (callers || is_innermost);
       path = run_.paths[path].parent) {
    is_innermost = false;
    const RunInfo::PathNode& node = run_.paths[path];
    symbolize::Module* const module = node.module == 0 ? nullptr : modules_.of(node.module - 1);
    if (module == nullptr) continue;
    for (symbolize::Frame& frame : module->code(node.offset - 1)) functions.push_back(std::move(frame.function));
  }
  return functions;
}

std::vector<RealNames::Bytes> RecordedNames::bytes_at(uint64_t address, uint64_t event) {
  std::vector<Bytes> bytes;
  const RunInfo::Module* const recorded = run_.module_at(address, event);
  symbolize::Module* const module =
      recorded == nullptr ? nullptr : modules_.of(static_cast<uint32_t>(recorded - run_.modules.data()));
  if (module == nullptr) return bytes;
  for (symbolize::NamedBytes& named : module->names_at(address - recorded->bias))
    bytes.push_back({std::move(named.name), named.begin + recorded->bias, named.bytes, named.is_type});
  return bytes;
}

}  // namespace deadheat::cli
