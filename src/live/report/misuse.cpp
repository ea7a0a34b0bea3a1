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

}  // namespace

void report_misuse(FindingKind kind, uintptr_t lock, NodeId where, NodeId locked_at) {
  if (!options.report_mutex_bugs) return;
  Misuse misuse{lock, where, locked_at};
  report_other(
      kind, {uint64_t{where} << 32 ^ lock, mix(mix(where, locked_at), lock)},
      [](Draft& draft, void* data) {
        const Misuse& found = *static_cast<Misuse*>(data);
        draft.add_stack(found.where);
        if (found.locked_at != 0) draft.add_stack(found.locked_at, FindingStack::kAnd);
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
      FindingKind::kMutexHeld, {where, where},
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
    return thread_infos[uid].parent != me && thread_infos[thread_infos[uid].parent].running;
  };
  const auto leaked = [&](ThreadUid uid) {
    return uid != first_thread && !may_be_joined(uid) && !thread_infos[uid].running &&
           !thread_infos[uid].joined_or_detached && thread_infos[uid].os_id != 0;
  };
  for (ThreadUid uid = 0; uid < count; ++uid) {
    if (!leaked(uid)) continue;
    Leak leak{uid, 0};
    for (ThreadUid other = uid; other < count; ++other) {
      if (!leaked(other) || thread_infos[other].created_at != thread_infos[uid].created_at) continue;
      ++leak.count;
      if (other != uid) thread_infos[other].joined_or_detached = true;  // told together with the first
    }
    report_other(
        FindingKind::kThreadLeak, {thread_infos[uid].created_at, thread_infos[uid].created_at},
        [](Draft& draft, void* data) {
          const Leak& found = *static_cast<Leak*>(data);
          draft.add_thread_with_creation(found.first);
          draft.finding.repeated = found.count;
        },
        &leak);
  }
}

void report_ended_ignoring(Thread& t) {
  uint64_t paths = thread_infos[t.uid].created_at;
  for (const NodeId since : t.ignoring_since) paths = mix(paths, since);
  report_other(
      FindingKind::kIgnoringEnd, {thread_infos[t.uid].created_at, paths},
      [](Draft& draft, void* data) {
        const Thread& ended = *static_cast<Thread*>(data);
        FindingStack& created = draft.add_stack(thread_infos[ended.uid].created_at, FindingStack::kCreatedAt);
        created.thread = ended.uid;
        created.thread_name = thread_infos[ended.uid].name;
        for (const NodeId since : ended.ignoring_since)
          if (since != 0) draft.add_stack(since, FindingStack::kIgnoredSince);
      },
      &t);
}

void report_unsafe_in_handler(NodeId where) {
  if (!options.report_signal_unsafe) return;
  report_other(
      FindingKind::kSignalUnsafe, {where, where},
      [](Draft& draft, void* data) { draft.add_stack(*static_cast<NodeId*>(data)); }, &where);
}

void report_spoiled_errno(int signal, NodeId where) {
  if (!options.report_signal_unsafe) return;
  Handler handler{signal, where};
  report_other(
      FindingKind::kSpoiledErrno, {where, where},
      [](Draft& draft, void* data) {
        const Handler& found = *static_cast<Handler*>(data);
        draft.add_stack(found.where, FindingStack::kSignal).signal = found.signal;
      },
      &handler);
}

}  // namespace deadheat::live
