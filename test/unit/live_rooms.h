// What the rooms under test ask of those above them, and threads that take turns on the one that runs the test.
//
// The shadow of a test is a set of epoch ids and of call paths that it says are named.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "base/access_kind.h"
#include "live/ground/inside.h"
#include "live/order/lock_order.h"
#include "live/order/thread.h"

namespace deadheat::live::test {

struct Above {
  std::multiset<EpochId> named_ids;
  std::multiset<NodeId> named_paths;
  std::vector<LockCycle> cycles;
  unsigned id_searches = 0, path_searches = 0;
  struct Access {
    uintptr_t address;
    AccessKind kind;
  };
  std::vector<Access> accesses;
  unsigned fresh = 0;  // how often memory was said to be new
};
extern Above above;

// The rooms start once, before the first test. Forgets what an earlier test told those above.
void start_rooms();

// A thread with a clock and a shadow stack of its own. All of them run on the system's thread of the test; `run` makes
// one of them the calling thread for a moment.
class Actor {
 public:
  Actor();                        // made by nobody: the first one of the program, or a child of it
  explicit Actor(Actor& parent);  // forked
  ~Actor();                       // ends and is detached, unless it was joined
  Actor(const Actor&) = delete;
  Actor& operator=(const Actor&) = delete;

  void join(Actor& ended);

  template <class Do>
  auto run(Do action) {
    const Turn turn(*thread_);
    return action(*thread_);
  }
  Thread& thread() { return *thread_; }

 private:
  struct Turn {
    explicit Turn(Thread& t);
    ~Turn();
    Thread* before;
    Inside inside;
  };
  void begin(Thread& parent);
  void end();

  Thread* thread_ = nullptr;
  ThreadUid uid_{};
};

}  // namespace deadheat::live::test
