// Threads as the run time knows them: what the hot paths need (Tls), the state of a live thread (Thread), and what is
// kept of every thread for reports (ThreadInfo).
//
// Epochs   A thread's clock C has its own entry c; `current` is the id of c in shadow cells, or 0 while the thread is
//          alone (all others ended and their work is known to it): then nothing needs recording.
// publish  A thread that publishes its clock ticks afterwards if it made an access or learned something in this epoch.
//          If it did neither, it publishes c - 1 and stays in c. So ids are spent only on epochs that matter, and one
//          entry always stands for the same published clock (see LiveClock, pure).
// Slots    A slot is used again only if the creator's clock covers all that its former owner did.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/access_kind.h"
#include "live/ground/tls.h"
#include "live/order/clock.h"
#include "live/order/epochs.h"
#include "live/order/reader_classes.h"
#include "live/paths/frames.h"
#include "live/record/record.h"

namespace deadheat::live {

struct SyncObject;

struct HeldLock {
  uintptr_t lock;
  SyncObject* object;
  NodeId where;    // stack of the lock call
  NodeId alone;    // the set of this lock only
  uint32_t depth;  // recursion
  bool for_reading;
};

struct Slept;

// What orders a thread with others. Only the thread itself touches it, but for collections of ids, which find it
// stopped at the registry's lock or a stripe's.
struct ThreadOrder {
  LiveClock C;
  EpochId current{};
  bool used = false;     // `current` is in some cell
  bool learned = false;  // C grew since the last publication
  ThreadUid uid{};
  Slot slot{};
  EpochId chunk_next{};  // ids left in the chunk; none was drawn while chunk_end is kNeverId
  EpochId chunk_end{};

  ReaderClass reader_class{};
  bool class_is_own = false;                   // no other thread has it
  uint64_t read_cells = 0, read_origins = 0;   // where the planes of the class begin
  uint64_t plane_alone = 0, plane_shared = 0;  // Tls::read_plane while it is alone, and while it is not
  // What compiled code tests (ground/tls.h); where it must not find a hit, cells that are none.
  const void *inline_alone = no_cells, *inline_shared = no_cells, *inline_write = no_cells;
  uint64_t inline_mask = 0;

  LiveClock release_fence;  // Fr
  LiveClock seen_relaxed;   // Fa

  // Locks held, in order of acquisition; the node of the whole set is found when an access needs it.
  HeldLock* held = nullptr;
  uint32_t held_count = 0;
  uint32_t held_capacity = 0;
  NodeId held_node{};
  bool held_node_known = true;

  uint64_t orders_seen[64] = {};  // locks asked for while holding others, see lock_order.cpp

  EpochId known_before[8] = {};  // ids found to precede C: C only grows, so it stays true

  // An object of which C knows everything, as long as the sequence of its chain is this one (sync.h).
  struct {
    uintptr_t address = 0;
    uint32_t sequence = 1;
  } nothing_at;

  Slept* slept = nullptr;  // see sleeps.h

  Epoch E() const { return C.own(); }
  bool is_alone() const { return current == kNeverId; }
  // The first id of the chunk drawn last.
  EpochId chunk_begin() const { return EpochId{number_of(chunk_end) - kChunkIds}; }
};

// An access that a signal handler made while the thread was inside the run time; done when that is left.
struct PendingAccess {
  uintptr_t address;
  size_t size;
  uintptr_t pc;
  AccessKind kind;
};

struct Record;

// What became of a word's W under an access of mine: the same old state, bytes, kind and origin in the same epoch
// give the same new state (records.cpp; neither state is a record that changes in place).
struct Transition {
  uint32_t w;  // before
  OriginId w_origin;
  EpochId current;
  OriginId origin;
  uint32_t what;  // bytes and kind
  uint32_t new_w;
  OriginId new_w_origin;  // only where the new state has one
};
inline constexpr uint32_t kTransitions = 64;

// What live/shadow and the rooms above it keep with a thread. This room only carries it.
struct ThreadShadow {
  Record* spare_records[4] = {};  // by size class, see records.h
  uint32_t spare_count[4] = {};
  uint32_t spare_byte_reads = 0;  // the first of a list, see byte_reads.h
  uint32_t spare_byte_reads_count = 0;
  uint64_t freed_told[64] = {};   // uses of freed memory that were told: see report.cpp
  NodeId ignoring_since[4] = {};  // where the program asked not to be looked at since it last was
  PendingAccess pending[16];
  uint32_t pending_count = 0;
  uint32_t races_in_hand = 0;  // found and not yet told: their paths are not collected (path_collection.h)
  Transition transitions[kTransitions];
};

struct Thread : ThreadOrder, ThreadShadow, ThreadPaths {
  uintptr_t stack_begin = 0, stack_end = 0;
  uintptr_t tls_begin = 0, tls_end = 0;
  Tls* own_tls = nullptr;  // of the system's thread that it began on

  // For the collection of call paths, which only sees a thread's state from outside (path_collection.h).
  bool left = true;  // seen outside of the run time since the last collection; guarded by the registry
  bool is_fiber = false, is_foreign = false;  // a foreign one may end without a word
  bool is_gone = false;                       // it did not come along when the process was forked

  Thread* next_live = nullptr;  // list of live threads, guarded by the registry

  [[no_unique_address]] record::ThreadBuffer recording;
};

// Kept for the whole run.
struct ThreadInfo {
  int os_id;
  ThreadUid parent;
  NodeId created_at;
  bool running;
  bool joined_or_detached;
  char name[16];
};

inline constexpr uint32_t kMaxThreads = 1u << 24;
extern ThreadInfo* thread_infos __attribute__((visibility("hidden")));
inline ThreadInfo& info_of(ThreadUid uid) { return thread_infos[number_of(uid)]; }
// As reports show it; what is longer is cut off.
inline void set_thread_name(ThreadUid uid, const char* name) {
  char(&to)[sizeof ThreadInfo::name] = info_of(uid).name;
  size_t i = 0;
  for (; i + 1 < sizeof to && name[i] != 0; ++i) to[i] = name[i];
  to[i] = 0;
  if constexpr (record::kOn) record::thread_name(uid, to);
}
extern std::atomic<uint32_t> thread_count;  // uids handed out
extern ThreadUid first_thread;              // of this process: the main thread, or the one that forked
extern std::atomic<bool> started;           // the run time is ready

// The calling thread; makes it known first if it is not (the main thread at start, threads made by raw clone).
Thread* current_thread_slow();
inline Thread* current_thread() {
  Thread* t = tls.thread;
  return __builtin_expect(t != nullptr, 1) ? t : current_thread_slow();
}

void threads_start();

// ---- what this room asks of those above it; the definitions are there, or in a test ----
void start_runtime();  // brings all rooms up, once (process/lifecycle.cpp)
// The shadow's part in a thread's life (shadow/thread_shadow.cpp), inside the run time:
void shadow_adopts(Thread& t);            // its class is known: where its planes are. Under the lock of the registry
void shadow_of_new_stack(Thread& t);      // its stack is watched, and has no history
void shadow_remembers_no_ids(Thread& t);  // of epochs and of paths: they may be of others from now on
void shadow_releases(Thread& t);          // it ends

// create: in the parent, before the real call. The child's number and clock wait in `Birth` until it runs.
struct Birth {
  ThreadUid uid;
  Slot slot;
  Clock first_clock;
  LiveClock clock;
};
Birth* thread_create(Thread& parent, NodeId where);
void thread_create_failed(Thread& parent, Birth* birth);
void thread_begin(Birth* birth, bool fiber = false);  // in the child; a fiber has no stack that is known
// In the ending thread, inside the run time, after everything else it does.
void thread_end(Thread& t);
// All that has ended, once no other thread is left.
void learn_of_ended(Thread& t);
// The joiner takes the ended thread's clock. `uid` is forgotten as a candidate for joins.
void thread_join(Thread& joiner, ThreadUid uid);
void thread_detach(ThreadUid uid);
uint32_t threads_alive();
// How far the live threads have come, by their own entries; the calling one is left out. Returns how many.
size_t live_epochs(Epoch* own, size_t most);
// Whether the address is on the stack, or in the thread-local storage, of a live thread.
bool thread_of_memory(uintptr_t address, ThreadUid& uid, bool& thread_local_data);
// A function of the program that has been entered and not left, as a thread's shadow stack knows it.
struct EnteredFunction {
  ThreadUid thread;
  uintptr_t below;           // where the return addresses of its own calls are put; its variables lie above
  uintptr_t outer_below;     // the same of the next function out, or the end of the stack
  uintptr_t return_address;  // into its caller
  NodeId path;               // kNoNode if nobody has asked for it since it was entered
};
// If the address is a variable of an instrumented function, it is of the first of these, in whose frame it lies, or a
// parameter of the second, which the first has called. Returns how many there are. The thread may run on meanwhile.
unsigned functions_around(uintptr_t address, EnteredFunction (&functions)[2]);

// C := C join S, done right: what was learned is remembered.
inline void learn(Thread& t, const LiveClock& from) {
  if (t.C.join(from)) t.learned = true;
}
// The entry under which `t` gives its clock away now. Afterwards: `tick(t)`.
inline Epoch publish_epoch(const Thread& t) {
  const Epoch E = t.C.own();
  return t.used || t.learned ? E : Epoch(E.slot(), E.clock() - 1);
}
void tick_slow(Thread& t);
inline void tick(Thread& t) {
  if (t.used || t.learned) tick_slow(t);
}

inline void set_current(Thread& t, EpochId id) {
  t.current = id;
  tls.current_twice = uint64_t{number_of(id)} << 32 | number_of(id);
  // A thread that is alone reads nothing that matters to anybody but freed memory: its reads look at W, as its writes
  // do, and hit where that is 0.
  tls.read_plane = t.is_alone() ? t.plane_alone : t.plane_shared;
  tls.inline_read_cells = t.is_alone() ? t.inline_alone : t.inline_shared;
  tls.inline_write_cells = t.inline_write;
  tls.inline_mask = t.inline_mask;
}

// Whether no other thread runs or may come unseen. A thread that nobody created through us ends that from outside: it
// changes `current_twice`, so that nothing hits any more, and the epoch gets its id here.
void end_being_alone(Thread& t);
inline bool is_left_alone(Thread& t) {
  if (__builtin_expect(!t.is_alone(), 1)) return false;
  if (tls.current_twice == 0) return true;
  end_being_alone(t);
  return false;
}
// From here on threads may come that nobody creates through us.
void expect_foreign_threads(Thread& t);

// Whether the epoch is ordered before everything the thread does from now on.
constexpr unsigned place_in_known(EpochId id) { return (number_of(id) ^ number_of(id) >> 8) & 7; }
bool is_ordered_slow(Thread& t, EpochId id);
inline bool is_ordered(Thread& t, EpochId id) {
  const bool mine = number_of(t.chunk_end) - 1 - number_of(id) <
                    kChunkIds;  // of the thread's own chunk, not yet counting those to come
  return mine || t.known_before[place_in_known(id)] == id || is_ordered_slow(t, id);
}

NodeId held_node_slow(Thread& t);
inline NodeId held_node(Thread& t) { return __builtin_expect(t.held_node_known, 1) ? t.held_node : held_node_slow(t); }
OriginId origin_slow(NodeId access, NodeId locks);
// The stack of an access at `pc` with the locks held now. `what` is what_code (stacks.h). In line, since most callers
// know it.
__attribute__((always_inline)) inline OriginId origin_of(Thread& t, uintptr_t pc, uint32_t what) {
  const NodeId access = t.stack_cache.child(context_node(t), access_key(pc, what));
  const NodeId locks = held_node(t);
  if (locks == kNoNode) return as_origin(access);
  const OriginId packed = pack(kPackedForms[0], access, locks);
  return __builtin_expect(packed != kNoOrigin, 1) ? packed : origin_slow(access, locks);
}

// ---- locks held, for reports ----
// `alone` is the node of the set of this lock only.
void held_grow(Thread& t);
inline void held_push(Thread& t, uintptr_t lock, SyncObject* object, bool for_reading, NodeId where, NodeId alone) {
  if (__builtin_expect(t.held_count == t.held_capacity, 0)) held_grow(t);
  t.held[t.held_count++] = {lock, object, where, alone, 1, for_reading};
  t.held_node = alone;
  t.held_node_known = t.held_count == 1;
}
inline HeldLock* held_find(Thread& t, uintptr_t lock) {
  for (uint32_t i = t.held_count; i-- > 0;)
    if (t.held[i].lock == lock) return &t.held[i];
  return nullptr;
}
void held_remove(Thread& t, HeldLock* lock);
// The one taken last.
inline void held_pop(Thread& t) {
  --t.held_count;
  t.held_node = kNoNode;
  t.held_node_known = t.held_count == 0;
}

// During a collection of epoch ids: marks those of live threads, drops what threads remember about others.
void threads_forget_ids();
// What one thread remembers about ids.
void forget_ids(Thread& t);
// In the child of a fork: the other threads did not come along.
void threads_after_fork();
// The buffers that live threads record into are gone.
void threads_forget_buffers();

}  // namespace deadheat::live
