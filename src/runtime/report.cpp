#include "runtime/report.h"

#include <new>

#include "base/text.h"
#include "race/suppressions.h"
#include "runtime/blocks.h"
#include "runtime/lifecycle.h"
#include "runtime/message.h"
#include "runtime/modules.h"
#include "runtime/report_stack.h"
#include "runtime/sync.h"

extern "C" __attribute__((weak, visibility("default"))) void __tsan_on_report(void* report);

namespace deadheat::live {
namespace {

constinit SpinLock report_lock;
std::atomic<uint64_t> printed{0};
char text_buffer[size_t{256} << 10];
int log_file = 2;
int record_file = -1;

alignas(Arena) char arena_memory[sizeof(Arena)];
alignas(Suppressions) char suppressions_memory[sizeof(Suppressions)];
Suppressions* suppressions;

// Keys of what was reported: open addressing, never emptied; when full everything new is reported.
constexpr uint32_t kKeys = 1u << 14;
uint64_t keys[kKeys];
uint32_t key_count;

bool first_time(uint64_t key) {
  if (key == 0) key = 1;
  if (key_count > kKeys * 3 / 4) return true;
  for (uint32_t i = static_cast<uint32_t>((key * 0x9e3779b97f4a7c15u) >> 50);; i = (i + 1) & (kKeys - 1)) {
    if (keys[i] == key) return false;
    if (keys[i] != 0) continue;
    keys[i] = key;
    ++key_count;
    return true;
  }
}
// A place in the source: unrolled and inlined copies of one line are one bug.
uint64_t place_key(const ReportStack& stack, AccessKind kind) {
  uint64_t hash = static_cast<uint64_t>(is_write(kind)) + 17;
  if (stack.count == 0) return hash;
  const ReportFrame& f = stack.frames[0];
  const auto mix = [&hash](const char* text) {
    for (; text != nullptr && *text != 0; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3u;
  };
  mix(f.function);
  mix(f.file);
  hash = (hash ^ static_cast<uint64_t>(f.line)) * 0x9e3779b97f4a7c15u;
  return f.file == nullptr ? hash ^ f.offset : hash;
}
uint64_t pair_key(uint64_t a, uint64_t b) {
  const uint64_t low = a < b ? a : b, high = a < b ? b : a;
  return (low * 0xff51afd7ed558ccdu ^ high) * 0xc4ceb9fe1a85ec53u;
}

// One side of the race.
struct Side {
  uintptr_t address = 0;
  size_t bytes = 0;
  AccessKind kind{};
  ThreadUid thread = 0;
  NodeId origin = 0;
  NodeId locks = 0;
  uint64_t top = 0;  // pc of the access
  ReportStack stack;
};

void resolve(Side& side) {
  NodeId node = side.origin;
  if (stack_nodes[node].kind() == NodeKind::kUnder) {
    side.locks = static_cast<NodeId>(stack_nodes[node].address());
    node = stack_nodes[node].parent;
  }
  side.top = stack_nodes[node].address();
  if (stack_nodes[node].kind() == NodeKind::kAccess) {
    side.kind = static_cast<AccessKind>(stack_nodes[node].key >> 52 & 7);
    const unsigned size_code = stack_nodes[node].key >> 48 & 15;
    if (side.bytes == 0 && size_code < 5) side.bytes = size_t{1} << size_code;
  }
}

const char* describe(const Side& side, bool previous) {
  switch (side.kind) {
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

// Locks named in the report, in order of appearance.
struct Locks {
  uintptr_t address[32];
  unsigned count = 0;
  unsigned number_of(uintptr_t lock) {
    for (unsigned i = 0; i < count; ++i)
      if (address[i] == lock) return i;
    if (count == 32) return 31;
    address[count] = lock;
    return count++;
  }
};

void add_locks(Text& text, NodeId set, Locks& locks) {
  if (set == 0) return;
  NodeId path[64];
  unsigned depth = 0;
  for (NodeId node = set; node != 0 && depth < 64; node = stack_nodes[node].parent) path[depth++] = node;
  text.put(" (mutexes: ");
  for (unsigned i = depth; i-- > 0;) {
    const Node& node = stack_nodes[path[i]];
    text.add("%s M%u", (node.key >> 48 & 1) != 0 ? "read" : "write", locks.number_of(node.address()));
    if (i != 0) text.put(", ");
  }
  text.put(')');
}

void add_side(Text& text, const Side& side, bool previous, Locks& locks) {
  text.add("  %s of size %zu at %p by ", describe(side, previous), side.bytes, reinterpret_cast<void*>(side.address));
  add_thread(text, side.thread);
  add_locks(text, side.locks, locks);
  text.put(":\n");
  add_stack(text, side.stack);
  text.put('\n');
}

struct Location {
  enum Kind { kUnknown, kGlobal, kHeap, kStack, kThreadLocal } kind = kUnknown;
  const char* name = nullptr;
  uintptr_t begin = 0;
  size_t bytes = 0;
  ThreadUid thread = 0;
  char module[512] = {};
  uintptr_t offset = 0;
  ReportStack stack;
};

void find_location(Location& location, uintptr_t address) {
  Module module;
  if (module_of(address, module)) {
    location.kind = Location::kGlobal;
    location.offset = address - module.bias;
    Text path(location.module, sizeof location.module);
    path.put(base_name(module.path));
    uintptr_t start = 0;
    if (symbolize_data(module, location.offset, location.name, start, location.bytes))
      location.begin = start + module.bias;
    return;
  }
  Block block;
  bool thread_local_data = false;
  if (thread_of_memory(address, location.thread, thread_local_data)) {
    location.kind = thread_local_data ? Location::kThreadLocal : Location::kStack;
  } else if (block_of(address, block)) {
    location.kind = Location::kHeap;
    location.begin = block.begin;
    location.bytes = block.bytes;
    location.thread = block.thread;
    fill_stack(location.stack, block.allocated_at);
  }
}

void add_location(Text& text, const Location& location, uintptr_t address) {
  switch (location.kind) {
    case Location::kGlobal:
      if (location.name == nullptr)
        text.add("  Location is global '<null>' at %p (%s+0x%lx)\n\n", reinterpret_cast<void*>(address),
                 location.module, location.offset);
      else
        text.add("  Location is global '%s' of size %zu at %p (%s+0x%lx)\n\n", location.name, location.bytes,
                 reinterpret_cast<void*>(location.begin), location.module, location.offset);
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
      text.put(".\n\n");
      break;
    case Location::kThreadLocal:
      text.put("  Location is TLS of ");
      add_thread(text, location.thread);
      text.put(".\n\n");
      break;
    case Location::kUnknown:
      break;
  }
}

void add_thread_origin(Text& text, ThreadUid uid, ReportStack& stack) {
  if (uid == 0) return;
  const ThreadInfo& info = thread_infos[uid];
  text.add("  Thread T%u", uid);
  if (info.name[0] != 0) text.add(" '%s'", info.name);
  text.add(" (tid=%d, %s)", info.os_id, info.running ? "running" : "finished");
  if (info.created_at != 0) {
    text.put(" created by ");
    add_thread(text, info.parent);
    text.put(" at:\n");
    fill_stack(stack, info.created_at);
    add_stack(text, stack);
  }
  text.put('\n');
}

bool is_suppressed(Side (&sides)[2], const Location& location) {
  if (suppressions == nullptr || suppressions->rules().empty()) return false;
  static SuppressionFrame frames[3][ReportStack::kFrames];
  SuppressionStack stacks[3];
  const ReportStack* all[3] = {&sides[0].stack, &sides[1].stack, &location.stack};
  for (unsigned s = 0; s < 3; ++s) {
    for (unsigned i = 0; i < all[s]->count; ++i) {
      const ReportFrame& f = all[s]->frames[i];
      frames[s][i] = {f.function != nullptr ? f.function : std::string_view{},
                      f.file != nullptr ? f.file : std::string_view{},
                      f.module != nullptr ? f.module : std::string_view{}, f.offset};
    }
    stacks[s] = {frames[s], all[s]->count};
  }
  return suppressions->match_race({stacks, 2}, {stacks + 2, location.stack.count != 0 ? size_t{1} : 0},
                                  location.name != nullptr ? location.name : std::string_view{}) != nullptr;
}

void json_text(Text& text, const char* value) {
  if (value == nullptr) {
    text.put("null");
    return;
  }
  text.put('"');
  for (; *value != 0; ++value) {
    const char c = *value;
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
  constexpr const char* kNames[] = {"read", "write", "atomic-read", "atomic-write", "free"};
  return kNames[static_cast<unsigned>(kind)];
}

void write_record(Side (&sides)[2], const Location& location) {
  if (record_file < 0) return;
  Text text(text_buffer, sizeof text_buffer);
  text.add("{\"tool\":\"deadheat\",\"type\":\"race\",\"pid\":%d,\"address\":%lu,\"accesses\":[", sys::process_id(),
           sides[0].address);
  for (unsigned i = 0; i < 2; ++i) {
    const Side& side = sides[i];
    if (i != 0) text.put(',');
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
  constexpr const char* kKinds[] = {"unknown", "global", "heap", "stack", "tls"};
  text.add("],\"location\":{\"kind\":\"%s\",\"name\":", kKinds[location.kind]);
  json_text(text, location.name);
  text.add(",\"begin\":%lu,\"size\":%zu,\"thread\":%u,\"stack\":", location.begin, location.bytes, location.thread);
  json_stack(text, location.stack);
  text.put("}}\n");
  sys::write(record_file, text.data(), text.size());
}

constinit Side sides[2];
constinit Location location;
constinit ReportStack creation;

void print() {
  Locks locks;
  Text text(text_buffer, sizeof text_buffer);
  text.put("==================\n");
  const char* what = sides[0].kind == AccessKind::kFree || sides[1].kind == AccessKind::kFree
                         ? "heap-use-after-free (race with free)"
                         : "data race";
  text.add("WARNING: ThreadSanitizer: %s (pid=%d)\n", what, sys::process_id());
  add_side(text, sides[0], false, locks);
  add_side(text, sides[1], true, locks);
  add_location(text, location, sides[0].address);
  for (unsigned i = 0; i < locks.count; ++i) {
    text.add("  Mutex M%u (%p) created at:\n", i, reinterpret_cast<void*>(locks.address[i]));
    fill_stack(creation, sync_created_at(locks.address[i]));
    add_stack(text, creation);
    text.put('\n');
  }
  add_thread_origin(text, sides[0].thread, creation);
  if (sides[1].thread != sides[0].thread) add_thread_origin(text, sides[1].thread, creation);
  if (location.kind == Location::kHeap && location.thread != sides[0].thread && location.thread != sides[1].thread)
    add_thread_origin(text, location.thread, creation);
  text.add("SUMMARY: ThreadSanitizer: %s ", what);
  add_place(text, sides[0].stack);
  text.put("\n==================\n");
  write_log(text.data(), text.size());
  printed.fetch_add(1, std::memory_order_relaxed);
  write_record(sides, location);
}

}  // namespace

void report_race(Thread& t, uintptr_t address, size_t bytes, AccessKind kind, uintptr_t pc, const RaceFound& race) {
  if (!options.report_bugs) return;
  if (!options.report_atomic_races && (is_atomic(kind) || is_atomic(race.kind))) return;
  ++tls.busy;
  {
    SpinGuard guard(report_lock);
    const uint32_t size_code = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : bytes == 16 ? 4 : 5;
    sides[0] =
        Side{address, bytes, kind, t.uid, origin_of(t, pc, size_code | static_cast<uint32_t>(kind) << 4), 0, 0, {}};
    const unsigned first_byte = race.bytes == 0 ? 0 : static_cast<unsigned>(__builtin_ctz(race.bytes));
    sides[1] = Side{race.word + first_byte, 0, race.kind, owner_of(race.epoch), race.origin, 0, 0, {}};
    resolve(sides[0]);
    resolve(sides[1]);
    if (sides[1].bytes == 0)
      sides[1].bytes = race.bytes == 15 ? 4 : static_cast<size_t>(__builtin_popcount(race.bytes));
    if (sides[1].bytes > 4) sides[1].address &= ~(sides[1].bytes - 1);
    const bool again = (options.suppress_equal_stacks && !first_time(pair_key(sides[0].top, sides[1].top))) ||
                       (options.suppress_equal_addresses && (!first_time(pair_key(sides[0].top, ~address)) |
                                                             !first_time(pair_key(sides[1].top, ~address))));
    if (!again) {
      symbols_clear();
      location = {};
      fill_stack(sides[0].stack, sides[0].origin);
      fill_stack(sides[1].stack, sides[1].origin);
      find_location(location, race.word + first_byte);
      const bool same_lines =
          options.suppress_equal_stacks &&
          !first_time(pair_key(place_key(sides[0].stack, sides[0].kind), place_key(sides[1].stack, sides[1].kind)));
      if (!same_lines && !is_suppressed(sides, location)) {
        print();
        if (__tsan_on_report != nullptr) __tsan_on_report(nullptr);
        if (options.halt_on_error) {
          if (options.abort_on_error) sys::call(SYS_kill, sys::process_id(), 6);
          sys::exit(options.exitcode);
        }
      }
    }
  }
  --tls.busy;
}

void write_log(const char* data, size_t bytes) {
  while (bytes > 0) {
    const long n = sys::write(log_file, data, bytes);
    if (n == -4 /* EINTR */) continue;
    if (n <= 0) return;
    data += n;
    bytes -= static_cast<size_t>(n);
  }
}

uint64_t reports_printed() { return printed.load(std::memory_order_relaxed); }

namespace {

void open_log() {
  const std::string_view path = options.log_path.view();
  if (same_text(path, "stderr")) return;
  if (same_text(path, "stdout")) {
    log_file = 1;
    return;
  }
  char name[4200];
  Text text(name, sizeof name);
  text.put(options.log_path.c_str());
  if (options.log_exe_name) text.add(".%s", program_name());
  text.add(".%d", sys::process_id());
  const long file = sys::open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (sys::failed(file))
    say("cannot write %s (error %ld): reports go to standard error", name, -file);
  else
    log_file = static_cast<int>(file);
}

void bad_suppression(void*, uint32_t line, std::string_view text, const char* problem) {
  say("suppressions, line %u: %s: %.*s", line, problem, static_cast<int>(text.size()), text.data());
}

void read_suppressions() {
  if (options.suppressions.empty()) return;
  const long file = sys::open(options.suppressions.c_str(), O_RDONLY | O_CLOEXEC);
  if (sys::failed(file)) {
    say("cannot read the suppressions %s (error %ld)", options.suppressions.c_str(), -file);
    return;
  }
  constexpr size_t kMost = size_t{1} << 20;
  char* buffer = static_cast<char*>(sys::reserve(kMost));
  size_t size = 0;
  for (long n; size < kMost && (n = sys::read(static_cast<int>(file), buffer + size, kMost - size)) > 0;)
    size += static_cast<size_t>(n);
  sys::close(static_cast<int>(file));
  suppressions->parse({buffer, size}, bad_suppression, nullptr);
  sys::unmap(buffer, kMost);
}

}  // namespace

extern "C" __attribute__((weak, visibility("default"))) const char* __tsan_default_suppressions();

void reports_start() {
  open_log();
  suppressions = new (suppressions_memory) Suppressions(*new (arena_memory) Arena);
  if (__tsan_default_suppressions != nullptr)
    if (const char* text = __tsan_default_suppressions()) suppressions->parse(text, bad_suppression, nullptr);
  read_suppressions();
  if (!options.record_path.empty()) {
    const long file = sys::open(options.record_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (sys::failed(file))
      say("cannot write %s (error %ld)", options.record_path.c_str(), -file);
    else
      record_file = static_cast<int>(file);
  }
}

void reports_finish() {
  char buffer[512];
  if (options.print_suppressions && suppressions != nullptr) {
    uint64_t hits = 0;
    for (const Suppression& rule : suppressions->rules()) hits += rule.hits;
    if (hits != 0) {
      Text text(buffer, sizeof buffer);
      text.add("ThreadSanitizer: Matched %lu suppressions (pid=%d):\n", hits, sys::process_id());
      write_log(text.data(), text.size());
      for (const Suppression& rule : suppressions->rules()) {
        if (rule.hits == 0) continue;
        text.clear();
        text.add("%lu %.*s\n", rule.hits, static_cast<int>(rule.written.size()), rule.written.data());
        write_log(text.data(), text.size());
      }
    }
  }
  if (options.print_unused_suppressions && suppressions != nullptr) {
    for (const Suppression& rule : suppressions->rules()) {
      if (rule.hits != 0) continue;
      Text text(buffer, sizeof buffer);
      text.add("deadheat: suppression not used: %.*s\n", static_cast<int>(rule.written.size()), rule.written.data());
      write_log(text.data(), text.size());
    }
  }
  if (reports_printed() == 0) return;
  Text text(buffer, sizeof buffer);
  text.add("ThreadSanitizer: reported %lu warnings\n", reports_printed());
  write_log(text.data(), text.size());
}

void reports_after_fork() { symbols_after_fork(); }
void reports_lock_for_fork() { report_lock.lock(); }
void reports_unlock_after_fork() { report_lock.unlock(); }

}  // namespace deadheat::live
