#include "live/report/report_stack.h"

#include "base/text.h"
#include "live/ground/options.h"
#include "live/paths/called.h"
#include "live/process/elf_tables.h"
#include "live/process/modules.h"

namespace deadheat::live {

const char* without_prefix(const char* file) {
  const std::string_view prefix = options.strip_path_prefix.view();
  if (file == nullptr || prefix.empty()) return file;
  const std::string_view whole = file;
  for (size_t at = 0; at + prefix.size() <= whole.size(); ++at)
    if (starts_with(slice(whole, at, whole.size()), prefix)) return file + at + prefix.size();
  return file;
}

namespace {

void add(ReportStack& stack, const ReportFrame& frame) {
  if (stack.count < ReportStack::kFrames) stack.frames[stack.count++] = frame;
}

// An interceptor's own frame, if the address is in one: its name is that of an exported function.
void add_own(ReportStack& stack, uintptr_t pc, const Module& module) {
  const char* name = elf_function_at(elf_tables(module.bias, module.dynamic), pc - 1 - module.bias);
  if (name == nullptr) return;
  if (starts_with(name, "__pthread_mutex_") || starts_with(name, "__interceptor_")) name += name[2] == 'p' ? 2 : 14;
  add(stack, {name, nullptr, module.path, 0, 0, pc - module.bias, false, true, pc});
}

bool is_main(const ReportStack& stack) {
  if (stack.count == 0) return false;
  const char* outermost = stack.frames[stack.count - 1].function;
  return outermost != nullptr && same_text(outermost, "main");
}

}  // namespace

void add_code_place(ReportStack& stack, uintptr_t pc) {
  Module module;
  if (pc == 0 || !module_of(pc - 1, module)) return add(stack, {nullptr, nullptr, nullptr, 0, 0, pc, false, false, pc});
  if (module.ours) return add_own(stack, pc, module);
  const uintptr_t offset = pc - module.bias;
  SourceFrame places[16];
  unsigned count = symbolize_code(module, offset - 1, places, 16);
  if (count == 0) places[count++] = {};
  for (unsigned i = 0; i < count; ++i)
    add(stack, {places[i].function, without_prefix(places[i].file), module.path, places[i].line, places[i].column,
                offset, i + 1 < count, false, pc});
}

void fill_stack(ReportStack& stack, NodeId origin) {
  stack.count = 0;
  for (NodeId node = unpack(origin).access; node != 0; node = stack_nodes[node].parent) {
    const uintptr_t pc = stack_nodes[node].address();
    if (const char* name = called_in(stack_nodes[node].key))
      add(stack, {name, nullptr, nullptr, 0, 0, 0, false, true, pc});
    add_code_place(stack, pc);
    if (is_main(stack)) return;  // what called main is the C library's business
  }
}

void add_frame(Text& text, const ReportFrame& f, unsigned number, const char* format) {
  for (; *format != 0; ++format) {
    if (*format != '%') {
      text.put(*format);
      continue;
    }
    switch (*++format) {
      case 0:
        return;
      case '%':
        text.put('%');
        break;
      case 'n':
        text.add("%u", number);
        break;
      case 'p':
        text.add("%p", reinterpret_cast<void*>(f.pc));
        break;
      case 'm':
        text.put(f.module != nullptr ? f.module : "<null>");
        break;
      case 'o':
        text.add("0x%lx", f.offset);
        break;
      case 'f':
        text.put(f.function != nullptr ? f.function : "<null>");
        break;
      case 'q':
        text.put("0x0");
        break;
      case 's':
        text.put(f.file != nullptr ? f.file : "<null>");
        break;
      case 'l':
        text.add("%d", f.line);
        break;
      case 'c':
        text.add("%d", f.column);
        break;
      case 'F':
        if (f.function != nullptr) text.add("in %s", f.function);
        break;
      case 'S':
      case 'L':
        if (f.file != nullptr) {
          text.add("%s:%d", f.file, f.line);
          if (f.column != 0) text.add(":%d", f.column);
        } else if (*format == 'L' && f.module != nullptr) {
          text.add("(%s+0x%lx)", f.module, f.offset);
        } else {
          text.put("<null>");
        }
        break;
      case 'M':
        if (f.module != nullptr)
          text.add("(%s+0x%lx)", base_name(f.module), f.offset);
        else
          text.add("(0x%lx)", f.pc);
        break;
      default:
        text.put('%');
        text.put(*format);
    }
  }
}

void add_stack(Text& text, const ReportStack& stack) {
  const char* format =
      same_text(options.stack_trace_format.view(), "DEFAULT") ? "    #%n %f %S %M" : options.stack_trace_format.c_str();
  for (unsigned i = 0; i < stack.count; ++i) {
    add_frame(text, stack.frames[i], i, format);
    text.put('\n');
  }
}

void add_place(Text& text, const ReportStack& stack) {
  const ReportFrame* frame = nullptr;
  for (unsigned i = 0; i < stack.count && (frame == nullptr || frame->ours); ++i) frame = &stack.frames[i];
  if (frame == nullptr) {
    text.put("<unknown>");
    return;
  }
  if (frame->file != nullptr)
    text.add("%s:%d", frame->file, frame->line);
  else
    text.add("(%s+0x%lx)", frame->module != nullptr ? frame->module : "?", frame->offset);
  text.add(" in %s", frame->function != nullptr ? frame->function : "<null>");
}

void add_token(Text& text, const ReportStack& stack) {
  text.put("DEDUP_TOKEN: ");
  for (unsigned i = 0; i < stack.count && i < static_cast<unsigned>(options.dedup_token_length); ++i)
    text.add("%s%s", i == 0 ? "" : "--", stack.frames[i].function != nullptr ? stack.frames[i].function : "<null>");
  text.put('\n');
}

}  // namespace deadheat::live
