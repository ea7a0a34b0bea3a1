// The text of a report: the form that users of ThreadSanitizer and their tools know.
#include "base/text.h"
#include "live/ground/options.h"
#include "live/order/sync.h"
#include "live/process/modules.h"
#include "live/report/finding.h"
#include "live/report/log.h"
#include "live/report/report.h"

namespace deadheat::live {
namespace {

// Colours, where somebody looks: the parts of a report as they are told apart on a terminal.
enum class Colour { kWarning, kAccess, kThread, kLocation, kMutex, kPlain };
void paint(Text& text, Colour colour, const Finding& finding) {
  if (!finding.in_colour) return;
  constexpr const char* kCodes[] = {"\033[1m\033[31m", "\033[1m\033[34m", "\033[1m\033[36m",
                                    "\033[1m\033[32m", "\033[1m\033[35m", "\033[1m\033[0m"};
  text.put(kCodes[static_cast<unsigned>(colour)]);
}

const char* describe(AccessKind kind, bool previous) {
  switch (kind) {
    case AccessKind::kRead:
      return previous ? "Previous read" : "Read";
    case AccessKind::kAtomicRead:
      return previous ? "Previous atomic read" : "Atomic read";
    case AccessKind::kAtomicWrite:
      return previous ? "Previous atomic write" : "Atomic write";
    default:
      return previous ? "Previous write" : "Write";
  }
}

void add_thread(Text& text, ThreadUid uid) {
  if (uid == 0)
    text.put("main thread");
  else
    text.add("thread T%u", uid);
}

void add_locks(Text& text, NodeId set, Finding& finding) {
  if (set == 0) return;
  NodeId path[64];
  unsigned depth = 0;
  for (NodeId node = set; node != 0 && depth < 64; node = stack_nodes[node].parent) path[depth++] = node;
  text.put(" (mutexes: ");
  for (unsigned i = depth; i-- > 0;) {
    const Node& node = stack_nodes[path[i]];
    text.add("%s M%u", (node.key >> 48 & 1) != 0 ? "read" : "write", finding.number_of_lock(node.address()));
    if (i != 0) text.put(", ");
  }
  text.put(')');
}

void add_side(Text& text, const Side& side, bool previous, Finding& finding) {
  paint(text, Colour::kAccess, finding);
  if (finding.external_type != nullptr)
    text.add("  %s access of %s at %p by ",
             is_write(side.kind) ? (previous ? "Previous modifying" : "Modifying")
                                 : (previous ? "Previous read-only" : "Read-only"),
             finding.external_type, reinterpret_cast<void*>(side.address));
  else
    text.add("  %s of size %zu at %p by ", describe(side.kind, previous), side.bytes,
             reinterpret_cast<void*>(side.address));
  add_thread(text, side.thread);
  add_locks(text, side.locks, finding);
  text.put(':');
  paint(text, Colour::kPlain, finding);
  text.put('\n');
  add_stack(text, side.stack);
  text.put('\n');
}

void add_ignoring_thread(Text& text, ThreadUid uid) {
  if (uid == 0)
    text.put("ThreadSanitizer: main thread finished with ignores enabled\n");
  else
    text.add("ThreadSanitizer: thread T%u %s finished with ignores enabled, created at:\n", uid,
             thread_infos[uid].name);
}

void add_acquisition(Text& text, const FindingStack& stack, Finding& finding) {
  if (stack.head == FindingStack::kAnd) text.put("  and:\n");
  if (stack.head == FindingStack::kCreatedAt) add_ignoring_thread(text, stack.thread);
  if (stack.head == FindingStack::kIgnoredSince) text.put("  Ignore was enabled at:\n");
  if (stack.head == FindingStack::kSignal) text.add("  Signal %d handler invoked at:\n", stack.signal);
  if (stack.head == FindingStack::kAcquiredWhileHolding) {
    text.add("  Mutex M%u acquired here while holding mutex M%u in ", finding.number_of_lock(stack.lock),
             finding.number_of_lock(stack.held));
    add_thread(text, stack.thread);
    text.put(":\n");
  } else if (stack.head == FindingStack::kAcquiredBefore) {
    text.add("  Mutex M%u previously acquired by the same thread here:\n", finding.number_of_lock(stack.lock));
  }
  add_stack(text, stack.stack);
  text.put('\n');
}

void add_cycle(Text& text, Finding& finding) {
  text.put("  Cycle in lock order graph: ");
  for (unsigned i = 0; i <= finding.cycle_length; ++i) {
    const unsigned lock = i % finding.cycle_length;
    text.add("%sM%u (%p)", i == 0 ? "" : " => ", lock, reinterpret_cast<void*>(finding.locks[lock]));
  }
  text.put("\n\n");
}

void add_variable(Text& text, const Finding& finding) {
  const Location& location = finding.location;
  if (location.variable == nullptr) return;
  text.add("    Variable '%s'", location.variable);
  if (location.stack.count != 0 && location.stack.frames[0].function != nullptr)
    text.add(" of %s", location.stack.frames[0].function);
  if (location.declared.file != nullptr)
    text.add(", declared at %s:%d", location.declared.file, location.declared.line);
  const uintptr_t first = finding.both_begin - location.begin, beyond = finding.both_end - location.begin;
  if (finding.side_count != 0 && (first != 0 || beyond < location.bytes))
    text.add(" (bytes %lu to %lu of %zu)", first, beyond - 1, location.bytes);
  text.put('\n');
}

void add_location(Text& text, const Finding& finding) {
  const Location& location = finding.location;
  const uintptr_t address = finding.side_count != 0 ? finding.sides[0].address : 0;
  paint(text, Colour::kLocation, finding);
  switch (location.kind) {
    case Location::kGlobal:
      if (location.name == nullptr) {
        text.add("  Location is global '<null>' at %p (%s+0x%lx)\n\n", reinterpret_cast<void*>(address),
                 location.module, location.offset);
        break;
      }
      text.add("  Location is global '%s' of size %zu at %p (%s+0x%lx)", location.name, location.bytes,
               reinterpret_cast<void*>(location.begin), location.module, location.offset);
      if (address > location.begin) text.add(", %lu bytes into it", address - location.begin);
      text.put("\n\n");
      break;
    case Location::kHeap:
      text.add("  Location is heap block of size %zu at %p allocated by ", location.bytes,
               reinterpret_cast<void*>(location.begin));
      add_thread(text, location.thread);
      text.put(":\n");
      add_stack(text, location.stack);
      text.put('\n');
      break;
    case Location::kStack:
      text.put("  Location is stack of ");
      add_thread(text, location.thread);
      text.put(".\n");
      add_variable(text, finding);
      add_stack(text, location.stack);  // the function whose variable it is
      text.put('\n');
      break;
    case Location::kThreadLocal:
      text.put("  Location is TLS of ");
      add_thread(text, location.thread);
      text.put(".\n\n");
      break;
    case Location::kDescriptor:
      text.add("  Location is file descriptor %d %s by ", location.fd, location.fd_closed ? "destroyed" : "created");
      add_thread(text, location.thread);
      text.put(" at:\n");
      add_stack(text, location.stack);
      text.put('\n');
      break;
    case Location::kUnknown:
      break;
  }
  paint(text, Colour::kPlain, finding);
}

void add_lock_origin(Text& text, unsigned number, uintptr_t lock, Finding& finding) {
  paint(text, Colour::kMutex, finding);
  const NodeId created_at = sync_created_at(lock);
  if (created_at == 0) {
    text.add("  Mutex M%u (%p) is already destroyed.\n\n", number, reinterpret_cast<void*>(lock));
    paint(text, Colour::kPlain, finding);
    return;
  }
  text.add("  Mutex M%u (%p) created at:", number, reinterpret_cast<void*>(lock));
  paint(text, Colour::kPlain, finding);
  text.put('\n');
  fill_stack(finding.creation, created_at);
  add_stack(text, finding.creation);
  text.put('\n');
}

void add_thread_origin(Text& text, ThreadUid uid, Finding& finding) {
  if (uid == 0) return;
  const ThreadInfo& info = thread_infos[uid];
  paint(text, Colour::kThread, finding);
  text.add("  Thread T%u", uid);
  if (info.name[0] != 0) text.add(" '%s'", info.name);
  text.add(" (tid=%d, %s)", info.os_id, info.running ? "running" : "finished");
  if (info.created_at == 0) {
    paint(text, Colour::kPlain, finding);
    text.put("\n\n");
    return;
  }
  text.put(" created by ");
  add_thread(text, info.parent);
  text.put(" at:");
  paint(text, Colour::kPlain, finding);
  text.put('\n');
  fill_stack(finding.creation, info.created_at);
  add_stack(text, finding.creation);
  text.put('\n');
}

}  // namespace

void finding_text(Text& text, Finding& finding) {
  finding.in_colour = log_in_colour();
  text.put("==================\n");
  paint(text, Colour::kWarning, finding);
  text.put("WARNING: ThreadSanitizer: ");
  if (finding.kind == FindingKind::kExternalRace)
    text.add("race on %s", finding.external_type);
  else
    text.put(finding_title(finding.kind));
  text.add(" (pid=%d)\n", sys::process_id());
  paint(text, Colour::kPlain, finding);
  if (finding.cycle_length != 0) add_cycle(text, finding);
  for (unsigned i = 0; i < finding.stack_count; ++i) add_acquisition(text, finding.stacks[i], finding);
  if (finding.kind == FindingKind::kLockOrder && !options.second_deadlock_stack)
    text.put("    Hint: use TSAN_OPTIONS=second_deadlock_stack=1 to get more informative warning message\n\n");
  for (unsigned i = 0; i < finding.side_count; ++i) add_side(text, finding.sides[i], i != 0, finding);
  if (finding.slept_at != 0) {
    text.put("  As if synchronized via sleep:\n");
    add_stack(text, finding.sleep);
    text.put('\n');
  }
  add_location(text, finding);
  for (unsigned i = 0; i < finding.lock_count; ++i) add_lock_origin(text, i, finding.locks[i], finding);
  for (unsigned i = 0; i < finding.thread_count; ++i) add_thread_origin(text, finding.threads[i], finding);
  if (finding.repeated > 1) text.add("  And %u more similar thread leaks.\n\n", finding.repeated - 1);
  text.put("SUMMARY: ThreadSanitizer: ");
  if (finding.kind == FindingKind::kExternalRace)
    text.add("race on %s", finding.external_type);
  else
    text.put(finding_title(finding.kind));
  text.put(' ');
  add_place(text, finding.summary_stack());
  text.put('\n');
  if (options.dedup_token_length > 0) add_token(text, finding.summary_stack());
  text.put("==================\n");
}

}  // namespace deadheat::live
