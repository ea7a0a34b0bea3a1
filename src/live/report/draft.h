// A finding in the making. The thread that found something fills it in, from nodes of call paths, addresses and
// numbers of threads. Then it is reported (report.h), and the program may ask about it (capture/report_query.cpp).
//
// Each is part of a session (report_session.h) and belongs to the thread that has it open. Its texts and stacks are the
// session's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "live/order/thread.h"
#include "live/paths/stacks.h"
#include "race/finding.h"

namespace deadheat::live {

class Draft {
 public:
  static constexpr unsigned kMostStacks = 16, kMostLocks = 32, kMostThreads = 12;

  Finding finding;

  void clear();
  // A race of two accesses. `bytes` is 0 for a past access, whose origin knows them; `at` is then one of them.
  void set_side(unsigned which, uintptr_t at, size_t bytes, AccessKind kind, ThreadUid thread, OriginId origin);
  Side& side(unsigned which) { return sides_[which]; }
  OriginId origin(unsigned which) const { return origins_[which]; }
  bool is_of_vptr(unsigned which) const;  // whether it stores or reads the pointer to a table of virtual functions
  // The epochs in which a race's accesses were made; `later` is the calling thread's.
  void set_epochs(Epoch later, Epoch earlier) {
    epochs_[0] = later;
    epochs_[1] = earlier;
  }
  // Or anything else.
  void add_lock(uintptr_t lock);
  FindingStack& add_stack(NodeId where, FindingStack::Head head = FindingStack::kPlain);
  void add_thread(ThreadUid uid);
  // Says where the thread was created before anything is told: it stands for the finding.
  void add_thread_with_creation(ThreadUid uid);
  // What the bytes are; the sides are set already.
  void find_memory(uintptr_t address, size_t bytes);
  // The stacks of the sides; locks and threads named are collected.
  void resolve(NodeId slept_at);
  // The rest, once it is certain that the finding is told: where locks and threads come from.
  void complete();

 private:
  void collect_locks(unsigned which, NodeId set);
  void add_creation(FindingThread& thread);

  Side sides_[2];
  OriginId origins_[2];
  Epoch epochs_[2];
  FindingStack stacks_[kMostStacks];
  FindingLock locks_[kMostLocks];
  FindingThread threads_[kMostThreads];
};

}  // namespace deadheat::live
