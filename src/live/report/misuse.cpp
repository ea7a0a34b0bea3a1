#include "live/report/misuse.h"

#include "live/ground/hash.h"
#include "live/ground/options.h"
#include "live/report/report.h"

namespace deadheat::live {
namespace {

struct Misuse {
  uintptr_t lock;
  NodeId where, locked_at;
};

struct Handler {
  int signal;
  NodeId where;
};

struct Leak {
  ThreadUid first;
  unsigned count;
};

// One bug is what happens at one place, by one call path.
OtherKey at_place(NodeId where) { return {number_of(where), number_of(where)}; }

}  // namespace

void report_misuse(FindingKind kind, uintptr_t lock, NodeId where, NodeId locked_at) {
  if (!options.report_mutex_bugs) return;
  Misuse misuse{lock, where, locked_at};
  report_other(
      kind, {uint64_t{number_of(where)} << 32 ^ lock, mix(mix(number_of(where), number_of(locked_at)), lock)},
      [](Draft& draft, void* data) {
        const Misuse& found = *static_cast<Misuse*>(data);
        draft.add_stack(found.where);
        if (found.locked_at != kNoNode) draft.add_stack(found.locked_at, FindingStack::kAnd);
        draft.add_lock(found.lock);
        draft.find_memory(found.lock, 1);
      },
      &misuse);
}

void report_locks_held(Thread& t, NodeId where) {
  if (!options.report_mutex_bugs || t.held_count == 0) return;
  struct Held {
    Thread& thread;
    NodeId where;
  } held{t, where};
  report_other(
      FindingKind::kMutexHeld, at_place(where),
      [](Draft& draft, void* data) {
        const Held& found = *static_cast<Held*>(data);
        draft.add_stack(found.where);
        for (uint32_t i = 0; i < found.thread.held_count; ++i) draft.add_lock(found.thread.held[i].lock);
      },
      &held);
}

void report_thread_leaks() {
  if (!options.report_thread_leaks) return;
  const uint32_t count = thread_count.load(std::memory_order_acquire);
  const ThreadUid me = tls.thread != nullptr ? tls.thread->uid : first_thread;
  // The creator of a thread may still join it as long as it runs.
  const auto may_be_joined = [me](ThreadUid uid) {
    return info_of(uid).parent != me && info_of(info_of(uid).parent).running;
  };
  const auto leaked = [&](ThreadUid uid) {
    return uid != first_thread && !may_be_joined(uid) && !info_of(uid).running && !info_of(uid).joined_or_detached &&
           info_of(uid).os_id != 0;
  };
  for (uint32_t i = 0; i < count; ++i) {
    const ThreadUid uid{i};
    if (!leaked(uid)) continue;
    Leak leak{uid, 0};
    for (uint32_t j = i; j < count; ++j) {
      const ThreadUid other{j};
      if (!leaked(other) || info_of(other).created_at != info_of(uid).created_at) continue;
      ++leak.count;
      if (other != uid) info_of(other).joined_or_detached = true;  // told together with the first
    }
    report_other(
        FindingKind::kThreadLeak, at_place(info_of(uid).created_at),
        [](Draft& draft, void* data) {
          const Leak& found = *static_cast<Leak*>(data);
          draft.add_thread_with_creation(found.first);
          draft.finding.repeated = found.count;
        },
        &leak);
  }
}

void report_ended_ignoring(Thread& t) {
  OtherKey key = at_place(info_of(t.uid).created_at);
  for (const NodeId since : t.ignoring_since) key.paths = mix(key.paths, number_of(since));
  report_other(
      FindingKind::kIgnoringEnd, key,
      [](Draft& draft, void* data) {
        const Thread& ended = *static_cast<Thread*>(data);
        FindingStack& created = draft.add_stack(info_of(ended.uid).created_at, FindingStack::kCreatedAt);
        created.thread = number_of(ended.uid);
        created.thread_name = info_of(ended.uid).name;
        for (const NodeId since : ended.ignoring_since)
          if (since != kNoNode) draft.add_stack(since, FindingStack::kIgnoredSince);
      },
      &t);
}

void report_unsafe_in_handler(NodeId where) {
  if (!options.report_signal_unsafe) return;
  report_other(
      FindingKind::kSignalUnsafe, at_place(where),
      [](Draft& draft, void* data) { draft.add_stack(*static_cast<NodeId*>(data)); }, &where);
}

void report_spoiled_errno(int signal, NodeId where) {
  if (!options.report_signal_unsafe) return;
  Handler handler{signal, where};
  report_other(
      FindingKind::kSpoiledErrno, at_place(where),
      [](Draft& draft, void* data) {
        const Handler& found = *static_cast<Handler*>(data);
        draft.add_stack(found.where, FindingStack::kSignal).signal = found.signal;
      },
      &handler);
}

}  // namespace deadheat::live
