// What an operation that orders threads does to clocks: the tables of docs/semantics.md, once, for every kind of clock.
//
// The rules do not know how a clock is stored, where it lies or what it costs. A party t is a thread that carries out an
// operation; it is anything with
//   t.take(X)              C join X
//   t.publish(Y, how)      Y := C or Y join C, and afterwards the thread ticks
//   t.pass_on(Y, X, how)   Y := X or Y join X, where X is one of the thread's clocks of fences or Y is one
//   t.clear(Y)             Y := nothing
//   t.Fr(), t.Fa()         the clock of the last release fence, and what relaxed reads saw released
// X and Y are whatever the party understands: a clock, or a name under which it finds or makes one. The users are the
// vector clocks of recorded runs (happens_before.cpp), Goldilocks' elements of locksets (goldilocks_order.cpp) and the
// clocks of live programs (live/order/party.h).
// Tested by test/rules/happens_before_test.cpp, test/rules/goldilocks_test.cpp, test/differential, test/programs
#pragma once

#include "base/memory_order.h"

namespace deadheat::order {

enum class How : bool { kAssign, kJoin };

// ---- Locks: Lw is what writers released, Lr what readers did. A mutex is a lock that has writers only.

template <class Party, class Writers, class Readers>
inline void lock(Party& t, Writers& Lw, Readers& Lr) {
  t.take(Lw);
  t.take(Lr);
}
template <class Party, class Writers, class Readers>
inline void unlock(Party& t, Writers& Lw, Readers& Lr) {
  t.publish(Lw, How::kAssign);
  t.clear(Lr);
}
template <class Party, class Writers>
inline void lock_shared(Party& t, Writers& Lw) {
  t.take(Lw);
}
template <class Party, class Readers>
inline void unlock_shared(Party& t, Readers& Lr) {
  t.publish(Lr, How::kJoin);
}

// ---- Meetings: a semaphore, a latch, a message, the generation of a barrier. Which post a wait answers cannot be known.

template <class Party, class Clock>
inline void post(Party& t, Clock& X) {
  t.publish(X, How::kJoin);
}
template <class Party, class Clock>
inline void wait(Party& t, Clock& X) {
  t.take(X);
}

// ---- Atomics: S is what a read of the object's value synchronises with.

template <class Party, class Object>
inline void atomic_read(Party& t, Object& S, MemoryOrder order) {
  if (acquires(order))
    t.take(S);
  else
    t.pass_on(t.Fa(), S, How::kJoin);
}

// A store, or the write of a read-modify-write, which has its read behind it.
template <class Party, class Object>
inline void atomic_store(Party& t, Object& S, MemoryOrder order) {
  if (releases(order))
    t.publish(S, How::kAssign);
  else
    t.pass_on(S, t.Fr(), How::kAssign);  // a new release sequence, headed by the fence if there was one
}
template <class Party, class Object>
inline void atomic_modify(Party& t, Object& S, MemoryOrder order) {
  if (!releases(order))
    t.pass_on(S, t.Fr(), How::kJoin);  // the sequence goes on
  else
    t.publish(S, acquires(order) ? How::kAssign : How::kJoin);  // a thread that has just taken S knows all of it
}

template <class Party>
inline void fence(Party& t, MemoryOrder order) {
  if (acquires(order)) t.take(t.Fa());
  if (releases(order)) t.publish(t.Fr(), How::kAssign);
}

}  // namespace deadheat::order
