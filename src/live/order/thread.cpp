#include "live/order/thread.h"

#include <link.h>
#include <pthread.h>
#include <sys/single_threaded.h>

#include <new>
#include <utility>

#include "live/ground/degraded.h"
#include "live/ground/heap.h"
#include "live/ground/inside.h"
#include "live/ground/message.h"
#include "live/ground/spin_lock.h"
#include "live/order/sleeps.h"
#include "live/order/steps.h"
#include "live/order/sync.h"
#include "live/paths/path_collection.h"

namespace deadheat::live {

ThreadInfo* thread_infos;
std::atomic<uint32_t> thread_count{0};
constinit ThreadUid first_thread{};
std::atomic<bool> started{false};

namespace {

// What is kept of a slot. All of it is guarded by `registry`.
struct SlotState {
  Clock last_clock;    // of the former owner; kMaxClock while there is an owner
  Clock former_clock;  // of the former owner, also while there is one
  uint32_t next_free;  // slot + 1 of the next in the queue of free ones
};

constinit SpinLock registry(Lock::kThreads);
SlotState* slots;
uint32_t slot_count;
uint32_t free_front, free_back;  // slot + 1; 0: none
uint32_t alive;
bool foreign_ones_come;   // threads that nobody creates through us
uint32_t uncovered_slot;  // a slot that kept the last try at being alone from succeeding
// The final clocks of threads that ended and were not joined or detached yet, by uid.
LiveClock** final_clocks;
Thread* live_threads;
PerClass<uint32_t> class_members;  // live threads
PerClass<Epoch> class_left;        // the last epoch of the thread that had the class last
// A free one, and if possible one whose former thread is ordered before: its reads would be in the way.
ReaderClass free_class(const LiveClock& C) {
  ReaderClass free = kCommonClass;
  for (const ReaderClass c : ReaderSet::all().without(kCommonClass)) {
    if (class_members[c] != 0) continue;
    if (C.knows(class_left[c])) return c;
    if (free == kCommonClass) free = c;
  }
  return free;
}

// A mapping that holds a Thread and its shadow stack; kept for the next thread when one ends.
struct SpareMapping {
  SpareMapping* next;
  size_t bytes;
};
SpareMapping* spare_mappings;
uint32_t spare_mapping_count;
constexpr uint32_t kMaxSpareMappings = 32;

constexpr size_t kThreadBytes = (sizeof(Thread) + 4095) & ~size_t{4095};

void push_free_slot(uint32_t slot, bool in_front) {
  slots[slot].next_free = 0;
  if (free_front == 0) {
    free_front = free_back = slot + 1;
  } else if (in_front) {
    slots[slot].next_free = free_front;
    free_front = slot + 1;
  } else {
    slots[free_back - 1].next_free = slot + 1;
    free_back = slot + 1;
  }
}

uint32_t pop_free_slot() {
  const uint32_t slot = free_front - 1;
  free_front = slots[slot].next_free;
  if (free_front == 0) free_back = 0;
  return slot;
}

// A slot whose former owner's work is all known to C, or a new one.
uint32_t take_slot(const LiveClock& C) {
  for (int tries = 0; tries < 16 && free_front != 0; ++tries) {
    const uint32_t slot = pop_free_slot();
    if (C.knows(Epoch(Slot{slot}, slots[slot].last_clock))) return slot;
    push_free_slot(slot, false);
  }
  if (slot_count == Epoch::kMaxSlot) die("more than %u threads whose work nobody waited for", Epoch::kMaxSlot);
  slots[slot_count].last_clock = 0;
  return slot_count++;
}

bool covers_all_slots(const Thread& t) {
  const auto covered = [&](uint32_t slot) {
    return slot == index(t.slot) || t.C.knows(Epoch(Slot{slot}, slots[slot].last_clock));
  };
  if (uncovered_slot < slot_count && !covered(uncovered_slot)) return false;
  for (uint32_t slot = 0; slot < slot_count; ++slot) {
    if (covered(slot)) continue;
    uncovered_slot = slot;
    return false;
  }
  return true;
}

size_t shadow_stack_bytes_for(size_t stack_bytes) {
  // An instrumented frame takes at least 16 bytes of stack (return address and alignment), and a Frame 16.
  constexpr size_t kLeast = size_t{1} << 20, kMost = size_t{256} << 20;
  return stack_bytes < kLeast ? kLeast : stack_bytes > kMost ? kMost : (stack_bytes + 4095) & ~size_t{4095};
}

Thread* new_thread_state(size_t stack_bytes) {
  const size_t bytes = kThreadBytes + shadow_stack_bytes_for(stack_bytes);
  void* memory = nullptr;
  {
    SpinGuard guard(registry);
    for (SpareMapping** at = &spare_mappings; *at != nullptr; at = &(*at)->next) {
      if ((*at)->bytes != bytes) continue;
      memory = *at;
      *at = (*at)->next;
      --spare_mapping_count;
      break;
    }
  }
  if (memory == nullptr) memory = sys::reserve(bytes);
  if (memory == nullptr) die("out of memory: no room for the state of another thread");
  Thread* t = new (memory) Thread;
  t->shadow_stack = static_cast<char*>(memory) + kThreadBytes;
  t->shadow_stack_bytes = bytes - kThreadBytes;
  shadow_remembers_no_ids(*t);  // what a former owner did; about accesses and frames it stays true (stack_cache)
  return t;
}

void delete_thread_state(Thread* t) {
  const size_t bytes = kThreadBytes + t->shadow_stack_bytes;
  void* memory = t;
  {
    SpinGuard guard(registry);
    if (spare_mapping_count < kMaxSpareMappings) {
      SpareMapping* spare = static_cast<SpareMapping*>(memory);
      spare->bytes = bytes;
      spare->next = spare_mappings;
      spare_mappings = spare;
      ++spare_mapping_count;
      return;
    }
  }
  sys::unmap(memory, bytes);
}

struct StackBounds {
  uintptr_t begin = 0, end = 0;
};
StackBounds own_stack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* stack = nullptr;
  size_t bytes = 0;
  pthread_attr_getstack(&attributes, &stack, &bytes);
  pthread_attr_destroy(&attributes);
  return {reinterpret_cast<uintptr_t>(stack), reinterpret_cast<uintptr_t>(stack) + bytes};
}

constexpr size_t kThreadControlBytes = 0x900;  // struct pthread of glibc 2.36: 2304 bytes

// Bytes of static thread-local data below the thread pointer.
size_t static_tls_bytes() {
  static size_t bytes;
  if (bytes == 0) {
    size_t total = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* data) {
          for (int i = 0; i < info->dlpi_phnum; ++i)
            if (info->dlpi_phdr[i].p_type == PT_TLS)
              *static_cast<size_t*>(data) += info->dlpi_phdr[i].p_memsz + info->dlpi_phdr[i].p_align;
          return 0;
        },
        &total);
    bytes = total + 1;
  }
  return bytes;
}

void adopt(Thread* t, ThreadUid uid, Slot slot, Clock first_clock) {
  t->uid = uid;
  t->slot = slot;
  t->C.set_own(Epoch(slot, first_clock));
  t->learned = true;  // what it inherited must be published under an entry of its own
  tls.base = tls.sp = static_cast<Frame*>(t->shadow_stack);
  tls.limit = tls.base + t->shadow_stack_bytes / sizeof(Frame);
  tls.thread = t;
  t->own_tls = &tls;
  info_of(uid).os_id = sys::thread_id();
  info_of(uid).running = true;
  // Static thread-local data lies below the thread pointer, of the modules that were there at start.
  uintptr_t thread_pointer;
  __asm__("mov %%fs:0, %0" : "=r"(thread_pointer));
  t->tls_end = thread_pointer + kThreadControlBytes;
  t->tls_begin = thread_pointer - static_tls_bytes();
  SpinGuard guard(registry);
  t->next_live = live_threads;
  live_threads = t;
  t->reader_class = free_class(t->C);
  ++class_members[t->reader_class];
  t->class_is_own = t->reader_class != kCommonClass;
  shadow_adopts(*t);
}

ThreadUid new_uid(ThreadUid parent, NodeId where) {
  const uint32_t number = thread_count.fetch_add(1, std::memory_order_relaxed);
  if (number >= kMaxThreads) die("more than %u threads in one run", kMaxThreads);
  thread_infos[number].parent = parent;
  thread_infos[number].created_at = where;
  return ThreadUid{number};
}

}  // namespace

void threads_start() {
  thread_infos = static_cast<ThreadInfo*>(sys::reserve(size_t{kMaxThreads} * sizeof(ThreadInfo)));
  slots = static_cast<SlotState*>(sys::reserve(size_t{Epoch::kMaxSlot} * sizeof(SlotState)));
  final_clocks = static_cast<LiveClock**>(sys::reserve(size_t{kMaxThreads} * sizeof(LiveClock*)));
  if (thread_infos == nullptr || slots == nullptr || final_clocks == nullptr)
    die("no address space for the table of threads (is there a limit by ulimit -v?)");
}

Thread* current_thread_slow() {
  if (tls.thread != nullptr) return tls.thread;
  if (tls.busy != 0) return nullptr;  // ended, or being made known right now
  // The dynamic linker calls functions of the program while it relocates (those that choose a function for the
  // processor), before the C library is ready. That says so by this flag, until there are threads.
  if (!started.load(std::memory_order_relaxed) && __libc_single_threaded == 0) return nullptr;
  const Inside inside;
  start_runtime();
  if (tls.thread == nullptr) {
    // A thread that nobody created through us starts unordered with everybody.
    const StackBounds stack = own_stack();
    Thread* t = new_thread_state(stack.end - stack.begin);
    t->stack_begin = stack.begin;
    t->stack_end = stack.end;
    uint32_t slot;
    Clock last;
    bool first;
    {
      SpinGuard guard(registry);
      slot = take_slot(t->C);
      last = slots[slot].last_clock;
      first = alive++ == 0;
      if (alive == 2 && live_threads != nullptr && live_threads->is_alone())
        __atomic_store_n(&live_threads->own_tls->current_twice, ~uint64_t{0}, __ATOMIC_RELAXED);
    }
    t->is_foreign = !first;
    adopt(t, new_uid(ThreadUid{}, kNoNode), Slot{slot}, last + 1);
    if constexpr (record::kOn) record::ordered(*t, record::What::kBegin, 0);
    if (first && !(record::kOn && record::full))
      set_current(*t, kNeverId);
    else
      tick_slow(*t);
  }
  return tls.thread;
}

namespace {

// Every chunk of ids names some word's history: there is no room for more. Cells keep what they have; from here on this
// thread's accesses count as the last epoch that had an id, or as none, so nothing is invented, but races may be
// missed.
void go_on_without_id(Thread& t) {
  if (t.is_alone()) set_current(t, kNoEpoch);
  if (note_degraded(Degradation::kEpochs)) say("all 2^27 epochs are in use: from here on races may be missed");
}

}  // namespace

void tick_slow(Thread& t) {
  const Epoch E(t.slot, t.C.own().clock() + 1);
  if (E.clock() >= Epoch::kMaxClock) die("thread T%u passed 2^39 synchronisations", number_of(t.uid));
  t.C.set_own(E);
  t.used = t.learned = false;
  if (t.is_alone() && tls.current_twice == 0) {  // alone: this epoch has no id
    t.chunk_next = t.chunk_end;                  // the ids of a chunk stand for epochs without a gap
    return;
  }
  if (t.chunk_next == t.chunk_end) {
    if (!epochs_draw_chunk(t, E)) return go_on_without_id(t);
  }
  set_current(t, t.chunk_next);
  t.chunk_next = EpochId{number_of(t.chunk_next) + 1};
}

void end_being_alone(Thread& t) {
  const Inside inside;
  tick_slow(t);
}

void expect_foreign_threads(Thread& t) {
  {
    SpinGuard guard(registry);
    foreign_ones_come = true;
  }
  if (!t.is_alone()) return;
  tls.current_twice = ~uint64_t{0};
  tick_slow(t);
}

Birth* thread_create(Thread& parent, NodeId where) {
  Birth* birth = new (heap_allocate(sizeof(Birth))) Birth;
  birth->uid = new_uid(parent.uid, where);
  birth->clock.assign(parent.C, publish_epoch(parent));
  if constexpr (record::kOn) record::ordered(parent, record::What::kCreate, number_of(birth->uid), where);
  {
    SpinGuard guard(registry);
    const uint32_t slot = take_slot(birth->clock);
    birth->slot = Slot{slot};
    birth->first_clock = slots[slot].last_clock + 1;
    slots[slot].former_clock = slots[slot].last_clock;
    // Until it ends, nothing that the child does is covered by anybody.
    slots[slot].last_clock = Epoch::kMaxClock;
    ++alive;
  }
  if (tls.current_twice == 0) {  // no longer alone: from here on epochs have ids
    tls.current_twice = ~uint64_t{0};
    tick_slow(parent);
  } else {
    tick(parent);
  }
  note_step(parent, StepKind::kCreate, number_of(birth->uid), where);
  return birth;
}

void thread_create_failed(Thread&, Birth* birth) {
  {
    SpinGuard guard(registry);
    --alive;
    slots[index(birth->slot)].last_clock = birth->first_clock - 1;
    push_free_slot(static_cast<uint32_t>(index(birth->slot)), true);
  }
  birth->clock.clear();
  heap_free(birth, sizeof(Birth));
}

void thread_begin(Birth* birth, bool fiber) {
  const Inside inside;
  const StackBounds stack = fiber ? StackBounds{} : own_stack();
  Thread* t = new_thread_state(stack.end - stack.begin);
  t->stack_begin = stack.begin;
  t->stack_end = stack.end;
  t->C.assign(birth->clock);
  adopt(t, birth->uid, birth->slot, birth->first_clock);
  if constexpr (record::kOn) record::ordered(*t, record::What::kBegin, 0);
  // assign() took the parent's own entry; it is an entry like others now.
  t->C.join(birth->clock, birth->clock.own());
  birth->clock.clear();
  heap_free(birth, sizeof(Birth));
  // glibc uses stacks again: what the former thread did there is no history of this one's variables.
  if (fiber) {
    t->is_fiber = true;
    t->tls_begin = t->tls_end = 0;
  } else {
    shadow_of_new_stack(*t);
  }
  tick_slow(*t);
  t->learned = true;
  note_step(*t, StepKind::kBegin, 0, kNoNode);
}

void thread_end(Thread& t) {
  note_step(t, StepKind::kEnd, 0, kNoNode);
  info_of(t.uid).running = false;
  // Locks it still holds: a robust one goes to the next thread that takes it, which then knows what this thread did.
  for (uint32_t i = 0; i < t.held_count; ++i) {
    SyncLock lock(t.held[i].lock);
    if (SyncObject* o = lock.find(); o != nullptr && !t.held[i].for_reading) {
      o->S.assign(t.C, t.C.own());
      if constexpr (record::kOn) record::ordered(t, record::What::kUnlock, t.held[i].lock);
    }
  }
  if constexpr (record::kOn) record::end(t);
  LiveClock* final_clock = new (heap_allocate(sizeof(LiveClock))) LiveClock;
  final_clock->assign(t.C, t.C.own());
  {
    SpinGuard guard(registry);
    --alive;
    --class_members[t.reader_class];
    class_left[t.reader_class] = t.C.own();
    for (Thread** at = &live_threads; *at != nullptr; at = &(*at)->next_live) {
      if (*at != &t) continue;
      *at = t.next_live;
      break;
    }
    slots[index(t.slot)].last_clock = t.C.own().clock();
    if (info_of(t.uid).joined_or_detached)
      push_free_slot(static_cast<uint32_t>(index(t.slot)), false);
    else
      final_clocks[number_of(t.uid)] = final_clock, final_clock = nullptr;
  }
  if (final_clock != nullptr) {
    final_clock->clear();
    heap_free(final_clock, sizeof(LiveClock));
  }
  t.C.clear();
  t.release_fence.clear();
  t.seen_relaxed.clear();
  if (t.held != nullptr) heap_free(t.held, t.held_capacity * sizeof(HeldLock));
  forget_sleeps(t);
  shadow_releases(t);
  t.stack_cache.release();
  tls.thread = nullptr;
  tls.current_twice = ~uint64_t{0};
  tls.sp = tls.base = tls.limit = nullptr;
  delete_thread_state(&t);
}

void thread_join(Thread& joiner, ThreadUid uid) {
  LiveClock* final_clock = nullptr;
  {
    SpinGuard guard(registry);
    final_clock = std::exchange(final_clocks[number_of(uid)], nullptr);
    info_of(uid).joined_or_detached = true;
  }
  if (final_clock == nullptr) return;
  learn(joiner, *final_clock);
  if constexpr (record::kOn) record::ordered(joiner, record::What::kJoin, number_of(uid));
  {
    SpinGuard guard(registry);
    push_free_slot(static_cast<uint32_t>(index(final_clock->own().slot())), true);
    if (alive == 1 && !foreign_ones_come && tls.current_twice != 0 && !(record::kOn && record::full) &&
        covers_all_slots(joiner))
      set_current(joiner, kNeverId);
  }
  final_clock->clear();
  heap_free(final_clock, sizeof(LiveClock));
}

void learn_of_ended(Thread& t) {
  {
    SpinGuard guard(registry);
    if (alive != 1) return;
    const LiveClock nothing;
    for (uint32_t slot = 0; slot < slot_count; ++slot)
      if (slot != index(t.slot) && t.C.join(nothing, Epoch(Slot{slot}, slots[slot].last_clock))) t.learned = true;
  }
  if constexpr (record::kOn) {
    const uint32_t count = thread_count.load(std::memory_order_relaxed);
    for (uint32_t number = 0; number < count; ++number) {
      const ThreadInfo& info = thread_infos[number];
      if (info.os_id != 0 && !info.running) record::ordered(t, record::What::kJoin, number);
    }
  }
}

void thread_detach(ThreadUid uid) {
  LiveClock* final_clock = nullptr;
  {
    SpinGuard guard(registry);
    if (info_of(uid).joined_or_detached) return;
    info_of(uid).joined_or_detached = true;
    final_clock = std::exchange(final_clocks[number_of(uid)], nullptr);
    if (final_clock != nullptr) push_free_slot(static_cast<uint32_t>(index(final_clock->own().slot())), false);
  }
  if (final_clock == nullptr) return;
  final_clock->clear();
  heap_free(final_clock, sizeof(LiveClock));
}

size_t live_epochs(Epoch* own, size_t most) {
  SpinGuard guard(registry);
  size_t count = 0;
  for (const Thread* t = live_threads; t != nullptr && count < most; t = t->next_live)
    if (t != tls.thread) own[count++] = t->C.own();  // one word, which only grows
  return count;
}

bool thread_of_memory(uintptr_t address, ThreadUid& uid, bool& thread_local_data) {
  SpinGuard guard(registry);
  for (Thread* t = live_threads; t != nullptr; t = t->next_live) {
    thread_local_data = address >= t->tls_begin && address < t->tls_end;
    if (!thread_local_data && (address < t->stack_begin || address >= t->stack_end)) continue;
    uid = t->uid;
    return true;
  }
  return false;
}

unsigned functions_around(uintptr_t address, EnteredFunction (&functions)[2]) {
  SpinGuard guard(registry);
  const Thread* t = live_threads;
  while (t != nullptr && (address < t->stack_begin || address >= t->stack_end)) t = t->next_live;
  // While the system's thread runs a fiber, its own functions are not in its shadow stack.
  if (t == nullptr || t->own_tls == nullptr || t->own_tls->thread != t) return 0;
  const Frame* const end = __atomic_load_n(&t->own_tls->sp, __ATOMIC_RELAXED);
  const uint32_t stack_end = static_cast<uint32_t>(t->stack_end);
  uintptr_t outer_below = t->stack_end;
  unsigned count = 0;
  for (const Frame* f = static_cast<const Frame*>(t->shadow_stack); f < end && count < 2; ++f) {
    if ((f->stack & kOurFrame) != 0) continue;
    const uintptr_t below = t->stack_end - static_cast<uint32_t>(stack_end - f->stack);
    // Of a handler on a stack of its own, or left behind by a jump that nobody saw.
    if (below < t->stack_begin || below >= outer_below) continue;
    if (below + sizeof(uintptr_t) <= address) functions[count++] = {t->uid, below, outer_below, f->pc, peek(f->node)};
    outer_below = below;
  }
  return count;
}

uint32_t threads_alive() {
  SpinGuard guard(registry);
  return alive;
}

bool is_ordered_slow(Thread& t, EpochId id) {
  const Epoch e = epoch_of(id);
  if (e.slot() != t.slot && !t.C.knows(e)) return false;
  t.known_before[place_in_known(id)] = id;
  return true;
}

NodeId held_node_slow(Thread& t) {
  NodeId node = t.held_count == 0 ? kNoNode : t.held[0].alone;
  for (uint32_t i = 1; i < t.held_count; ++i) node = stack_child(node, lock_key(t.held[i].lock, t.held[i].for_reading));
  t.held_node = node;
  t.held_node_known = true;
  return node;
}

OriginId origin_slow(NodeId access, NodeId locks) {
  for (const PackedForm& form : kPackedForms)
    if (const OriginId packed = pack(form, access, locks); packed != kNoOrigin) return packed;
  return as_origin(stack_child(access, under_key(locks)));
}

void push_frame_slow(uintptr_t pc, uint64_t stack) {
  if (current_thread() == nullptr) return;
  if (tls.sp == tls.limit) tls.sp = tls.base;  // deeper than any stack: frames were left behind; begin anew
  tls.sp->pc = pc;
  put_stack_and_no_node(tls.sp, stack);
  ++tls.sp;
}

void held_grow(Thread& t) {
  const uint32_t capacity = t.held_capacity == 0 ? 8 : 2 * t.held_capacity;
  HeldLock* grown = static_cast<HeldLock*>(heap_allocate(capacity * sizeof(HeldLock)));
  for (uint32_t i = 0; i < t.held_count; ++i) grown[i] = t.held[i];
  if (t.held != nullptr) heap_free(t.held, t.held_capacity * sizeof(HeldLock));
  t.held = grown;
  t.held_capacity = capacity;
}

void held_remove(Thread& t, HeldLock* lock) {
  for (HeldLock* at = lock; at + 1 < t.held + t.held_count; ++at) *at = at[1];
  --t.held_count;
  t.held_node_known = t.held_count == 0;
  t.held_node = kNoNode;
}

void threads_forget_ids() {
  for (Thread* t = live_threads; t != nullptr; t = t->next_live) {
    if (t->chunk_end != kNeverId) epochs_mark(t->chunk_begin());
    if (!t->is_alone()) epochs_mark(t->current);
    forget_ids(*t);
  }
}

void threads_mark_paths() {
  for (Thread* t = live_threads; t != nullptr; t = t->next_live) {
    stack_mark(peek(t->held_node));
    shadow_remembers_no_ids(*t);
    t->left = t->is_fiber;  // it has nothing in hand that the system's thread that runs it has not
  }
}

bool threads_left_since_collection() {
  SpinGuard guard(registry);
  bool all = true;
  for (Thread* t = live_threads; t != nullptr; t = t->next_live) {
    if (t->left || t->is_gone) continue;
    if (t->is_foreign) return false;
    // `busy` first: races are in hand before it is lowered. The caller is inside, but comes with nothing else in hand.
    const bool outside = t->own_tls == &tls || t->own_tls->busy.from_another_thread() == 0;
    t->left = outside && __atomic_load_n(&t->races_in_hand, __ATOMIC_RELAXED) == 0;
    all &= t->left;
  }
  return all;
}

void forget_ids(Thread& t) {
  for (EpochId& id : t.known_before) id = kNeverId;
  shadow_remembers_no_ids(t);
}

DEADHEAT_TAKEN_AT_FORK(kThreads, registry)

namespace {

// The child has a copy of the memory: whatever any thread of the parent did in it was done before the copy was made.
void know_everything(Thread& t) {
  const LiveClock nothing;
  for (uint32_t slot = 0; slot < slot_count; ++slot) {
    const SlotState& s = slots[slot];
    // The next owner may not have begun: then it is not among the live threads.
    const Clock done = s.last_clock != Epoch::kMaxClock ? s.last_clock : s.former_clock;
    t.C.join(nothing, Epoch(Slot{slot}, done));
  }
  // Of a thread that was interrupted anywhere only its own entry is whole. All own entries are all that was done.
  for (const Thread* other = live_threads; other != nullptr; other = other->next_live)
    if (other != &t) t.C.join(nothing, other->C.own());
  t.learned = true;
}

}  // namespace

void threads_forget_buffers() {
  if constexpr (record::kOn)
    for (Thread* t = live_threads; t != nullptr; t = t->next_live) t->recording = {};
}

void threads_after_fork() {
  const SpinGuard guard(registry);
  if (tls.thread != nullptr) know_everything(*tls.thread);
  if (tls.thread != nullptr) first_thread = tls.thread->uid;
  alive = 1;
  class_members = {};
  for (Thread* t = live_threads; t != nullptr; t = t->next_live) t->is_gone = t != tls.thread && !t->is_fiber;
  if (tls.thread != nullptr) class_members[tls.thread->reader_class] = 1;
}

}  // namespace deadheat::live
