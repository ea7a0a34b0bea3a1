#include "runtime/report_stack.h"

#include "base/text.h"
#include "runtime/lifecycle.h"
#include "runtime/modules.h"

namespace deadheat::live {
namespace {

// Paths of modules that stand in reports; few, kept for the run.
char kept_paths[32768];
size_t kept_paths_size;

const char* keep_path(const char* path) {
  const std::string_view wanted = path;
  for (size_t at = 0; at < kept_paths_size;) {
    const std::string_view here = kept_paths + at;
    if (same_text(here, wanted)) return kept_paths + at;
    at += here.size() + 1;
  }
  if (kept_paths_size + wanted.size() + 1 > sizeof kept_paths) return "?";
  char* to = kept_paths + kept_paths_size;
  for (size_t i = 0; i <= wanted.size(); ++i) to[i] = path[i];
  kept_paths_size += wanted.size() + 1;
  return to;
}

const char* without_prefix(const char* file) {
  const std::string_view prefix = options.strip_path_prefix.view();
  if (file == nullptr || prefix.empty()) return file;
  const std::string_view whole = file;
  for (size_t at = 0; at + prefix.size() <= whole.size(); ++at)
    if (starts_with(slice(whole, at, whole.size()), prefix)) return file + at + prefix.size();
  return file;
}

}  // namespace

void fill_stack(ReportStack& stack, NodeId origin) {
  stack.count = 0;
  if (stack_nodes[origin].kind() == NodeKind::kUnder) origin = stack_nodes[origin].parent;
  for (NodeId node = origin; node != 0; node = stack_nodes[node].parent) {
    const uintptr_t pc = stack_nodes[node].address();
    Module module;
    if (pc == 0 || !module_of(pc - 1, module)) {
      if (stack.count < ReportStack::kFrames)
        stack.frames[stack.count++] = {nullptr, nullptr, nullptr, 0, 0, pc, false};
      continue;
    }
    if (module.ours) continue;
    const uintptr_t offset = pc - module.bias;
    SourceFrame places[16];
    unsigned count = symbolize_code(module, offset - 1, places, 16);
    if (count == 0) places[count++] = {};
    const char* path = keep_path(module.path);
    for (unsigned i = 0; i < count && stack.count < ReportStack::kFrames; ++i)
      stack.frames[stack.count++] = {
          places[i].function, without_prefix(places[i].file), path, places[i].line, places[i].column, offset,
          i + 1 < count};
    // What called main is the C library's business.
    const char* outermost = places[count - 1].function;
    if (outermost != nullptr && same_text(outermost, "main")) return;
  }
}

void add_stack(Text& text, const ReportStack& stack) {
  for (unsigned i = 0; i < stack.count; ++i) {
    const ReportFrame& f = stack.frames[i];
    text.add("    #%u %s ", i, f.function != nullptr ? f.function : "<null>");
    if (f.file != nullptr) {
      text.add("%s:%d", f.file, f.line);
      if (f.column != 0) text.add(":%d", f.column);
    } else {
      text.put("<null>");
    }
    if (f.module != nullptr)
      text.add(" (%s+0x%lx)\n", base_name(f.module), f.offset);
    else
      text.add(" (0x%lx)\n", f.offset);
  }
}

void add_place(Text& text, const ReportStack& stack) {
  if (stack.count == 0) {
    text.put("<unknown>");
    return;
  }
  const ReportFrame& f = stack.frames[0];
  if (f.file != nullptr)
    text.add("%s:%d", f.file, f.line);
  else
    text.add("(%s+0x%lx)", f.module != nullptr ? f.module : "?", f.offset);
  text.add(" in %s", f.function != nullptr ? f.function : "<null>");
}

}  // namespace deadheat::live
