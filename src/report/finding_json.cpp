#include "report/finding_report.h"
#include "report/json_list.h"

namespace deadheat {

std::string_view op_name(AccessKind kind) {
  constexpr std::string_view kNames[kAccessKinds] = {"unknown", "read", "write", "atomic-read", "atomic-write", "free"};
  return kNames[static_cast<unsigned>(kind)];
}

std::string_view memory_name(Memory::Kind kind) {
  constexpr std::string_view kNames[] = {"unknown", "global", "heap", "stack", "tls", "descriptor", "variable"};
  return kNames[kind];
}

namespace {

void put_escaped(char c, Sink& out) {
  constexpr char kDigits[] = "0123456789abcdef";
  if (c == '"' || c == '\\')
    out.put('\\', c);
  else
    out.put("\\u00", kDigits[c >> 4 & 15], kDigits[c & 15]);
}

}  // namespace

void write_json_text(std::string_view text, Sink& out) {
  out.put('"');
  size_t plain = 0;  // what stands before was written
  const auto write_plain = [&](size_t end) { out.put(std::string_view{text.data() + plain, end - plain}); };
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    const size_t length = utf8_length({text.data() + at, text.size() - at});
    if (length != 0 && c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20) {
      at += length;
      continue;
    }
    write_plain(at);
    if (length == 0)
      out.put("\\ufffd");
    else
      put_escaped(c, out);
    plain = ++at;
  }
  write_plain(text.size());
  out.put('"');
}

void write_json_text_or_null(std::string_view text, Sink& out) {
  if (text.empty())
    out.put("null");
  else
    write_json_text(text, out);
}

void write_location_begin(const Memory& m, Sink& out) {
  out.put(R"(,"location":{"kind":")", memory_name(m.kind), R"(","name":)");
  write_json_text_or_null(m.kind == Memory::kStack ? std::string_view{} : m.name, out);
  out.put(R"(,"begin":)", m.begin, R"(,"size":)", m.bytes, R"(,"thread":)", m.thread, R"(,"stack":)");
}

void write_location_end(const Memory& m, Sink& out) {
  if (m.kind == Memory::kStack) {
    out.put(R"(,"function":)");
    write_json_text_or_null(m.stack.empty() ? std::string_view{} : m.stack[0].function, out);
    out.put(R"(,"variable":)");
    write_json_text_or_null(m.name, out);
    out.put(R"(,"file":)");
    write_json_text_or_null(m.declared.file, out);
    out.put(R"(,"line":)", m.declared.line);
  }
  out.put('}');
}

namespace {

// ---- the short form ----

void put_access(const Side& side, Sink& out) {
  out.put(R"({"thread":)");
  write_json_text(side.thread_name, out);
  out.put(R"(,"event":)", side.event, R"(,"op":")", op_name(side.kind), R"(","location":)");
  write_json_text(side.location(), out);
  out.put('}');
}

void write_short_form(const Finding& finding, Sink& out) {
  const Side& second = finding.sides[0];
  const Side* const first = finding.earlier();
  const auto word = [](const Side* side) {
    return side == nullptr ? "unknown" : is_write(side->kind) ? "write" : "read";
  };
  out.put(R"({"variable":)");
  write_json_text(finding.memory.name, out);
  out.put(R"(,"kind":")", word(first), "-", word(&second), R"(","first":)");
  if (first != nullptr)
    put_access(*first, out);
  else
    out.put("null");
  out.put(R"(,"second":)");
  put_access(second, out);
  if (!finding.later().empty()) {
    out.put(R"(,"more":)");
    put_list(finding.later(), out, [&out](const Side& side) { put_access(side, out); });
  }
  if (finding.rank != 0) out.put(R"(,"rank":)", finding.rank);
  if (finding.group != 0) out.put(R"(,"group":)", finding.group);
}

// ---- the full form ----

void put_stack(StackView stack, Sink& out) {
  put_list(stack, out, [&out](const StackFrame& f) {
    out.put(R"({"function":)");
    write_json_text_or_null(f.function, out);
    out.put(R"(,"file":)");
    write_json_text_or_null(f.file, out);
    out.put(R"(,"line":)", f.line, R"(,"column":)", f.column, R"(,"module":)");
    write_json_text_or_null(f.module, out);
    out.put(R"(,"offset":)", f.offset, "}");
  });
}

void put_side(const Side& side, Sink& out) {
  out.put(R"({"op":")", op_name(side.kind), R"(","address":)", side.address, R"(,"size":)", side.bytes, R"(,"thread":)",
          side.thread, R"(,"stack":)");
  put_stack(side.stack, out);
  out.put(R"(,"locks":[)");
  for (size_t i = side.locks.size(); i-- > 0;)  // the one that was taken last first
    out.put(R"({"address":)", side.locks[i].address, R"(,"mode":")", side.locks[i].for_reading ? "read" : "write",
            i == 0 ? "\"}" : "\"},");
  out.put("]}");
}

void write_full_form(const Finding& finding, const ReportStyle& style, Sink& out) {
  out.put(R"({"tool":"deadheat","type":")", finding.is_race() ? "race" : finding_name(finding.kind), R"(","pid":)",
          style.process);
  if (finding.is_race()) {
    out.put(R"(,"address":)", finding.both_begin, R"(,"size":)", finding.both_end - finding.both_begin,
            R"(,"accesses":)");
    put_list(finding.sides, out, [&out](const Side& side) { put_side(side, out); });
    if (!finding.sleep.empty()) {
      out.put(R"(,"sleep":)");
      put_stack(finding.sleep, out);
    }
  } else {
    out.put(R"(,"stacks":)");
    put_list(finding.stacks, out, [&out](const FindingStack& shown) { put_stack(shown.stack, out); });
    out.put(R"(,"locks":)");
    put_list(finding.locks, out, [&out](const FindingLock& lock) { out.put(lock.address); });
  }
  write_location_begin(finding.memory, out);
  put_stack(finding.memory.stack, out);
  write_location_end(finding.memory, out);
}

}  // namespace

void write_finding_json(const Finding& finding, const ReportStyle& style, Sink& out) {
  if (is_told_in_full(finding))
    write_full_form(finding, style, out);
  else
    write_short_form(finding, out);
  if (finding.races > 1) out.put(R"(,"races":)", finding.races, R"(,"variables":)", finding.variables);
  out.put('}');
}

}  // namespace deadheat
