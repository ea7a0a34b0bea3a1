#include "race/fingerprint.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cctype>

#include "race/code_place.h"

namespace deadheat {

namespace {

// The base name of a path whose folders may be of any system.
std::string_view file_name(std::string_view path) {
  const size_t slash = path.find_last_of("/\\");
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// How long a bracketed part is that begins the text: "(int (*)(int))", "<std::pair<int, 4> >". Brackets of the other kinds nest.
size_t bracketed(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '<' || text[i] == '{' || text[i] == '[') ++depth;
    const bool is_arrow = text[i] == '>' && i > 0 && text[i - 1] == '-';
    if (text[i] == ')' || text[i] == '}' || text[i] == ']' || (text[i] == '>' && !is_arrow)) --depth;
    if (depth <= 0) return i + 1;
  }
  return text.size();
}

// "operator<<", "operator()", "operator new", "operator bool": how long the name of an operator is that begins the text.
size_t operator_length(std::string_view text) {
  constexpr std::string_view kOperator = "operator";
  if (!text.starts_with(kOperator)) return 0;
  const std::string_view rest = text.substr(kOperator.size());
  for (const std::string_view sign : {"()", "[]", "<=>", "<<=", "<<", "<=", "<", ">>=", ">>", ">=", ">", "->*", "->"})
    if (rest.starts_with(sign)) return kOperator.size() + sign.size();
  if (rest.empty() || rest[0] != ' ') return 0;
  return kOperator.size() + std::min(rest.find_first_of("(<"), rest.size());
}

// What a place is called over all builds.
std::string stable_place(const StackFrame* frame) {
  if (frame == nullptr) return "?";
  const std::string function = stable_name(frame->function);
  if (function.empty() && !frame->file.empty()) return fmt::format("{}:{}", file_name(frame->file), frame->line);
  if (function.empty()) return fmt::format("{}+{:#x}", file_name(frame->module), frame->offset);
  return fmt::format("{}|{}", function, file_name(frame->file));
}

// "work.count" is what Clang calls a static local of C, and GCC "count".
std::string_view without_function(std::string_view name) {
  const size_t dot = name.find_first_of(".:<([");
  return dot != std::string_view::npos && name[dot] == '.' && dot + 1 < name.size() ? name.substr(dot + 1) : name;
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

// "pair.b", "a[17]" -> "pair", "a"
std::string_view whole_variable(std::string_view name) { return name.substr(0, name.find_first_of(".[")); }

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

// The name of a function by its scopes alone: without parameters, arguments of templates, the type that it returns and
// the numbers that compilers give to lambdas ("$_3", "{lambda(int)#2}"). GCC's debug information has no more of many
// functions that are inlined, so nothing else is the same at all levels.
std::string stable_name(std::string_view function) {
  function = stable_function(function);
  for (const std::string_view initialiser :
       {"__static_initialization_and_destruction_", "_GLOBAL__sub_I_", "__cxx_global_var_init"})
    if (function.starts_with(initialiser)) return std::string(kStaticInitialisation);
  constexpr std::string_view kUnnamedSpace = "(anonymous namespace)", kLambda = "{lambda}", kCall = "::operator()";
  std::string name;
  bool begins_word = true;
  for (size_t at = 0; at < function.size();) {
    const std::string_view rest = function.substr(at);
    const bool ends_lambda = name.ends_with(kLambda);
    size_t length = 1;
    std::string_view kept = rest.substr(0, 1);
    if (const size_t sign = begins_word ? operator_length(rest) : 0; sign != 0) {
      length = sign;
      kept = rest.substr(0, sign);
    } else if (rest.starts_with(kUnnamedSpace)) {
      length = kUnnamedSpace.size();
      kept = kUnnamedSpace;
    } else if (ends_lambda && rest.starts_with(kCall)) {
      length = kCall.size();
      kept = {};
    } else if (rest.starts_with("{lambda") || rest.starts_with("<lambda")) {
      length = bracketed(rest);
      kept = kLambda;
    } else if (rest.starts_with("'lambda")) {
      length = std::min(rest.find('\'', 1), rest.size() - 1) + 1;
      kept = kLambda;
    } else if (rest.starts_with("{unnamed")) {
      length = bracketed(rest);
      kept = "{unnamed}";
    } else if (rest.starts_with("$_")) {
      length = std::min(rest.find_first_not_of("0123456789", 2), rest.size());
      kept = kLambda;
    } else if (rest[0] == '(' || rest[0] == '<' || rest[0] == '[') {
      length = bracketed(rest);
      kept = {};
    } else if (rest.starts_with(" <")) {  // behind an operator
      kept = {};
    } else if (rest.starts_with(" const") || rest.starts_with(" volatile") || rest.starts_with(" &")) {
      length = std::min(rest.find_first_of(" :", 1), rest.size());  // of a member function
      kept = {};
    } else if (rest[0] == ' ') {  // before it was the type
      name.clear();
      kept = {};
    }
    name += kept;
    begins_word = kept.empty() || !(std::isalnum(static_cast<unsigned char>(kept.back())) != 0 || kept.back() == '_');
    at += length;
  }
  return name.empty() ? std::string(function) : name;
}

bool is_of_the_system(const StackFrame& frame) {
  if (!frame.file.empty() || frame.function.empty()) return is_system_header(frame.file);
  const std::string name = stable_name(frame.function);
  return name.starts_with("std::") || name.starts_with("__gnu_cxx::");
}

const StackFrame* place_frame(StackView stack) {
  const StackFrame* header = nullptr;
  for (const StackFrame& frame : stack) {
    if (frame.ours) continue;
    if (!is_of_the_system(frame)) return &frame;
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

namespace {

// The function whose variable it is.
std::string home_of(const Memory& memory) {
  return memory.stack.empty() ? "" : stable_name(memory.stack.front().function);
}

// Whether a local with a name is raced on by its own function and the lambdas in it. Other functions are given it as
// an object among many: their bug is the same whoever calls.
bool is_used_at_home(const Finding& finding) {
  const std::string home = home_of(finding.memory);
  if (finding.memory.name.empty() || home.empty()) return false;
  for (const StackView stack : stacks_of(finding)) {
    const StackFrame* const frame = place_frame(stack);
    const std::string function = frame == nullptr ? "" : stable_name(frame->function);
    const std::string_view rest = std::string_view(function).substr(std::min(home.size(), function.size()));
    if (!function.starts_with(home) || !(rest.empty() || rest[0] == ':' || rest[0] == '.')) return false;
  }
  return true;
}

}  // namespace

std::string memory_identity(const Finding& finding) {
  const Memory& memory = finding.memory;
  switch (memory.kind) {
    case Memory::kGlobal:
      if (!memory.name.empty()) return "global " + without_indexes(without_function(memory.name));
      return fmt::format("global {}+{:#x}", file_name(memory.module), memory.offset);
    case Memory::kHeap:
      return memory.stack.empty() ? "" : "heap " + stable_place(place_frame(memory.stack));
    case Memory::kDescriptor:
      return memory.stack.empty() ? "" : "descriptor " + stable_place(place_frame(memory.stack));
    case Memory::kVariable:  // bytes of a trace have no name that lasts
      return memory.name.starts_with("0x") ? "" : "variable " + without_indexes(memory.name);
    case Memory::kStack:
      if (!is_used_at_home(finding)) return "";
      return "local " + home_of(memory) + " " + std::string(whole_variable(memory.name));
    case Memory::kThreadLocal:
      return std::string(kThreadLocalMemory);
    case Memory::kUnknown:
      break;
  }
  return "";
}

bool names_variable(const Finding& finding) {
  if (finding.memory.kind == Memory::kStack) return is_used_at_home(finding);
  return finding.memory.kind == Memory::kThreadLocal ||
         (finding.memory.kind == Memory::kGlobal && !finding.memory.name.empty());
}

uint64_t fingerprint_of(const Finding& finding) {
  std::vector<std::string> places;
  for (const StackView stack : stacks_of(finding)) places.push_back(stable_place(place_frame(stack)));
  std::sort(places.begin(), places.end());
  std::string text = fmt::format("1\n{}\n", finding.is_race() ? "race" : finding_name(finding.kind));
  for (const std::string& place : places) text += place + '\n';
  return stable_hash(text + memory_identity(finding));
}

std::string fingerprint_text(uint64_t fingerprint) { return fmt::format("{:016x}", fingerprint); }

}  // namespace deadheat
