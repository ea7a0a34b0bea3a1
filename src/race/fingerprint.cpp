#include "race/fingerprint.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "race/code_place.h"

namespace deadheat {

namespace {

// The base name of a path whose folders may be of any system.
std::string_view file_name(std::string_view path) {
  const size_t slash = path.find_last_of("/\\");
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// "::operator()(int) const": how the function of a lambda goes on. Debug information of GCC has no more than its beginning.
size_t call_length(std::string_view text) {
  constexpr std::string_view kCall = "::operator()";
  if (!text.starts_with(kCall)) return 0;
  size_t at = kCall.size();
  if (at < text.size() && text[at] == '(')
    for (int depth = 0; at < text.size();) {
      depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
      ++at;
      if (depth == 0) break;
    }
  return text.substr(at).starts_with(" const") ? at + 6 : at;
}

// A function's name without what differs between compilers and with edits elsewhere: they count lambdas (`$_3`,
// `{lambda(int)#2}`), and call the code that initialises globals as they like.
std::string stable_name(std::string_view function) {
  function = stable_function(function);
  for (const std::string_view initialiser :
       {"__static_initialization_and_destruction_", "_GLOBAL__sub_I_", "__cxx_global_var_init"})
    if (function.starts_with(initialiser)) return "{static initialisation}";
  std::string name;
  for (size_t at = 0; at < function.size();) {
    const std::string_view rest = function.substr(at);
    size_t length = 0;
    if (rest.starts_with("$_")) {
      length = std::min(rest.find_first_not_of("0123456789", 2), rest.size());
    } else if (rest.starts_with("{lambda")) {
      const size_t end = rest.find('}');
      length = end == std::string_view::npos ? 0 : end + 1;
    }
    name += length != 0 ? std::string_view("{lambda}") : rest.substr(0, 1);
    at += length != 0 ? length + call_length(rest.substr(length)) : 1;
  }
  return name;
}

// What a place is called over all builds.
std::string stable_place(const StackFrame* frame) {
  if (frame == nullptr) return "?";
  const std::string function = stable_name(frame->function);
  if (function.empty() && !frame->file.empty()) return fmt::format("{}:{}", file_name(frame->file), frame->line);
  if (function.empty()) return fmt::format("{}+{:#x}", file_name(frame->module), frame->offset);
  return fmt::format("{}|{}", function, file_name(frame->file));
}

// "a[17]" -> "a[]": elements are told apart by nothing that lasts.
std::string without_indexes(std::string_view name) {
  std::string result;
  for (size_t i = 0; i < name.size(); ++i) {
    result += name[i];
    if (name[i] == '[')
      while (i + 1 < name.size() && name[i + 1] >= '0' && name[i + 1] <= '9') ++i;
  }
  return result;
}

}  // namespace

uint64_t stable_hash(std::string_view text, uint64_t seed) { return XXH64(text.data(), text.size(), seed); }

std::string_view stable_function(std::string_view function) {
  if (const size_t clone = function.find(" [clone "); clone != std::string_view::npos)
    function = function.substr(0, clone);
  for (const std::string_view suffix : {".constprop.", ".isra.", ".part.", ".lto_priv.", ".llvm.", ".cold"})
    if (const size_t at = function.find(suffix); at != std::string_view::npos && at > 0)
      function = function.substr(0, at);
  return function;
}

const StackFrame* place_frame(StackView stack) {
  const StackFrame* header = nullptr;
  for (const StackFrame& frame : stack) {
    if (frame.ours) continue;
    if (!is_system_header(frame.file)) return &frame;
    if (header == nullptr) header = &frame;
  }
  return header != nullptr || stack.empty() ? header : &stack.front();
}

std::string place_text(const StackFrame* frame) {
  if (frame == nullptr) return "?";
  if (!frame->file.empty() && frame->line != 0) return fmt::format("{}:{}", frame->file, frame->line);
  if (!frame->file.empty()) return std::string(frame->file);
  if (!frame->module.empty()) return fmt::format("{}+{:#x}", file_name(frame->module), frame->offset);
  return frame->function.empty() ? "?" : std::string(frame->function);
}

std::string memory_identity(const Memory& memory) {
  switch (memory.kind) {
    case Memory::kGlobal:
      if (!memory.name.empty()) return "global " + without_indexes(memory.name);
      return fmt::format("global {}+{:#x}", file_name(memory.module), memory.offset);
    case Memory::kHeap:
      return memory.stack.empty() ? "" : "heap " + stable_place(place_frame(memory.stack));
    case Memory::kDescriptor:
      return memory.stack.empty() ? "" : "descriptor " + stable_place(place_frame(memory.stack));
    case Memory::kVariable:  // bytes of a trace have no name that lasts
      return memory.name.starts_with("0x") ? "" : "variable " + without_indexes(memory.name);
    case Memory::kUnknown:
    case Memory::kStack:
    case Memory::kThreadLocal:
      break;
  }
  return "";
}

std::vector<StackView> stacks_of(const Finding& finding) {
  std::vector<StackView> stacks;
  if (finding.is_race()) {
    stacks.push_back(finding.sides[0].stack);
    if (const Side* const earlier = finding.earlier()) stacks.push_back(earlier->stack);
    return stacks;
  }
  for (const FindingStack& shown : finding.stacks) stacks.push_back(shown.stack);
  if (stacks.empty()) stacks.push_back(finding.summary_stack());
  return stacks;
}

uint64_t fingerprint_of(const Finding& finding) {
  std::vector<std::string> places;
  for (const StackView stack : stacks_of(finding)) places.push_back(stable_place(place_frame(stack)));
  std::sort(places.begin(), places.end());
  std::string text = fmt::format("1\n{}\n", finding.is_race() ? "race" : finding_name(finding.kind));
  for (const std::string& place : places) text += place + '\n';
  return stable_hash(text + memory_identity(finding.memory));
}

std::string fingerprint_text(uint64_t fingerprint) { return fmt::format("{:016x}", fingerprint); }

}  // namespace deadheat
