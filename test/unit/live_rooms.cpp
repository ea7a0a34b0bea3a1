#include "live_rooms.h"

#include <cstdio>

#include "live/api.h"
#include "live/ground/locks.h"
#include "live/ground/message.h"
#include "live/ground/options.h"
#include "live/ground/touched.h"
#include "live/modules/loaded.h"
#include "live/order/epochs.h"
#include "live/paths/path_collection.h"
#include "live/shadow/shadow.h"

namespace deadheat::live {

// ---- what the rooms ask of those above ----

using test::above;

void start_runtime() {}
void do_postponed() {}
void write_log(const char* data, size_t bytes) { std::fwrite(data, 1, bytes, stderr); }

void shadow_adopts(Thread&) {}
void shadow_of_new_stack(Thread&) {}
void shadow_remembers_no_ids(Thread&) {}
void shadow_releases(Thread&) {}
void shadow_mark_ids() {
  ++above.id_searches;
  for (const EpochId id : above.named_ids) epochs_mark(id);
}
size_t shadow_mark_paths() {
  ++above.path_searches;
  for (const NodeId node : above.named_paths) stack_mark(node);
  return 0;
}
void access_range(uintptr_t address, size_t, AccessKind kind, uintptr_t) { above.accesses.push_back({address, kind}); }
void fresh_range(const void*, size_t) { ++above.fresh; }
bool callers_filtered = false;
bool caller_ignored_slow(uintptr_t) { return false; }
void report_lock_cycle(const LockCycle& cycle) { above.cycles.push_back(cycle); }

template <>
void lock_all<Lock::kStripes>() {}
template <>
void unlock_all<Lock::kStripes>() {}

namespace test {

Above above;

namespace {

// The thread that runs the test. It is the parent of those that nobody forked, and is never looked at.
Thread* first;

void put_aside(Thread& t) { t.fiber_sp = tls.sp; }
void take_up(Thread& t) {
  tls.thread = &t;
  tls.base = static_cast<Frame*>(t.shadow_stack);
  tls.limit = tls.base + t.shadow_stack_bytes / sizeof(Frame);
  tls.sp = t.fiber_sp;
  set_current(t, t.current);
}

}  // namespace

void start_rooms() { above = {}; }

namespace {

// Before any test makes a thread, or is inside the run time.
[[maybe_unused]] const bool started_first = [] {
  options.epoch_chunks = 64;
  touched_start();
  epochs_start();
  stacks_start();
  threads_start();
  first = current_thread();
  return first != nullptr;
}();

}  // namespace

Actor::Turn::Turn(Thread& t) : before(tls.thread) {
  put_aside(*before);
  take_up(t);
}
Actor::Turn::~Turn() {
  put_aside(*tls.thread);
  take_up(*before);
}

Actor::Actor() { begin(*first); }
Actor::Actor(Actor& parent) {
  const Turn turn(*parent.thread_);
  begin(*parent.thread_);
}
Actor::~Actor() {
  end();
  const Inside inside;
  thread_detach(uid_);
}

void Actor::begin(Thread& parent) {
  const Inside inside;
  Birth* const birth = thread_create(parent, kNoNode);
  put_aside(parent);
  thread_begin(birth, true);
  thread_ = tls.thread;
  uid_ = thread_->uid;
  put_aside(*thread_);
  take_up(parent);
}

void Actor::end() {
  if (thread_ == nullptr) return;
  Thread& before = *tls.thread;
  put_aside(before);
  take_up(*thread_);
  {
    const Inside inside;
    thread_end(*thread_);
  }
  thread_ = nullptr;
  take_up(before);
}

void Actor::join(Actor& ended) {
  ended.end();
  const Turn turn(*thread_);
  const Inside inside;
  thread_join(*thread_, ended.uid_);
}

}  // namespace test
}  // namespace deadheat::live
