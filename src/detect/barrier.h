// A barrier's generations: a thread that leaves learns from the threads that entered the same generation, and from no
// later ones.
//
// Idea     A thread may leave slowly, when fast ones are already inside again. So a generation is closed when the first
//          thread leaves it, the next to enter opens a new one, and each thread remembers which one it entered.
// State    the generation that is open or was last, and for each thread inside the one it entered; `Clock` is whatever
//          the owner publishes to: trivially copyable, empty when value-initialised
// Cost     O(1), and the owner's work with the clock. A generation is freed when its last thread has left it.
// Tested by test/rules/happens_before_test.cpp, test/rules/goldilocks_test.cpp, test/rules/racetrack_order_test.cpp
#pragma once

#include "base/ids.h"
#include "base/table.h"

namespace deadheat {

template <class Clock>
class Barrier {
 public:
  // The clock that the thread is to publish to.
  Clock& enter(Arena& arena, ThreadId id) {
    if (current_ == nullptr || current_->closed) current_ = arena.make<Generation>();
    ++current_->inside;
    entered_.at(arena, index(id)) = current_;
    return current_->clock;
  }

  // Calls take(clock) and, if no thread will need that clock any more, release(clock).
  template <class Take, class Release>
  void leave(Arena& arena, ThreadId id, Take take, Release release) {
    Generation** entered = entered_.find(index(id));
    if (entered == nullptr) return;  // the validator has said so
    Generation* generation = *entered;
    entered_.erase(index(id));
    take(generation->clock);
    generation->closed = true;
    if (--generation->inside > 0) return;
    if (current_ == generation) current_ = nullptr;
    release(generation->clock);
    arena.destroy(generation);
  }

 private:
  struct Generation {
    Clock clock;
    uint32_t inside;  // entered and not yet left
    bool closed;      // somebody left: the next to enter opens a new generation
  };

  Generation* current_ = nullptr;
  HashTable<Generation*> entered_;  // by thread
};

}  // namespace deadheat
