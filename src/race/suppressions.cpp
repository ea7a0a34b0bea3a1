#include "race/suppressions.h"

#include "base/text.h"

namespace deadheat {
namespace {

struct TypeName {
  SuppressionType type;
  std::string_view name;
};
constexpr TypeName kTypes[] = {
    {SuppressionType::kRace, "race"},         {SuppressionType::kRaceTop, "race_top"},
    {SuppressionType::kMutex, "mutex"},       {SuppressionType::kThread, "thread"},
    {SuppressionType::kSignal, "signal"},     {SuppressionType::kCalledFromLib, "called_from_lib"},
    {SuppressionType::kDeadlock, "deadlock"},
};
constexpr TypeName kAnnotations[] = {
    {SuppressionType::kField, "Field"},
    {SuppressionType::kMethod, "Method"},
    {SuppressionType::kClass, "Class"},
};

constexpr std::string_view kPair = " && ";
constexpr size_t kNowhere = SIZE_MAX;

std::string_view trimmed(std::string_view text) {
  size_t begin = 0, end = text.size();
  while (begin < end && is_blank(text[begin])) ++begin;
  while (end > begin && is_blank(text[end - 1])) --end;
  return slice(text, begin, end);
}

size_t find(std::string_view text, std::string_view wanted) {
  for (size_t i = 0; i + wanted.size() <= text.size(); ++i)
    if (same_text(slice(text, i, i + wanted.size()), wanted)) return i;
  return kNowhere;
}

// Splits `module+0x1f30`; a pattern of any other form has no offset.
Suppression::Pattern pattern_of(std::string_view text) {
  size_t plus = text.size();
  while (plus > 0 && text[plus - 1] != '+') --plus;
  if (plus == 0 || !starts_with(slice(text, plus, text.size()), "0x")) return {text};
  uint64_t offset = 0;
  for (size_t i = plus + 2; i < text.size(); ++i) {
    const char c = text[i];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0 || offset >> 60 != 0) return {text};
    offset = offset << 4 | static_cast<uint64_t>(digit);
  }
  if (offset == 0) return {text};
  return {slice(text, 0, plus - 1), offset};
}

// The pattern may have `*`; it begins and ends where the name does, or somewhere in it. The text up to the last `*` that
// was passed may be taken back: one position in each is all that has to be kept.
bool matches_text(std::string_view pattern, bool at_start, bool at_end, std::string_view name) {
  size_t p = 0, n = 0;
  size_t star_p = at_start ? kNowhere : 0;  // the pattern after the last star
  size_t star_n = 0;                        // the name from which it was tried
  for (;;) {
    if (p == pattern.size() && (!at_end || n == name.size())) return true;
    if (p < pattern.size() && pattern[p] == '*') {
      star_p = ++p;
      star_n = n;
    } else if (p < pattern.size() && n < name.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star_p != kNowhere && star_n < name.size()) {
      p = star_p;
      n = ++star_n;
    } else {
      return false;
    }
  }
}

bool matches(const Suppression::Pattern& pattern, const StackFrame& frame) {
  if (pattern.offset != 0) return pattern.offset == frame.offset && matches_pattern(pattern.text, frame.module);
  return matches_pattern(pattern.text, frame.function) || matches_pattern(pattern.text, frame.file) ||
         matches_pattern(pattern.text, frame.module);
}

bool matches_any(const Suppression::Pattern& pattern, StackView stack) {
  for (const StackFrame& frame : stack)
    if (matches(pattern, frame)) return true;
  return false;
}

// Where the memory comes from, and the stacks of anything else than an access.
bool matches_beside(const Suppression::Pattern& pattern, const Finding& finding) {
  for (const FindingStack& shown : finding.stacks)
    if (matches_any(pattern, shown.stack)) return true;
  if (finding.kind == FindingKind::kThreadLeak && matches_any(pattern, finding.summary_stack())) return true;
  return matches_any(pattern, finding.memory.stack);
}

bool hides_race(const Suppression& rule, const Finding& finding) {
  const bool top_only = rule.type == SuppressionType::kRaceTop;
  const auto matches_side = [&](const Suppression::Pattern& pattern, const Side& side) {
    return matches_any(pattern, top_only && side.stack.size() > 1 ? side.stack.first(1) : side.stack);
  };
  if (!rule.second.text.empty()) {
    const Side* const earlier = finding.earlier();
    return earlier != nullptr && ((matches_side(rule.first, finding.sides[0]) && matches_side(rule.second, *earlier)) ||
                                  (matches_side(rule.first, *earlier) && matches_side(rule.second, finding.sides[0])));
  }
  for (const Side& side : finding.sides)
    if (matches_side(rule.first, side)) return true;
  if (top_only) return false;
  const bool has_name = finding.memory.kind == Memory::kGlobal || finding.memory.kind == Memory::kVariable;
  return matches_beside(rule.first, finding) ||
         (has_name && rule.first.offset == 0 && matches_pattern(rule.first.text, finding.memory.name));
}

// The innermost function of the program; null if it is not known.
const StackFrame* innermost(StackView stack) {
  for (const StackFrame& frame : stack)
    if (!frame.ours) return &frame;
  return nullptr;
}

// Annotations give whole names; a function may be written with its parameters or without.
bool is_named(std::string_view pattern, std::string_view name) {
  size_t bracket = 0;
  while (bracket < name.size() && name[bracket] != '(') ++bracket;
  return !name.empty() &&
         (matches_text(pattern, true, true, name) || matches_text(pattern, true, true, slice(name, 0, bracket)));
}

// The plain access would not have been watched.
bool is_unwatched(const Suppression& rule, const Side& side, const Memory& memory) {
  if (side.kind != AccessKind::kRead && side.kind != AccessKind::kWrite) return false;
  const bool has_name = memory.kind == Memory::kGlobal || memory.kind == Memory::kVariable;
  const StackFrame* frame = nullptr;
  if (rule.type == SuppressionType::kField) return has_name && is_named(rule.first.text, memory.name);
  if (rule.type == SuppressionType::kMethod) frame = innermost(side.stack);
  if (rule.type == SuppressionType::kClass) {
    if (has_name && is_named(rule.first.text, memory.name)) return true;
    if (memory.kind == Memory::kHeap) frame = innermost(memory.stack);
  }
  if (frame == nullptr) return false;
  return is_named(rule.first.text, frame->function) || (frame->line == 0 && is_named(rule.first.text, frame->file));
}

bool is_annotation(SuppressionType type) { return type >= SuppressionType::kField; }

bool hides(const Suppression& rule, const Finding& finding) {
  if (is_annotation(rule.type)) {
    const Side* const earlier = finding.earlier();
    return finding.is_race() && (is_unwatched(rule, finding.sides[0], finding.memory) ||
                                 (earlier != nullptr && is_unwatched(rule, *earlier, finding.memory)));
  }
  if (!finding.is_race()) return rule.type == suppression_type(finding.kind) && matches_beside(rule.first, finding);
  return (rule.type == SuppressionType::kRace || rule.type == SuppressionType::kRaceTop) && hides_race(rule, finding);
}

}  // namespace

SuppressionType suppression_type(FindingKind kind) {
  static constexpr SuppressionType kOfKinds[] = {
#define DEADHEAT_TYPE(kind, title, name, type) SuppressionType::type,
      DEADHEAT_FINDINGS(DEADHEAT_TYPE)
#undef DEADHEAT_TYPE
  };
  return kOfKinds[static_cast<unsigned>(kind)];
}

std::string_view to_string(SuppressionType type) {
  const size_t at = static_cast<size_t>(type), types = sizeof kTypes / sizeof kTypes[0];
  return at < types ? kTypes[at].name : kAnnotations[at - types].name;
}

bool matches_pattern(std::string_view pattern, std::string_view name) {
  if (name.empty() || pattern.empty()) return false;
  const bool at_start = pattern[0] == '^';
  if (at_start) pattern = slice(pattern, 1, pattern.size());
  const bool at_end = !pattern.empty() && pattern[pattern.size() - 1] == '$';
  if (at_end) pattern = slice(pattern, 0, pattern.size() - 1);
  return matches_text(pattern, at_start, at_end, name);
}

void Suppressions::parse(std::string_view text, Tell tell, void* context) {
  parse_lines(text, &Suppressions::parse_line, tell, context);
}

void Suppressions::parse_annotations(std::string_view text, Tell tell, void* context) {
  parse_lines(text, &Suppressions::parse_annotation, tell, context);
}

void Suppressions::parse_lines(std::string_view text, ParseLine take, Tell tell, void* context) {
  if (text.empty()) return;
  char* copy = static_cast<char*>(arena_.allocate(text.size()));
  for (size_t i = 0; i < text.size(); ++i) copy[i] = text[i];
  text = {copy, text.size()};
  uint32_t number = 1;
  for (size_t begin = 0; begin < text.size(); ++number) {
    size_t end = begin;
    while (end < text.size() && text[end] != '\n') ++end;
    (this->*take)(trimmed(slice(text, begin, end)), number, tell, context);
    begin = end + 1;
  }
}

void Suppressions::parse_line(std::string_view line, uint32_t number, Tell tell, void* context) {
  if (line.empty() || line[0] == '#') return;
  const size_t colon = find(line, ":");
  if (colon == kNowhere) return tell(context, number, line, "expected type:pattern");
  for (const TypeName& type : kTypes) {
    if (!same_text(type.name, slice(line, 0, colon))) continue;
    const std::string_view pattern = trimmed(slice(line, colon + 1, line.size()));
    if (pattern.empty()) return tell(context, number, line, "expected a pattern after the colon");
    Suppression rule = {type.type, line, pattern_of(pattern), {}, number};
    const bool may_pair = type.type == SuppressionType::kRace || type.type == SuppressionType::kRaceTop;
    if (const size_t pair = find(pattern, kPair); may_pair && pair != kNowhere) {
      rule.first = pattern_of(trimmed(slice(pattern, 0, pair)));
      rule.second = pattern_of(trimmed(slice(pattern, pair + kPair.size(), pattern.size())));
    }
    rules_.push_back(arena_, rule);
    return;
  }
  tell(context, number, line,
       "unknown type; there are race, race_top, mutex, thread, signal, called_from_lib and deadlock");
}

void Suppressions::parse_annotation(std::string_view line, uint32_t number, Tell tell, void* context) {
  if (line.empty() || line[0] == '#') return;
  size_t blank = 0;
  while (blank < line.size() && !is_blank(line[blank])) ++blank;
  const std::string_view word = slice(line, 0, blank), name = trimmed(slice(line, blank, line.size()));
  if (same_text(word, "Acquire") || same_text(word, "Release"))
    return tell(context, number, line, "Acquire and Release are for recorded runs and traces only");
  for (const TypeName& type : kAnnotations) {
    if (!same_text(type.name, word) || name.empty()) continue;
    rules_.push_back(arena_, {type.type, line, {name}, {}, number});
    return;
  }
  tell(context, number, line, "expected Field, Method or Class, and a name");
}

const Suppression* Suppressions::match(const Finding& finding) {
  for (Suppression& rule : rules_) {
    if (!hides(rule, finding)) continue;
    ++rule.hits;
    return &rule;
  }
  return nullptr;
}

const Suppression* Suppressions::match_library(std::string_view path) {
  for (Suppression& rule : rules_) {
    if (rule.type != SuppressionType::kCalledFromLib || !matches_pattern(rule.first.text, path)) continue;
    ++rule.hits;
    return &rule;
  }
  return nullptr;
}

bool Suppressions::has(SuppressionType type) const {
  for (const Suppression& rule : rules_)
    if (rule.type == type) return true;
  return false;
}

}  // namespace deadheat
