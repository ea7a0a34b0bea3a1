#include "event/text_notation.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

namespace deadheat {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Up to 8 characters as one word, so that looking an operation up is a comparison of words.
constexpr uint64_t pack(std::string_view text) {
  if (text.size() > 8) return 0;
  uint64_t word = 0;
  for (char c : text) word = word << 8 | static_cast<unsigned char>(c);
  return word;
}

constexpr auto kPackedNotations = [] {
  std::array<uint64_t, kEventKindCount> packed{};
  for (size_t i = 0; i < kEventKindCount; ++i) packed[i] = pack(kEventKinds[i].notation);
  return packed;
}();

// Short forms beside `kMemoryOrderNames`.
constexpr std::array<std::string_view, 6> kShortOrderNames = {"rlx", "con", "acq", "rel", "ar", "sc"};

std::optional<MemoryOrder> order_of(std::string_view name) {
  for (size_t i = 0; i < kMemoryOrderNames.size(); ++i)
    if (name == kMemoryOrderNames[i] || name == kShortOrderNames[i]) return static_cast<MemoryOrder>(i);
  return std::nullopt;
}

// A whole text as a number; none if it is anything else or too large.
std::optional<uint64_t> number(std::string_view text, int base) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_hex(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  });
}

// `0x` and hexadecimal digits: an address where an object stands.
bool looks_like_address(std::string_view name) { return name.starts_with("0x") && is_hex(name.substr(2)); }

// An address and a colon: bytes where a variable stands.
bool looks_like_range(std::string_view name) {
  if (!name.starts_with("0x")) return false;
  const size_t colon = name.find(':');
  return colon != std::string_view::npos && is_hex(name.substr(2, colon - 2));
}

// A piece of the input as an error shows it: short and printable.
std::string shown(std::string_view text) {
  constexpr size_t kMost = 60;
  std::string out = "'";
  for (char c : text.substr(0, kMost)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && byte != 0x7f)  // parts of UTF-8, too
      out += c;
    else
      out += fmt::format("\\x{:02x}", byte);
  }
  out += text.size() > kMost ? "...'" : "'";
  return out;
}

std::string all_operations() {
  std::string list;
  for (const EventKindInfo& kind : kEventKinds) {
    if (kind.kind == EventKind::kCasFail) continue;  // the second row of `cas`
    if (!list.empty()) list += ' ';
    list += kind.notation;
  }
  return list;
}

std::string_view operand_word(Operand operand) {
  switch (operand) {
    case Operand::kNone:
      return "";
    case Operand::kVariable:
      return "VARIABLE";
    case Operand::kObject:
      return "OBJECT";
    case Operand::kLock:
      return "LOCK";
    case Operand::kThread:
      return "THREAD";
    case Operand::kMessage:
      return "MESSAGE";
    case Operand::kBarrier:
      return "BARRIER";
    case Operand::kSemaphore:
      return "SEMAPHORE";
    case Operand::kCondition:
      return "CONDITION";
  }
  return "";
}

bool is_cas(EventKind kind) { return kind == EventKind::kCasOk || kind == EventKind::kCasFail; }

// Cuts the part after the last comma off `arguments`; none if there is no comma.
std::optional<std::string_view> cut_last(std::string_view& arguments) {
  const size_t comma = arguments.rfind(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const std::string_view last = arguments.substr(comma + 1);
  arguments = arguments.substr(0, comma);
  return last;
}

void append_number(std::string& out, uint64_t value, int base = 10) {
  char digits[20];
  const auto result = std::to_chars(digits, digits + sizeof digits, value, base);
  out.append(digits, result.ptr);
}

void append_operand(std::string& out, const Event& event, const Names& names) {
  if (event.is_range) {
    out += "0x";
    append_number(out, event.target, 16);
    if (info(event.kind).operand == Operand::kVariable) {
      out += ':';
      append_number(out, event.size);
    }
    return;
  }
  switch (info(event.kind).operand) {
    case Operand::kNone:
      break;
    case Operand::kVariable:
      out += names.variables[event.variable()];
      break;
    case Operand::kObject:
      out += names.objects[event.object()];
      break;
    case Operand::kLock:
      out += names.locks[event.lock()];
      break;
    case Operand::kThread:
      out += names.threads[event.other_thread()];
      break;
    case Operand::kMessage:
      out += names.messages[static_cast<MessageId>(event.target)];
      break;
    case Operand::kBarrier:
      out += names.barriers[static_cast<BarrierId>(event.target)];
      break;
    case Operand::kSemaphore:
      out += names.semaphores[static_cast<SemaphoreId>(event.target)];
      break;
    case Operand::kCondition:
      out += names.conditions[static_cast<ConditionId>(event.target)];
      break;
  }
}

}  // namespace

bool is_comment(std::string_view line) {
  return line.empty() || line[0] == '#' || line.find_first_not_of(" \t\r") == std::string_view::npos;
}

bool is_valid_name(Operand operand, std::string_view name) {
  if (name.empty()) return false;
  for (char c : name)
    if (c == '|' || (c != '\t' && static_cast<unsigned char>(c) < 0x20)) return false;
  switch (operand) {
    case Operand::kThread:
      return name[0] != '#' && !name.starts_with(kByteOrderMark);
    case Operand::kVariable:
      return !looks_like_range(name);
    case Operand::kObject:
      return !looks_like_address(name);
    default:
      return true;
  }
}

std::string usage_of(EventKind kind) {
  const EventKindInfo& row = info(kind);
  std::string usage{row.notation};
  std::string arguments{operand_word(row.operand)};
  if (row.has_order) arguments += arguments.empty() ? "ORDER" : ",ORDER";
  if (is_cas(kind)) arguments += ",ok|fail";
  if (kind == EventKind::kAlloc) arguments += ",SIZE";
  if (!arguments.empty()) usage += '(' + arguments + ')';
  return usage;
}

bool LineParser::parse(std::string_view line, Event& event, std::string& problem) {
  Parts parts;
  event = {};
  const size_t first_bar = line.find('|');
  if (first_bar == std::string_view::npos) {
    problem = fmt::format("expected THREAD|OPERATION|LOCATION, found {}", shown(line));
    return false;
  }
  parts.thread = line.substr(0, first_bar);
  std::string_view operation = line.substr(first_bar + 1);
  if (const size_t second_bar = operation.find('|'); second_bar != std::string_view::npos) {
    parts.location = operation.substr(second_bar + 1);
    operation = operation.substr(0, second_bar);
    if (parts.location.find('|') != std::string_view::npos) {
      problem = fmt::format("expected three fields THREAD|OPERATION|LOCATION, found more in {}", shown(line));
      return false;
    }
  }
  if (!parse_operation(operation, event, parts, problem)) return false;
  if (event.kind == EventKind::kNothing) {  // belongs to no thread and stands nowhere
    event = {};
    return true;
  }
  if (!parts.location.empty() && !is_valid_name(Operand::kNone, parts.location)) {
    problem = fmt::format("{} cannot be a location: it has a control character", shown(parts.location));
    return false;
  }
  if (parts.thread != last_thread_ || last_thread_.empty()) {
    if (!is_valid_name(Operand::kThread, parts.thread)) {
      problem =
          fmt::format("{} cannot be the name of a thread; expected THREAD|OPERATION|LOCATION", shown(parts.thread));
      return false;
    }
    last_thread_id_ = names_.threads.intern(parts.thread);
    last_thread_ = names_.threads[last_thread_id_];
  }
  event.thread = last_thread_id_;
  if (!event.is_range) event.target = intern_operand(info(event.kind).operand, parts.name);
  if (!parts.location.empty()) event.location = names_.locations.intern(parts.location);
  return true;
}

bool LineParser::parse_operation(std::string_view operation, Event& event, Parts& parts, std::string& problem) {
  const size_t open = std::min(operation.find('('), operation.size());
  const uint64_t packed = pack(operation.substr(0, open));
  size_t kind = 0;
  while (kind < kEventKindCount && kPackedNotations[kind] != packed) ++kind;
  if (kind == kEventKindCount || open == 0) {
    problem = fmt::format("unknown operation {}; expected one of {}", shown(operation), all_operations());
    return false;
  }
  event.kind = static_cast<EventKind>(kind);
  const EventKindInfo& row = kEventKinds[kind];
  const bool has_parentheses = open < operation.size();
  if (has_parentheses && operation.back() != ')') {
    problem = fmt::format("no closing parenthesis at the end of {}; expected {}", shown(operation), usage_of(row.kind));
    return false;
  }
  if (row.operand == Operand::kNone && !row.has_order) return true;  // `begin(T1)` is seen in the field: ignored
  if (!has_parentheses) {
    problem = fmt::format("{} needs an operand; expected {}", shown(operation), usage_of(row.kind));
    return false;
  }
  return parse_operand(operation.substr(open + 1, operation.size() - open - 2), event, parts, problem);
}

bool LineParser::parse_operand(std::string_view arguments, Event& event, Parts& parts, std::string& problem) {
  const EventKindInfo& row = info(event.kind);
  const auto malformed = [&](std::string_view what) {
    problem = fmt::format("{}; expected {}", what, usage_of(row.kind));
    return false;
  };
  if (is_cas(row.kind)) {
    const auto outcome = cut_last(arguments);
    if (outcome != "ok" && outcome != "fail") return malformed("a compare-exchange ends in ',ok' or ',fail'");
    if (outcome == "fail") event.kind = EventKind::kCasFail;
  }
  if (row.has_order) {
    const auto name = row.operand == Operand::kNone ? arguments : cut_last(arguments);
    const auto order = name ? order_of(*name) : std::nullopt;
    if (!order)
      return malformed(
          name ? fmt::format("{} is no memory order (relaxed consume acquire release acq_rel seq_cst)", shown(*name))
               : "the memory order is missing");
    event.order = *order;
    if (row.operand == Operand::kNone) return true;
  }
  if (row.kind == EventKind::kAlloc) {
    const auto size = cut_last(arguments);
    const auto value = size ? number(*size, 10) : std::nullopt;
    if (!value) return malformed(size ? fmt::format("{} is no size", shown(*size)) : "the size is missing");
    event.size = *value;
  }
  if (row.operand == Operand::kVariable && looks_like_range(arguments)) {
    const size_t colon = arguments.find(':');
    const auto address = number(arguments.substr(2, colon - 2), 16);
    const auto size = number(arguments.substr(colon + 1), 10);
    if (!address) return malformed(fmt::format("the address of {} does not fit in 64 bits", shown(arguments)));
    if (!size || (*size == 0 && !is_atomic_access(row.kind)))
      return malformed(fmt::format("{} needs a size of at least one byte after the colon", shown(arguments)));
    if (*size != 0 && *size - 1 > UINT64_MAX - *address)
      return malformed(fmt::format("{} goes beyond the end of memory", shown(arguments)));
    event.is_range = true;
    event.target = *address;
    event.size = *size;
    return true;
  }
  if (row.operand == Operand::kObject && looks_like_address(arguments)) {
    const auto address = number(arguments.substr(2), 16);
    if (!address) return malformed(fmt::format("the address {} does not fit in 64 bits", shown(arguments)));
    if (event.size != 0 && event.size - 1 > UINT64_MAX - *address)
      return malformed(
          fmt::format("a block of {} bytes at {} goes beyond the end of memory", event.size, shown(arguments)));
    event.is_range = true;
    event.target = *address;
    return true;
  }
  if (!is_valid_name(row.operand, arguments)) {
    if (arguments.empty()) return malformed("the operand is empty");
    return malformed(fmt::format("{} cannot be a name here", shown(arguments)));
  }
  parts.name = arguments;
  return true;
}

uint64_t LineParser::intern_operand(Operand operand, std::string_view name) {
  switch (operand) {
    case Operand::kNone:
      return 0;
    case Operand::kVariable:
      return index(names_.intern_variable(name));
    case Operand::kObject:
      return index(names_.objects.intern(name));
    case Operand::kLock:
      return index(names_.locks.intern(name));
    case Operand::kThread:
      return index(names_.threads.intern(name));
    case Operand::kMessage:
      return index(names_.messages.intern(name));
    case Operand::kBarrier:
      return index(names_.barriers.intern(name));
    case Operand::kSemaphore:
      return index(names_.semaphores.intern(name));
    case Operand::kCondition:
      return index(names_.conditions.intern(name));
  }
  return 0;
}

void format_event(std::string& out, const Event& event, const Names& names) {
  const EventKindInfo& row = info(event.kind);
  if (event.kind == EventKind::kNothing) {
    out += "-|nop\n";
    return;
  }
  out += names.threads[event.thread];
  out += '|';
  out += row.notation;
  if (row.operand != Operand::kNone || row.has_order) {
    out += '(';
    append_operand(out, event, names);
    if (row.has_order) {
      if (row.operand != Operand::kNone) out += ',';
      out += kMemoryOrderNames[static_cast<size_t>(event.order)];
    }
    if (is_cas(event.kind)) out += event.kind == EventKind::kCasOk ? ",ok" : ",fail";
    if (event.kind == EventKind::kAlloc) {
      out += ',';
      append_number(out, event.size);
    }
    out += ')';
  }
  if (event.location != kNoLocation) {
    out += '|';
    out += names.locations[event.location];
  }
  out += '\n';
}

std::string operand_text(const Event& event, const Names& names) {
  std::string text;
  append_operand(text, event, names);
  return text;
}

}  // namespace deadheat
