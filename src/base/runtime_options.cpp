#include "base/runtime_options.h"

#include <charconv>
#include <type_traits>

#include "base/text.h"

namespace deadheat {
namespace {

template <class T>
constexpr OptionType type_of() {
  if constexpr (std::is_same_v<T, bool>) return OptionType::kSwitch;
  if constexpr (std::is_same_v<T, int>) return OptionType::kNumber;
  return OptionType::kText;
}

// The default as the table spells it, made into what a user would write.
constexpr std::string_view as_written(std::string_view spelled) {
  if (spelled == "true") return "1";
  if (spelled == "false") return "0";
  if (spelled.starts_with('"')) return spelled.substr(1, spelled.size() - 2);
  return spelled;
}

#define DEADHEAT_ROW(type, name, value, origin, help) \
  {#name, type_of<type>(), OptionOrigin::origin, as_written(#value), help, offsetof(RuntimeOptions, name)},
constexpr RuntimeOptionInfo kTable[] = {DEADHEAT_RUNTIME_OPTIONS(DEADHEAT_ROW)};
#undef DEADHEAT_ROW

template <class T>
T& field(RuntimeOptions& options, const RuntimeOptionInfo& option) {
  return *reinterpret_cast<T*>(reinterpret_cast<char*>(&options) + option.offset);
}

template <class T>
const T& field(const RuntimeOptions& options, const RuntimeOptionInfo& option) {
  return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(&options) + option.offset);
}

bool is_separator(char c) { return c == ':' || c == ',' || is_blank(c); }

bool parse_switch(std::string_view value, bool& result) {
  const bool on = same_text(value, "1") || same_text(value, "yes") || same_text(value, "true");
  const bool off = same_text(value, "0") || same_text(value, "no") || same_text(value, "false");
  if (on || off) result = on;
  return on || off;
}

bool parse_number(std::string_view value, int& result) {
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || end != value.data() + value.size()) return false;
  result = number;
  return true;
}

uint64_t hash_of(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// The value of `variable` if `entry` is "variable=value", else null.
const char* value_in(const char* entry, std::string_view variable) {
  for (const char c : variable)
    if (*entry++ != c) return nullptr;
  return *entry == '=' ? entry + 1 : nullptr;
}

}  // namespace

std::span<const RuntimeOptionInfo> runtime_options() { return kTable; }

std::string_view option_value(const RuntimeOptionInfo& option, const RuntimeOptions& options, std::span<char> buffer) {
  switch (option.type) {
    case OptionType::kSwitch:
      return field<bool>(options, option) ? "1" : "0";
    case OptionType::kNumber: {
      const auto [end, error] =
          std::to_chars(buffer.data(), buffer.data() + buffer.size(), field<int>(options, option));
      return error == std::errc{} ? std::string_view(buffer.data(), end) : std::string_view{};
    }
    case OptionType::kText: {
      const std::string_view text = field<OptionText>(options, option).view();
      size_t size = 0;
      for (; size < text.size() && size < buffer.size(); ++size) buffer[size] = text[size];
      return {buffer.data(), size};
    }
  }
  return {};
}

std::string_view to_string(OptionProblem problem) {
  switch (problem) {
    case OptionProblem::kUnknown:
      return "unknown option";
    case OptionProblem::kBadValue:
      return "value not understood";
    case OptionProblem::kTooLong:
      return "value too long";
    case OptionProblem::kNoValue:
      return "no =value";
  }
  return {};
}

void RuntimeOptionsParser::parse(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    if (is_separator(text[at])) {
      ++at;
      continue;
    }
    const size_t name_begin = at;
    while (at < text.size() && text[at] != '=' && !is_separator(text[at])) ++at;
    const std::string_view name = slice(text, name_begin, at);
    if (at == text.size() || text[at] != '=') {
      tell_(context_, OptionProblem::kNoValue, name, {});
      continue;
    }
    ++at;
    if (at < text.size() && (text[at] == '"' || text[at] == '\'')) {
      const char quote = text[at++];
      const size_t value_begin = at;
      while (at < text.size() && text[at] != quote) ++at;
      const std::string_view value = slice(text, value_begin, at);
      if (at < text.size()) {
        ++at;
        set(name, value);
      } else {
        tell_(context_, OptionProblem::kBadValue, name, value);  // the quote never ends
      }
    } else {
      const size_t value_begin = at;
      while (at < text.size() && !is_separator(text[at])) ++at;
      set(name, slice(text, value_begin, at));
    }
  }
}

void RuntimeOptionsParser::set(std::string_view name, std::string_view value) {
  for (const RuntimeOptionInfo& option : kTable) {
    if (!same_text(option.name, name)) continue;
    switch (option.type) {
      case OptionType::kSwitch:
        if (!parse_switch(value, field<bool>(options_, option))) tell_(context_, OptionProblem::kBadValue, name, value);
        return;
      case OptionType::kNumber:
        if (!parse_number(value, field<int>(options_, option))) tell_(context_, OptionProblem::kBadValue, name, value);
        return;
      case OptionType::kText:
        if (!field<OptionText>(options_, option).assign(value)) tell_(context_, OptionProblem::kTooLong, name, value);
        return;
    }
  }
  if (!told_before(name)) tell_(context_, OptionProblem::kUnknown, name, value);
}

bool RuntimeOptionsParser::told_before(std::string_view name) {
  const uint64_t hash = hash_of(name);
  for (size_t i = 0; i < told_count_; ++i)
    if (told_[i] == hash) return true;
  if (told_count_ < std::size(told_)) told_[told_count_++] = hash;
  return false;
}

OptionsSource options_from_environment(const char* const* environment, bool secure) {
  OptionsSource source;
  if (secure || environment == nullptr) return source;
  for (; *environment != nullptr; ++environment) {
    if (const char* ours = value_in(*environment, "DEADHEAT_OPTIONS")) return {"DEADHEAT_OPTIONS", ours};
    if (const char* theirs = value_in(*environment, "TSAN_OPTIONS"); theirs != nullptr && source.text == nullptr)
      source = {"TSAN_OPTIONS", theirs};
  }
  return source;
}

}  // namespace deadheat
