#include "live/modules/symbols.h"

#include <errno.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include "base/text.h"
#include "live/ground/inside.h"
#include "live/ground/message.h"
#include "live/ground/options.h"
#include "live/ground/own_file.h"
#include "live/ground/sleep_lock.h"
#include "live/ground/sys.h"

namespace deadheat::live {
namespace {

void copy_text(char* to, size_t capacity, const char* from) {
  size_t i = 0;
  for (; from[i] != 0 && i + 1 < capacity; ++i) to[i] = from[i];
  to[i] = 0;
}

// All that follows is guarded by the lock.
constinit SleepLock asking;

// ---- the helper process ----

constinit OwnFile helper;
long helper_process;
// A program with more of them than this has a reason for it that will not go away.
constexpr unsigned kMostFailures = 4;
unsigned failures;

bool exists(const char* path) {
  return !sys::failed(sys::call(SYS_faccessat, AT_FDCWD, reinterpret_cast<long>(path), 1 /* X_OK */));
}

bool find_helper(char* path, size_t capacity) {
  if (!options.external_symbolizer_path.empty()) {
    copy_text(path, capacity, options.external_symbolizer_path.c_str());
    return exists(path);
  }
  Module self;
  if (!module_of(reinterpret_cast<uintptr_t>(&find_helper), self)) return false;
  char folder[4096] = {};
  // The file itself, not a link such as libtsan.so.2 somewhere else.
  const long file = sys::open(self.path, O_PATH | O_CLOEXEC);
  if (!sys::failed(file)) {
    char link[64];
    Text text(link, sizeof link);
    text.add("/proc/self/fd/%ld", file);
    sys::call(SYS_readlinkat, AT_FDCWD, reinterpret_cast<long>(link), reinterpret_cast<long>(folder),
              sizeof folder - 1);
    sys::close(static_cast<int>(file));
  }
  if (folder[0] == 0) copy_text(folder, sizeof folder, self.path);
  size_t end = 0;
  for (size_t i = 0; folder[i] != 0; ++i)
    if (folder[i] == '/') end = i;
  folder[end] = 0;
  // Beside lib/libdeadheat.so, or lib/deadheat/libtsan.so.2, or the same in a multiarch folder.
  for (const char* place : {"/../bin/", "/../../bin/", "/../../../bin/", "/"}) {
    Text text(path, capacity);
    text.add("%s%sdeadheat-symbolizer", folder, place);
    if (exists(path)) return true;
  }
  return false;
}

// A child that no wait() of the program sees (no exit signal), without copying our page tables (vfork).
__attribute__((noinline)) long spawn(const char* path, int socket) {
  const char* arguments[] = {path, nullptr};
  const char* environment[] = {nullptr};
  const long child = sys::call(SYS_clone, CLONE_VM | CLONE_VFORK, 0, 0, 0, 0);
  if (child != 0) return child;
  sys::call(SYS_dup3, socket, 0, 0);
  sys::call(SYS_dup3, socket, 1, 0);
  // What the program has open must not stay open in the helper. The call is as old as Linux 5.9.
  if (sys::failed(sys::call(SYS_close_range, 3, ~0u, 0)))
    for (int file = 3; file < 1024; ++file) sys::close(file);
  sys::call(SYS_execve, reinterpret_cast<long>(path), reinterpret_cast<long>(arguments),
            reinterpret_cast<long>(environment));
  sys::exit(127);
}

bool start_helper() {
  if (helper.fd() >= 0) return true;
  if (failures >= kMostFailures || !options.symbolize) return false;
  ++failures;
  static char path[4200];
  if (!find_helper(path, sizeof path)) {
    failures = kMostFailures;
    say("no deadheat-symbolizer found (option external_symbolizer_path): places are shown as module and offset");
    return false;
  }
  int sockets[2] = {-1, -1};
  if (sys::failed(sys::call(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, reinterpret_cast<long>(sockets))))
    return false;
  // No handler of the program may run in the child, which shares our memory until it is another program.
  uint64_t all = ~uint64_t{0}, before = 0;
  sys::call(SYS_rt_sigprocmask, SIG_BLOCK, reinterpret_cast<long>(&all), reinterpret_cast<long>(&before), 8);
  sockets[1] = out_of_the_way(sockets[1]);
  const long child = spawn(path, sockets[1]);
  sys::call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&before), 0, 8);
  sys::close(sockets[1]);
  if (sys::failed(child)) {
    sys::close(sockets[0]);
    return false;
  }
  helper.take(sockets[0]);
  helper_process = child;
  --failures;
  return true;
}

// What it would still say is not heard any more.
void stop_helper() {
  helper.leave();
  ++failures;
}

// What was received and not yet read.
char* received;
size_t received_capacity, received_end, received_at;

bool make_room() {
  if (received_at != 0) {
    for (size_t i = received_at; i < received_end; ++i) received[i - received_at] = received[i];
    received_end -= received_at;
    received_at = 0;
  }
  if (received_end < received_capacity) return true;
  const size_t capacity = received == nullptr ? size_t{64} << 10 : 2 * received_capacity;
  const long moved = received == nullptr
                         ? reinterpret_cast<long>(sys::reserve(capacity))
                         : sys::call(SYS_mremap, reinterpret_cast<long>(received), static_cast<long>(received_capacity),
                                     static_cast<long>(capacity), MREMAP_MAYMOVE);
  if (moved == 0 || sys::failed(moved)) return false;
  received = reinterpret_cast<char*>(moved);
  received_capacity = capacity;
  return true;
}

// Nanoseconds of processor time that the helper has used.
uint64_t time_of_helper() {
  const struct {
    int64_t seconds, nanoseconds;
  } time{};
  constexpr long kAllOfIt = 2;  // of a process's clocks, the one that counts whatever it does
  sys::call(SYS_clock_gettime, (~helper_process << 3) | kAllOfIt, reinterpret_cast<long>(&time));
  return static_cast<uint64_t>(time.seconds) * 1'000'000'000 + static_cast<uint64_t>(time.nanoseconds);
}

// Waits for an answer as long as the helper works at it: the first question about a large program reads its debug
// information, and on a busy machine that takes as long as the others let it.
bool answer_comes(int from) {
  constexpr int kPatience = 20'000, kMostRounds = 30;  // ms in which it does nothing; against a helper that never ends
  uint64_t worked = time_of_helper();
  for (int round = 0; round < kMostRounds;) {
    pollfd waiting = {from, POLLIN, 0};
    const long ready = sys::call(SYS_poll, reinterpret_cast<long>(&waiting), 1, kPatience);
    if (ready > 0) return true;
    if (ready == -EINTR) continue;
    const uint64_t now = time_of_helper();
    if (ready < 0 || now == worked) return false;
    worked = now;
    ++round;
  }
  return false;
}

// One line of the answer, without its end, valid until the next; null if the helper does not answer.
const char* read_line() {
  for (size_t looked_at = 0;;) {
    for (size_t i = received_at + looked_at; i < received_end; ++i) {
      if (received[i] != '\n') continue;
      received[i] = 0;
      const char* line = received + received_at;
      received_at = i + 1;
      return line;
    }
    looked_at = received_end - received_at;
    const int from = helper.fd();
    if (from < 0 || !make_room()) return nullptr;
    if (!answer_comes(from)) return nullptr;
    const long got = sys::read(from, received + received_end, received_capacity - received_end);
    if (got == -EINTR) continue;
    if (got <= 0) return nullptr;
    received_end += static_cast<size_t>(got);
  }
}

bool ask(const char* kind, const Module& module, uintptr_t offset, const StackQuestion* stack = nullptr) {
  static char request[2 * 4400];
  Text text(request, sizeof request);
  text.add("%s \"", kind);
  for (const char* c = module.path; *c != 0; ++c) {
    if (*c == '\n') return false;  // it would end the question
    if (*c == '"' || *c == '\\') text.put('\\');
    text.put(*c);
  }
  text.add("\" 0x%lx", offset);
  if (stack != nullptr)
    text.add(" 0x%lx %zu 0x%lx 0x%lx 0x%lx", stack->address, stack->bytes, stack->stack_pointer, stack->frame_end,
             stack->lowest_return);
  text.put('\n');
  if (!start_helper()) return false;
  size_t sent = 0;
  while (sent < text.size()) {
    const long n = sys::call(SYS_sendto, helper.fd(), reinterpret_cast<long>(text.data() + sent),
                             static_cast<long>(text.size() - sent), MSG_NOSIGNAL);
    if (n == -EINTR) continue;
    if (n <= 0) {
      stop_helper();
      return false;
    }
    sent += static_cast<size_t>(n);
  }
  received_at = received_end = 0;
  return true;
}

size_t length_of(const char* text) {
  size_t n = 0;
  while (text[n] != 0) ++n;
  return n;
}

uint64_t number_at(const char*& text) {
  uint64_t value = 0;
  while (*text >= '0' && *text <= '9') value = value * 10 + static_cast<uint64_t>(*text++ - '0');
  return value;
}

// "file:line:column"; file names may have colons.
void split_place(const char* place, SourceFrame& frame) {
  size_t end = length_of(place);
  int numbers[2] = {0, 0};
  for (int& number : numbers) {
    size_t colon = end;
    while (colon > 0 && place[colon - 1] != ':') --colon;
    if (colon == 0) break;
    const char* digits = place + colon;
    number = static_cast<int>(number_at(digits));
    end = colon - 1;
  }
  frame.column = numbers[0];
  frame.line = numbers[1];
  frame.file = place[0] == '?' ? nullptr : session_text(place, end);
}

}  // namespace

unsigned symbolize_code(const Module& module, uintptr_t offset, SourceFrame* frames, unsigned capacity) {
  const BusyGuard held(asking);
  if (!ask("CODE", module, offset)) return 0;
  unsigned count = 0;
  for (;;) {
    const char* function = read_line();
    if (function == nullptr) {
      stop_helper();
      return count;
    }
    if (function[0] == 0) return count;
    SourceFrame frame = {};
    if (function[0] != '?') frame.function = session_text(function, length_of(function));
    const char* place = read_line();
    if (place == nullptr) {
      stop_helper();
      return count;
    }
    split_place(place, frame);
    if (count < capacity && (frame.function != nullptr || frame.file != nullptr)) frames[count++] = frame;
  }
}

bool symbolize_data(const Module& module, uintptr_t offset, const char*& name, uintptr_t& start, size_t& size) {
  const BusyGuard held(asking);
  if (!ask("DATA", module, offset)) return false;
  const char* line = read_line();
  if (line == nullptr) {
    stop_helper();
    return false;
  }
  const bool known = line[0] != '?' && line[0] != 0;
  name = known ? session_text(line, length_of(line)) : nullptr;
  start = size = 0;
  while (line[0] != 0) {
    line = read_line();
    if (line == nullptr) {
      stop_helper();
      return false;
    }
    if (line[0] < '0' || line[0] > '9' || start != 0) continue;
    const char* at = line;
    start = number_at(at);
    if (*at == ' ') ++at;
    size = number_at(at);
  }
  return known && name != nullptr;
}

namespace {

// Other symbolizers know what CODE and DATA mean, and may be silent about the rest.
bool helper_is_ours() {
  const char* path = options.external_symbolizer_path.c_str();
  return options.external_symbolizer_path.empty() || same_text(base_name(path), "deadheat-symbolizer");
}

}  // namespace

StackAnswer symbolize_stack(const Module& module, uintptr_t offset, const StackQuestion& question,
                            StackVariable& variable) {
  if (!helper_is_ours()) return StackAnswer::kNothing;
  const BusyGuard held(asking);
  if (!ask("STACK", module, offset, &question)) return StackAnswer::kNothing;
  variable = {};
  StackAnswer answer = StackAnswer::kOtherFrame;
  for (unsigned number = 0;; ++number) {
    const char* line = read_line();
    if (line == nullptr) {
      stop_helper();
      return StackAnswer::kNothing;
    }
    if (line[0] == 0) return answer;
    if (number == 0) {
      answer = line[0] == '?' ? StackAnswer::kNoVariable : StackAnswer::kVariable;
      variable.name = session_text(line, length_of(line));
      if (variable.name == nullptr) answer = StackAnswer::kNoVariable;
    } else if (number == 1) {
      split_place(line, variable.declared);
    } else if (number == 2) {
      variable.begin = number_at(line);
      if (*line == ' ') ++line;
      variable.bytes = number_at(line);
      if (*line == ' ') ++line;
      variable.inlined = static_cast<unsigned>(number_at(line));
    }
  }
}

void symbols_after_fork() {
  asking.renew();
  helper.leave();
  failures = 0;
}

}  // namespace deadheat::live
