#include "live/record/record.h"

#include <link.h>
#include <sys/stat.h>

#include <cerrno>

#include "live/ground/heap.h"
#include "live/ground/inside.h"
#include "live/ground/message.h"
#include "live/ground/options.h"
#include "live/ground/own_file.h"
#include "live/ground/sys.h"
#include "live/ground/touched.h"
#include "live/modules/module_table.h"
#include "live/order/sync.h"
#include "live/order/thread.h"
#include "live/paths/stacks.h"
#include "live/shadow/zones.h"

extern "C" __attribute__((weak, visibility("default"))) const char* __tsan_default_suppressions();

namespace deadheat::live::record {

using namespace recording;

bool full;

namespace {

const std::atomic<uint32_t> nobody_records{1};
std::atomic<uint32_t> no_pulse{0};

}  // namespace

const std::atomic<uint32_t>* paused = &nobody_records;
const std::atomic<uint32_t>* pulse = &no_pulse;

namespace {

ChannelHead* channel;                                // null: nobody records, or not any more
std::atomic<uint32_t>* pulse_to_change = &no_pulse;  // the same as `pulse`
BufferHead* heads;
char* buffers;
OwnFile file;
char channel_path[OptionText::kCapacity + 32];
std::atomic<bool> growing{false};
std::atomic<uint64_t> objects{0};
bool suppressions_told;

constexpr uint64_t kOwnObjects = uint64_t{1} << 59;
constexpr size_t kMostText = 4000;  // of one record

void set_pulse(std::atomic<uint32_t>* to) {
  __atomic_store_n(&pulse_to_change, to, __ATOMIC_RELEASE);
  __atomic_store_n(&pulse, to, __ATOMIC_RELEASE);
}

// What the recorder would have removed: the last process of the program removes the folder.
void stop() {
  if (__atomic_exchange_n(&channel, nullptr, __ATOMIC_ACQ_REL) == nullptr) return;
  __atomic_store_n(&paused, &nobody_records, __ATOMIC_RELEASE);
  set_pulse(&no_pulse);
  say("the recorder is gone: from here on this program is not recorded");
  sys::call(SYS_unlink, reinterpret_cast<long>(channel_path));
  sys::call(SYS_rmdir, reinterpret_cast<long>(options.record_to.c_str()));
}

bool recorder_is_gone() { return options.recorder > 0 && sys::call(SYS_kill, options.recorder, 0) == -ESRCH; }

// Another segment, so that every thread of a program with many has a buffer.
bool grow(ChannelHead& c) {
  if (growing.exchange(true, std::memory_order_acquire)) return true;
  const uint32_t now = c.buffers.load(std::memory_order_relaxed);
  const int fd = file.fd();
  bool grown = false;
  if (fd >= 0 && now + kSegmentBuffers <= kMostBuffers)
    grown = !sys::failed(
        sys::call(SYS_fallocate, fd, 0, static_cast<long>(channel_bytes(now)), long{kSegmentBuffers} * kBufferBytes));
  if (grown) c.buffers.store(now + kSegmentBuffers, std::memory_order_release);
  growing.store(false, std::memory_order_release);
  return grown;
}

// The first one: the recorder reads buffers soon, so the same few are used again and stay in the processor's cache.
BufferHead* find_free(ChannelHead& c, uint32_t& filling) {
  const uint32_t count = c.buffers.load(std::memory_order_acquire);
  filling = 0;
  for (uint32_t i = 0; i < count; ++i) {
    BufferHead& head = heads[i];
    BufferState state = head.state.load(std::memory_order_relaxed);
    if (state == BufferState::kFilling) ++filling;
    if (state == BufferState::kFree &&
        head.state.compare_exchange_strong(state, BufferState::kTaken, std::memory_order_acquire))
      return &head;
  }
  return nullptr;
}

void wait_for_space(ChannelHead& c) {
  c.waiting.fetch_add(1, std::memory_order_seq_cst);
  const uint32_t space = c.space.load(std::memory_order_seq_cst);
  uint32_t filling;
  BufferHead* const found = find_free(c, filling);
  if (found != nullptr) {
    found->state.store(BufferState::kFree, std::memory_order_release);
  } else {
    const struct {
      int64_t seconds, nanoseconds;
    } patience{0, 20000000};
    sys::call(SYS_futex, reinterpret_cast<long>(&c.space), FUTEX_WAIT, static_cast<long>(space),
              reinterpret_cast<long>(&patience));
  }
  c.waiting.fetch_sub(1, std::memory_order_relaxed);
}

void give_up(Buffer& b) {
  if (b.head != nullptr) b.head->state.store(BufferState::kFull, std::memory_order_release);
  b.next = b.stop = b.end = b.begin = nullptr;
  b.head = nullptr;
}

// Another buffer for the thread; false if nobody records.
__attribute__((noinline)) bool renew(Thread& t) {
  Buffer& b = t.recording;
  give_up(b);
  for (unsigned waits = 0;; ++waits) {
    ChannelHead* const c = __atomic_load_n(&channel, __ATOMIC_ACQUIRE);
    if (c == nullptr) return false;
    uint32_t filling = 0;
    if (BufferHead* const head = find_free(*c, filling)) {
      head->thread = number_of(t.uid);
      head->number = b.number++;
      head->filled.store(0, std::memory_order_relaxed);
      head->state.store(BufferState::kFilling, std::memory_order_release);
      b.head = head;
      b.begin = b.next = b.stop = reinterpret_cast<Unit*>(buffers + static_cast<size_t>(head - heads) * kBufferBytes);
      b.end = b.begin + kBufferBytes / kUnit;
      return true;
    }
    if (filling > c->buffers.load(std::memory_order_relaxed) / 2 && grow(*c)) continue;
    if (waits % 16 == 15 && recorder_is_gone()) {
      stop();
      return false;
    }
    wait_for_space(*c);
  }
}

// Room for so many units, which `done` hands over.
inline Unit* room(Thread& t, unsigned units) {
  Buffer& b = t.recording;
  if (__builtin_expect(b.end - b.next < static_cast<ptrdiff_t>(units), 0) && !renew(t)) return nullptr;
  return b.next;
}
inline void done(Thread& t, unsigned units) {
  Buffer& b = t.recording;
  b.next += units;
  b.head->filled.store(static_cast<uint32_t>(b.next - b.begin), std::memory_order_release);
}

inline uint64_t when(Thread& t, NodeId path) {
  Buffer& b = t.recording;
  const uint32_t now = __atomic_load_n(&pulse, __ATOMIC_RELAXED)->load(std::memory_order_acquire);
  if (b.pulse != now || b.next >= b.stop) {
    b.pulse = now;
    b.stop = b.end - b.next > ptrdiff_t{kUnitsAStamp} ? b.next + kUnitsAStamp : b.end;
    b.stamp = clock_now() << 32;
  }
  return b.stamp | number_of(path);
}

// The next record has a stamp of its own.
inline void look_at_clock(Thread& t) { t.recording.stop = t.recording.next; }
// What the thread has written comes before whatever other threads write once they can know of it.
inline void others_look_at_clock() {
  __atomic_load_n(&pulse_to_change, __ATOMIC_RELAXED)->fetch_add(1, std::memory_order_release);
}

inline uint64_t ticket(ChannelHead& c) { return c.ticket.fetch_add(1, std::memory_order_seq_cst) + 1; }

inline void put(Thread& t, What what, uint8_t detail, uint64_t address, uint64_t more, NodeId path, bool ticketed) {
  Unit* const unit = room(t, 2);
  if (unit == nullptr) return;
  ChannelHead* const c = __atomic_load_n(&channel, __ATOMIC_RELAXED);
  if (c == nullptr) return;
  *unit = {head_of(what, detail, address), when(t, path)};
  *reinterpret_cast<Tail*>(unit + 1) = {ticketed ? ticket(*c) : 0, more};
  done(t, 2);
}

}  // namespace

void access(Thread& t, uintptr_t address, size_t bytes, AccessKind kind, NodeId path) {
  const What what = kind == AccessKind::kRead ? What::kRead : kind == AccessKind::kWrite ? What::kWrite : What::kUse;
  if ((bytes & (bytes - 1)) != 0 || bytes > 16) return put(t, what, kRangeDetail, address, bytes, path, false);
  Unit* const unit = room(t, 1);
  if (unit == nullptr) return;
  *unit = {head_of(what, static_cast<uint8_t>(__builtin_ctzl(bytes)), address), when(t, path)};
  done(t, 1);
}

// A row has a stamp of its own, so that what other threads do meanwhile does not stand before or after very many accesses.
void row(Thread& t, uintptr_t first, size_t bytes, ptrdiff_t step, size_t count, AccessKind kind, NodeId path) {
  const bool fits = step == static_cast<int32_t>(step);
  while (count != 0) {
    const size_t n = !fits || count < 3 ? 1 : count < kMostOfARow ? count : kMostOfARow;
    if (n == 1) {
      access(t, first, bytes, kind, path);
    } else {
      look_at_clock(t);
      put(t, kind == AccessKind::kRead ? What::kReadRow : What::kWriteRow, static_cast<uint8_t>(__builtin_ctzl(bytes)),
          first, row_of(static_cast<uint32_t>(n), static_cast<int32_t>(step)), path, false);
    }
    first += n * static_cast<size_t>(step);
    count -= n;
  }
}

void atomic(Thread& t, const SyncLock& object, What what, uintptr_t address, size_t bytes, MemoryOrder order,
            uintptr_t pc) {
  if (tls.ignoring != 0) bytes = 0;  // it orders, but is no access
  const AccessKind kind = what == What::kLoad ? AccessKind::kAtomicRead : AccessKind::kAtomicWrite;
  const uint64_t key = access_key(pc, what_code(address, bytes, static_cast<unsigned>(kind)));
  put(t, what, static_cast<uint8_t>(order), address, bytes, t.stack_cache.child(context_node(t), key), true);
  if (what != What::kLoad || !shadow_covers(address)) return;
  const SyncObject* const o = object.find();
  if (o == nullptr || o->S.empty() || (o->S.pure() && t.C.knows(o->S.own())))
    t.nothing_at = {address, object.sequence_after()};
}

void fence(Thread& t, MemoryOrder order) {
  put(t, What::kFence, static_cast<uint8_t>(order), 0, 0, kNoNode,
      false);  // changes nothing but the thread's own clocks
}

void ordered(Thread& t, What what, uint64_t more, NodeId path) { put(t, what, 0, 0, more, path, true); }

void ordered(What what, uint64_t more) {
  if (Thread* const t = tls.thread) put(*t, what, 0, 0, more, kNoNode, true);
}

void memory(Thread& t, What what, uintptr_t begin, size_t bytes, NodeId path) {
  look_at_clock(t);
  put(t, what, 0, begin, bytes, path, true);
  others_look_at_clock();
}

void fresh(uintptr_t begin, size_t bytes) {
  Thread* const t = tls.thread;
  if (t == nullptr || bytes == 0 || begin >> 47 != 0) return;
  each_touched(begin, begin + bytes, false,
               [&](uintptr_t from, uintptr_t to) { memory(*t, What::kFresh, from, to - from); });
}

void benign(uintptr_t begin, size_t bytes) {
  const Inside inside;
  if (Thread* const t = tls.thread) memory(*t, What::kBenign, begin, bytes);
}

void moved(uintptr_t from, uintptr_t to, size_t bytes) {
  Thread* const t = tls.thread;
  if (t == nullptr) return;
  Unit* const unit = room(*t, 3);
  ChannelHead* const c = __atomic_load_n(&channel, __ATOMIC_RELAXED);
  if (unit == nullptr || c == nullptr) return;
  look_at_clock(*t);
  *unit = {head_of(What::kMove, 0, from), when(*t, kNoNode)};
  *reinterpret_cast<Tail*>(unit + 1) = {ticket(*c), bytes};
  *reinterpret_cast<Tail*>(unit + 2) = {to, 0};
  done(*t, 3);
  others_look_at_clock();
}

void node(NodeId id, NodeId parent, uint64_t key) {
  const NodeKind kind = static_cast<NodeKind>(key >> 60);
  Thread* const t = tls.thread;
  if (t == nullptr || (kind != NodeKind::kFrame && kind != NodeKind::kAccess)) return;
  Unit* const unit = room(*t, 2);
  if (unit == nullptr) return;
  look_at_clock(*t);
  *unit = {head_of(What::kNode, 0, 0), when(*t, id)};
  *reinterpret_cast<Tail*>(unit + 1) = {number_of(parent), key};
  done(*t, 2);
  others_look_at_clock();
}

void thread_name(ThreadUid uid, const char* name) {
  const Inside inside;
  Thread* const t = tls.thread;
  Unit* const unit = t == nullptr ? nullptr : room(*t, 3);
  if (unit == nullptr) return;
  *unit = {head_of(What::kThreadName, 0, 0), when(*t, kNoNode)};
  *reinterpret_cast<Tail*>(unit + 1) = {0, number_of(uid)};
  char* const text = reinterpret_cast<char*>(unit + 2);
  __builtin_memset(text, 0, kUnit);
  for (unsigned i = 0; i + 1 < kUnit && name[i] != 0; ++i) text[i] = name[i];
  done(*t, 3);
}

void end(Thread& t) {
  put(t, What::kEnd, 0, 0, 0, kNoNode, true);
  give_up(t.recording);
}

uint64_t new_object() { return kOwnObjects | objects.fetch_add(1, std::memory_order_relaxed); }

namespace {

// A record with a text, and a number beside it.
void tell_text(Thread& t, What what, const char* text, size_t length, uint64_t address, uint64_t more,
               uint64_t beside) {
  const unsigned units = 3 + static_cast<unsigned>((length + kUnit - 1) / kUnit);
  Unit* const unit = room(t, units);
  if (unit == nullptr) return;
  look_at_clock(t);
  *unit = {head_of(what, 0, address), when(t, kNoNode)};
  *reinterpret_cast<Tail*>(unit + 1) = {0, more};
  *reinterpret_cast<Tail*>(unit + 2) = {beside, length};
  __builtin_memset(unit + 3, 0, (units - 3) * kUnit);
  __builtin_memcpy(unit + 3, text, length);
  done(t, units);
  others_look_at_clock();
}

// What is loaded, for the child of a fork: another thread may have held the loader's lock at that moment, so the child
// must not ask the loader. Nodes stay for the run.
struct KnownModule {
  KnownModule* next;
  uintptr_t begin, end, bias;
  std::atomic<bool> gone;
  size_t length;
  const char* path;
};
std::atomic<KnownModule*> known_modules{nullptr};

void tell_module(Thread& t, const KnownModule& m) {
  tell_text(t, What::kModule, m.path, m.length, m.begin, m.end - m.begin, m.bias);
}

// Called with the loader's lock: one thread at a time.
void know_module(Thread& t, const char* path, uintptr_t begin, uintptr_t end, uintptr_t bias) {
  size_t length = 0;
  while (path[length] != 0 && length < kMostText) ++length;
  KnownModule* const first = known_modules.load(std::memory_order_acquire);
  for (KnownModule* m = first; m != nullptr; m = m->next) {
    if (m->begin != begin || m->end != end || m->length != length || __builtin_memcmp(m->path, path, length) != 0)
      continue;
    if (m->gone.exchange(false, std::memory_order_relaxed)) tell_module(t, *m);
    return;
  }
  auto* const m = static_cast<KnownModule*>(heap_allocate(sizeof(KnownModule) + length));
  char* const text = reinterpret_cast<char*>(m + 1);
  __builtin_memcpy(text, path, length);
  m->next = first;
  m->begin = begin;
  m->end = end;
  m->bias = bias;
  m->gone.store(false, std::memory_order_relaxed);
  m->length = length;
  m->path = text;
  known_modules.store(m, std::memory_order_release);
  tell_module(t, *m);
}

void tell_suppressions(Thread& t) {
  suppressions_told = true;
  if (__tsan_default_suppressions == nullptr) return;
  const char* text = __tsan_default_suppressions();
  while (text != nullptr && *text != 0) {
    size_t length = 0;
    while (text[length] != 0 && length < kMostText) ++length;
    tell_text(t, What::kSuppression, text, length, 0, 0, 0);
    text += length;
  }
}

int visit_module(dl_phdr_info* info, size_t, void* data) {
  uintptr_t begin = UINTPTR_MAX, end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const uintptr_t from = info->dlpi_addr + segment.p_vaddr;
    if (from < begin) begin = from;
    if (from + segment.p_memsz > end) end = from + segment.p_memsz;
  }
  const bool named = info->dlpi_name != nullptr && info->dlpi_name[0] != 0;
  if (begin < end)
    know_module(*static_cast<Thread*>(data), named ? info->dlpi_name : program_path(), begin, end, info->dlpi_addr);
  return 0;
}

bool open_channel(uint32_t paused_before) {
  auto& path = channel_path;
  Text text(path, sizeof path);
  text.add("%s/%d", options.record_to.c_str(), sys::process_id());
  long fd = sys::open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  // The process has become another program, by exec.
  for (unsigned again = 1; fd == -EEXIST && again < 1000; ++again) {
    Text next(path, sizeof path);
    next.add("%s/%d.%u", options.record_to.c_str(), sys::process_id(), again);
    fd = sys::open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  }
  if (sys::failed(fd)) {
    say("cannot be recorded: cannot write %s (error %ld)", path, -fd);
    return false;
  }
  // Memory that is not there would be a fault in the middle of the program: it is taken now.
  const long room = sys::call(SYS_fallocate, fd, 0, 0, static_cast<long>(channel_bytes(kSegmentBuffers)));
  const long memory = sys::failed(room) ? room
                                        : sys::call(SYS_mmap, 0, static_cast<long>(channel_bytes(kMostBuffers)),
                                                    PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (sys::failed(memory)) {
    say("cannot be recorded: no room for %s (error %ld)", path, -memory);
    sys::close(static_cast<int>(fd));
    return false;
  }
  file.take(static_cast<int>(fd));
  ChannelHead* const c = reinterpret_cast<ChannelHead*>(memory);
  heads = reinterpret_cast<BufferHead*>(reinterpret_cast<char*>(memory) + kHeadBytes);
  buffers = reinterpret_cast<char*>(memory) + kBuffersAt;
  c->process = static_cast<uint32_t>(sys::process_id());
  c->is_full = full;
  c->paused.store(paused_before, std::memory_order_relaxed);
  c->buffers.store(kSegmentBuffers, std::memory_order_relaxed);
  c->magic.store(kChannelMagic, std::memory_order_release);
  __atomic_store_n(&channel, c, __ATOMIC_RELEASE);
  set_pulse(&c->pulse);
  __atomic_store_n(&paused, &c->paused, __ATOMIC_RELEASE);
  return true;
}

}  // namespace

void start() {
  if (options.record_to.empty()) return;
  full = options.record_full;
  if (!open_channel(options.record_paused)) return;
  // What is found here is for the recorder's detectors to say.
  options.report_bugs = options.detect_deadlocks = options.report_use_after_free = false;
  options.atexit_sleep_ms = 0;
}

void pause(bool on) {
  ChannelHead* const c = __atomic_load_n(&channel, __ATOMIC_ACQUIRE);
  Thread* const t = tls.thread;
  if (c == nullptr || t == nullptr) return;
  const Inside inside;
  c->paused.store(on, std::memory_order_relaxed);
  put(*t, What::kPaused, on, 0, 0, kNoNode, false);
}

void modules() {
  Thread* const t = tls.thread;
  if (t == nullptr || channel == nullptr) return;
  const Inside inside;
  dl_iterate_phdr(visit_module, t);
  if (!suppressions_told) tell_suppressions(*t);
}

void module_gone(uintptr_t begin, uintptr_t end) {
  const Inside inside;
  Thread* const t = tls.thread;
  if (t == nullptr) return;
  look_at_clock(*t);
  for (KnownModule* m = known_modules.load(std::memory_order_acquire); m != nullptr; m = m->next)
    if (m->begin < end && begin < m->end) m->gone.store(true, std::memory_order_relaxed);
  put(*t, What::kModuleGone, 0, begin, end - begin, kNoNode, false);
  others_look_at_clock();
}

void after_fork() {
  Thread* const t = tls.thread;
  ChannelHead* const before = channel;
  if (before == nullptr) return;
  const uint32_t paused_before = before->paused.load(std::memory_order_relaxed);
  channel = nullptr;
  __atomic_store_n(&paused, &nobody_records, __ATOMIC_RELEASE);
  set_pulse(&no_pulse);
  sys::unmap(before, channel_bytes(kMostBuffers));
  file.leave();
  threads_forget_buffers();
  if (!open_channel(paused_before) || t == nullptr) return;
  ordered(*t, What::kBegin, 0);
  for (const KnownModule* m = known_modules.load(std::memory_order_acquire); m != nullptr; m = m->next)
    if (!m->gone.load(std::memory_order_relaxed)) tell_module(*t, *m);
  tell_suppressions(*t);
  stacks_each([](NodeId id, const Node& known) { node(id, known.parent, known.key); });
  for (uint32_t i = 0; i < t->held_count; ++i)
    ordered(*t, t->held[i].for_reading ? What::kReadLock : What::kLock, t->held[i].lock, t->held[i].where);
}

}  // namespace deadheat::live::record
