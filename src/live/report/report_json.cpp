// A report as one JSON object on a line, for programs and later formats.
#include "live/ground/sys.h"
#include "live/report/finding.h"

namespace deadheat::live {
namespace {

// The length of the character that begins there, 0 if it is not UTF-8: names of files may have any bytes, JSON may not.
unsigned utf8_length(const char* at) {
  const auto byte = [at](unsigned i) { return static_cast<unsigned char>(at[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const unsigned length = lead >= 0xc2 && lead < 0xe0   ? 2
                          : lead >= 0xe0 && lead < 0xf0 ? 3
                          : lead >= 0xf0 && lead < 0xf5 ? 4
                                                        : 0;
  for (unsigned i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Forms that are too long, halves of pairs, and what is beyond the last character.
  if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) >= 0xa0) || (lead == 0xf0 && byte(1) < 0x90) ||
      (lead == 0xf4 && byte(1) >= 0x90))
    return 0;
  return length;
}

void json_text(Text& text, const char* value) {
  if (value == nullptr) {
    text.put("null");
    return;
  }
  text.put('"');
  while (*value != 0) {
    const unsigned length = utf8_length(value);
    if (length != 1) {
      if (length == 0) text.put("\\ufffd");
      for (unsigned i = 0; i < length; ++i) text.put(value[i]);
      value += length == 0 ? 1 : length;
      continue;
    }
    const char c = *value++;
    if (c == '"' || c == '\\') {
      text.put('\\');
      text.put(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      text.add("\\u%04x", static_cast<unsigned>(c));
    } else {
      text.put(c);
    }
  }
  text.put('"');
}

void json_stack(Text& text, const ReportStack& stack) {
  text.put('[');
  for (unsigned i = 0; i < stack.count; ++i) {
    const ReportFrame& f = stack.frames[i];
    if (i != 0) text.put(',');
    text.put("{\"function\":");
    json_text(text, f.function);
    text.put(",\"file\":");
    json_text(text, f.file);
    text.add(",\"line\":%d,\"column\":%d,\"module\":", f.line, f.column);
    json_text(text, f.module);
    text.add(",\"offset\":%lu}", f.offset);
  }
  text.put(']');
}

const char* op_name(AccessKind kind) {
  constexpr const char* kNames[kAccessKinds] = {"none", "read", "write", "atomic-read", "atomic-write", "free"};
  return kNames[static_cast<unsigned>(kind)];
}

void json_side(Text& text, const Side& side) {
  text.add("{\"op\":\"%s\",\"address\":%lu,\"size\":%zu,\"thread\":%u,\"stack\":", op_name(side.kind), side.address,
           side.bytes, side.thread);
  json_stack(text, side.stack);
  text.put(",\"locks\":[");
  bool first = true;
  for (NodeId node = side.locks; node != 0; node = stack_nodes[node].parent, first = false)
    text.add("%s{\"address\":%lu,\"mode\":\"%s\"}", first ? "" : ",", stack_nodes[node].address(),
             (stack_nodes[node].key >> 48 & 1) != 0 ? "read" : "write");
  text.put("]}");
}

}  // namespace

void finding_json(Text& text, const Finding& finding) {
  const bool race = finding.side_count == 2;
  text.add("{\"tool\":\"deadheat\",\"type\":\"%s\",\"pid\":%d", race ? "race" : finding_name(finding.kind),
           sys::process_id());
  if (race) {
    text.add(",\"address\":%lu,\"size\":%lu,\"accesses\":[", finding.both_begin, finding.both_end - finding.both_begin);
    json_side(text, finding.sides[0]);
    text.put(',');
    json_side(text, finding.sides[1]);
    text.put(']');
    if (finding.slept_at != 0) {
      text.put(",\"sleep\":");
      json_stack(text, finding.sleep);
    }
  } else {
    text.put(",\"stacks\":[");
    for (unsigned i = 0; i < finding.stack_count; ++i) {
      if (i != 0) text.put(',');
      json_stack(text, finding.stacks[i].stack);
    }
    text.put("],\"locks\":[");
    for (unsigned i = 0; i < finding.lock_count; ++i) text.add("%s%lu", i == 0 ? "" : ",", finding.locks[i]);
    text.put(']');
  }
  const Location& location = finding.location;
  constexpr const char* kKinds[] = {"unknown", "global", "heap", "stack", "tls", "descriptor"};
  text.add(",\"location\":{\"kind\":\"%s\",\"name\":", kKinds[location.kind]);
  json_text(text, location.name);
  text.add(",\"begin\":%lu,\"size\":%zu,\"thread\":%u,\"stack\":", location.begin, location.bytes, location.thread);
  json_stack(text, location.stack);
  if (location.kind == Location::kStack) {
    text.put(",\"function\":");
    json_text(text, location.stack.count != 0 ? location.stack.frames[0].function : nullptr);
    text.put(",\"variable\":");
    json_text(text, location.variable);
    text.put(",\"file\":");
    json_text(text, location.variable != nullptr ? location.declared.file : nullptr);
    text.add(",\"line\":%d", location.variable != nullptr ? location.declared.line : 0);
  }
  text.put("}}\n");
}

}  // namespace deadheat::live
