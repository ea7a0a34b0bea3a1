#include "live/report/stack_frame.h"

#include "live/modules/loaded.h"
#include "live/modules/symbols.h"
#include "live/report/draft.h"
#include "live/report/report_session.h"
#include "live/report/report_stack.h"

namespace deadheat::live {
namespace {

// Where a value lies in a part of a stack.
struct Copies {
  uintptr_t lowest = 0;
  unsigned count = 0;
};

// In [begin, end); false if some of it cannot be read.
bool find_copies(uintptr_t value, uintptr_t begin, uintptr_t end, Copies& copies) {
  constexpr size_t kWords = 1024;
  uintptr_t words[kWords];
  while (begin < end) {
    const size_t count = (end - begin) / sizeof(uintptr_t) < kWords ? (end - begin) / sizeof(uintptr_t) : kWords;
    if (count == 0) break;
    if (!copy_if_readable(words, begin, count * sizeof(uintptr_t))) return false;
    for (size_t i = 0; i < count; ++i) {
      if (words[i] != value) continue;
      if (copies.count++ == 0) copies.lowest = begin + i * sizeof(uintptr_t);
    }
    begin += count * sizeof(uintptr_t);
  }
  return true;
}

// Whether the instruction before is a call: E8 and a distance, or FF /2 and its operand.
bool is_return_address(uintptr_t pc) {
  constexpr unsigned kLongest = 7;
  uint8_t before[kLongest];
  if (pc < kLongest || !copy_if_readable(before, pc - kLongest, kLongest)) return false;
  if (before[kLongest - 5] == 0xe8) return true;
  for (unsigned length = 2; length <= kLongest; ++length)
    if (before[kLongest - length] == 0xff && (before[kLongest - length + 1] >> 3 & 7) == 2) return true;
  return false;
}

bool is_on_path(OriginId origin, NodeId path) {
  for (NodeId node = unpack(origin).access; node != kNoNode; node = node_at(node).parent)
    if (node == path) return true;
  return false;
}

// Accesses of the thread itself were made while the function was running.
bool was_running(const Draft& draft, const EnteredFunction& function) {
  for (unsigned i = 0; i < draft.finding.sides.size(); ++i)
    if (draft.finding.sides[i].thread == number_of(function.thread) && !is_on_path(draft.origin(i), function.path))
      return false;
  return true;
}

bool is_still_there(uintptr_t address, const EnteredFunction& function) {
  EnteredFunction now[2];
  const unsigned count = functions_around(address, now);
  for (unsigned i = 0; i < count; ++i)
    if (now[i].thread == function.thread && now[i].below == function.below &&
        now[i].return_address == function.return_address)
      return true;
  return false;
}

struct FunctionFrame {
  uintptr_t place;          // in the function: after the call that it makes
  uintptr_t end;            // its canonical frame address; 0 if that is not certain
  uintptr_t lowest_return;  // the lowest copy of its return address
};

bool measure(const EnteredFunction& function, FunctionFrame& frame) {
  constexpr size_t kWord = sizeof(uintptr_t);
  if (!copy_if_readable(&frame.place, function.below, kWord)) return false;
  if (!instrumented_at(frame.place) || !is_return_address(frame.place)) return false;
  Copies copies;
  if (!find_copies(function.return_address, function.below + kWord, function.outer_below, copies)) return false;
  // The caller is the next function out if its innermost call is the one that returns to where this function returns.
  uintptr_t called_from = 0;
  const bool direct =
      copy_if_readable(&called_from, function.outer_below, kWord) && called_from == function.return_address;
  if (direct && copies.count++ == 0) copies.lowest = function.outer_below;
  // Otherwise it must be the only one: memory of the function that it has not written yet may have old ones.
  frame.lowest_return = copies.lowest;
  frame.end = direct ? function.outer_below + kWord : copies.count == 1 ? copies.lowest + kWord : 0;
  return copies.count != 0;
}

// What is known of the bytes as a part of one function's frame.
struct Found {
  StackAnswer answer = StackAnswer::kOtherFrame;
  uintptr_t place = 0;
  bool inside = false;  // the frame, not only reached from it
  StackVariable variable = {};
};

Found look_in(const EnteredFunction& function, const Draft& draft, uintptr_t address, size_t bytes) {
  Found found;
  FunctionFrame frame;
  Module module;
  if (!was_running(draft, function) || !measure(function, frame) || !is_still_there(address, function) ||
      !module_of(frame.place - 1, module))
    return found;
  found.place = frame.place;
  found.inside = address < (frame.end != 0 ? frame.end : frame.lowest_return);
  found.answer = symbolize_stack(module, frame.place - 1 - module.bias,
                                 {address, bytes, function.below + sizeof(uintptr_t), frame.end, frame.lowest_return},
                                 found.variable);
  return found;
}

}  // namespace

void find_on_stack(Draft& draft, uintptr_t address, size_t bytes) {
  EnteredFunction functions[2];
  const unsigned count = functions_around(address, functions);
  if (count == 0) return;
  Found found = look_in(functions[0], draft, address, bytes);
  if (found.answer != StackAnswer::kVariable && count == 2)
    if (const Found called = look_in(functions[1], draft, address, bytes); called.answer == StackAnswer::kVariable)
      found = called;
  const bool known = found.answer == StackAnswer::kVariable;
  if (found.answer == StackAnswer::kOtherFrame || (!known && !found.inside)) return;
  // Of the functions at the place, inlined ones first, those from the variable's own outwards.
  Memory& memory = draft.finding.memory;
  StackDraft place;
  place.add_code_place(found.place);
  const StackVariable& variable = found.variable;
  const unsigned own = known ? variable.inlined : place.count() - 1;
  memory.stack = place.keep(own < place.count() ? own : 0);
  if (!known) return;
  memory.name = variable.name;
  memory.declared = {.file = without_prefix(variable.declared.file), .line = variable.declared.line};
  memory.begin = variable.begin;
  memory.bytes = variable.bytes;
}

}  // namespace deadheat::live
