#include "live/report/report_stack.h"

#include "base/text.h"
#include "live/ground/options.h"
#include "live/modules/build_id.h"
#include "live/modules/elf_tables.h"
#include "live/modules/loaded.h"
#include "live/modules/symbols.h"
#include "live/paths/called.h"
#include "live/report/record.h"
#include "live/report/report_session.h"

namespace deadheat::live {

std::string_view without_prefix(const char* file) {
  const std::string_view whole = view_of(file), prefix = options.strip_path_prefix.view();
  if (prefix.empty()) return whole;
  for (size_t at = 0; at + prefix.size() <= whole.size(); ++at)
    if (starts_with(slice(whole, at, whole.size()), prefix)) return slice(whole, at + prefix.size(), whole.size());
  return whole;
}

namespace {

// The name of an interceptor of ours, if the address is in one: it is that of an exported function.
const char* own_name(const Module& module, uintptr_t pc) {
  const char* name = elf_function_at(elf_tables(module.bias, module.dynamic), pc - 1 - module.bias);
  if (name == nullptr) return nullptr;
  if (starts_with(name, "__pthread_mutex_")) return name + 2;
  return starts_with(name, "__interceptor_") ? name + 14 : name;
}

}  // namespace

bool StackDraft::ends_with_main() const { return count_ != 0 && same_text(frames_[count_ - 1].function, "main"); }

void StackDraft::add_code_place(uintptr_t pc) {
  Module module;
  if (pc == 0 || !module_of(pc - 1, module)) return add({.offset = pc, .pc = pc});
  const uintptr_t offset = pc - module.bias;
  if (module.ours) {
    if (const char* const name = own_name(module, pc))
      add({.function = name, .module = module.path, .offset = offset, .pc = pc, .ours = true});
    return;
  }
  char build_id[2 * kMostBuildId + 1] = "";
  const bool recorded = is_recorded();
  if (recorded) find_build_id(module, build_id);
  const std::string_view kept_id = session_text(build_id);
  SourceFrame places[16];
  unsigned count = symbolize_code(module, offset - 1, places, 16);
  if (count == 0) places[count++] = {};
  for (unsigned i = 0; i < count; ++i)
    add({.function = view_of(places[i].function),
         .file = without_prefix(places[i].file),
         .module = module.path,
         .build_id = kept_id,
         .line = places[i].line,
         .column = places[i].column,
         .offset = offset,
         .pc = pc,
         .inlined = i + 1 < count,
         .foreign = recorded && !instrumented_at(pc - 1)});
}

void StackDraft::add_path(NodeId path) {
  for (NodeId node = path; node != kNoNode && count_ < kMost; node = node_at(node).parent) {
    const uintptr_t pc = node_at(node).address();
    if (const char* name = called_in(node_at(node).key)) add({.function = name, .pc = pc, .ours = true});
    add_code_place(pc);
    if (ends_with_main()) return;  // what called main is the C library's business
  }
}

StackView StackDraft::keep(unsigned first) const {
  const size_t count = count_ - first;
  StackFrame* const to = session_list<StackFrame>(count);
  if (to == nullptr) return {};
  for (size_t i = 0; i < count; ++i) to[i] = frames_[first + i];
  return {to, count};
}

StackView stack_of(NodeId path) {
  StackDraft draft;
  draft.add_path(path);
  return draft.keep();
}

}  // namespace deadheat::live
