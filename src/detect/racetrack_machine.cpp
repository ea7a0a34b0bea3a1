#include "detect/racetrack_machine.h"

namespace deadheat {

const std::string_view RaceTrackMachine::kEdgeNames[kEdgeCount] = {
    "first access", "same thread",    "second thread", "ordered 1",      "share read",
    "share modify", "share unlocked", "read shared",   "modify",         "modify unlocked",
    "locked 1",     "unlocked 1",     "ordered 2",     "share again",    "share again unlocked",
    "alone",        "locked 2",       "race",          "another thread", "after race",
    "basic alone",  "basic shared",   "basic race",    "not watched"};

void RaceTrackMachine::sync(const Event& e) {
  // The start of an event is the safe point of the tables: every set in use is retained.
  locksets_.sweep_if_due();
  threadsets_.sweep_if_due();
  if (!follow(held_, e)) order_.sync(e);
}

RaceTrackMachine::Edge RaceTrackMachine::access(const Access& a, RaceTrackState& x, bool is_object) {
  const RaceTrackState now = x.load();
  // By far the most common: an object that one thread has for itself. No clock, no lock, no table.
  if (now.state() == RaceTrackState::State::kExclusive0 && now.owner() == a.thread) return Edge::kSameThread;
  locksets_.sweep_if_due();
  threadsets_.sweep_if_due();
  const Mover m{a, order_.B(a.thread), a.kind != AccessKind::kRead, is_object};
  while (true) {
    const RaceTrackState old = x.load();
    const Step taken = step(m, old);
    retain(taken.next);
    if (x.replace(old, taken.next)) {
      release(old);
      return taken.edge;
    }
    release(taken.next);  // another thread was quicker: look again
  }
}

RaceTrackMachine::Step RaceTrackMachine::step(const Mover& m, RaceTrackState x) {
  using State = RaceTrackState::State;
  const ThreadId t = m.a.thread;
  if (setting_ == Setting::kBasic) return basic(m, x);
  switch (x.state()) {
    case State::kVirgin:
      return {Edge::kFirstAccess, RaceTrackState::exclusive0(t)};
    case State::kExclusive0:
      if (x.owner() == t) return {Edge::kSameThread, x};
      // Without threadsets there is no Exclusive1: the second thread counts as concurrent, as in Eraser.
      if (setting_ == Setting::kLockset) return concurrent(m);
      // Whether the owner's accesses are ordered before this one is not known: no clock was kept.
      return {Edge::kSecondThread, RaceTrackState::exclusive1(m.label())};
    case State::kExclusive1:
      if (precedes(x.S(), m.B)) return {Edge::kOrdered1, RaceTrackState::exclusive1(m.label())};
      return concurrent(m);
    case State::kSharedRead: {
      const LocksetId C = locksets_.intersection(x.C(), L(m));
      if (!m.is_write) return {Edge::kReadShared, RaceTrackState::shared_read(C)};
      if (C == kNoLocks) return suspect(m, Edge::kModifyUnlocked);
      return {Edge::kModify, RaceTrackState::shared_modify1(C)};
    }
    case State::kSharedModify1: {
      const LocksetId C = locksets_.intersection(x.C(), L(m));
      if (C == kNoLocks) return suspect(m, Edge::kUnlocked1);
      return {Edge::kLocked1, RaceTrackState::shared_modify1(C)};
    }
    case State::kExclusive2: {
      if (precedes(x.S(), m.B)) return {Edge::kOrdered2, RaceTrackState::exclusive2(m.label())};
      const LocksetId C = L(m);
      if (C == kNoLocks) return race(m, Edge::kShareAgainUnlocked);
      const ThreadLabel S = x.S();
      return {Edge::kShareAgain, RaceTrackState::shared_modify2(C, threadsets_.after({&S, 1}, m.B, t))};
    }
    case State::kSharedModify2:
      return shared_modify2(m, x);
    case State::kRaceDetected:
      return after_race(m, x);
    case State::kRefined:
      break;
  }
  return {Edge::kAfterRace, x};
}

// Exclusive1 ends: S would have two elements. It is dropped, and C begins with the locks of this access.
RaceTrackMachine::Step RaceTrackMachine::concurrent(const Mover& m) {
  const LocksetId C = L(m);
  if (!m.is_write) return {Edge::kShareRead, RaceTrackState::shared_read(C)};
  if (C == kNoLocks) return suspect(m, Edge::kShareUnlocked);
  return {Edge::kShareModify, RaceTrackState::shared_modify1(C)};
}

// The lockset alone does not protect x. From here on the threadset has a say; without it, this is the end.
RaceTrackMachine::Step RaceTrackMachine::suspect(const Mover& m, Edge edge) const {
  if (setting_ == Setting::kLockset) return {edge, RaceTrackState::race_detected(m.a.thread)};
  return {edge, RaceTrackState::exclusive2(m.label())};
}

RaceTrackMachine::Step RaceTrackMachine::shared_modify2(const Mover& m, RaceTrackState x) {
  const ThreadsetId S = threadsets_.after(threadsets_[x.threadset()], m.B, m.a.thread);
  if (threadsets_[S].size() == 1) return {Edge::kAlone, RaceTrackState::exclusive2(m.label())};
  const LocksetId C = locksets_.intersection(x.C(), L(m));
  if (C == kNoLocks) return race(m, Edge::kRace);
  return {Edge::kLocked2, RaceTrackState::shared_modify2(C, S)};
}

RaceTrackMachine::Step RaceTrackMachine::race(const Mover& m, Edge edge) const {
  return {edge, m.is_object ? RaceTrackState::refined() : RaceTrackState::race_detected(m.a.thread)};
}

RaceTrackMachine::Step RaceTrackMachine::after_race(const Mover& m, RaceTrackState x) const {
  const uint32_t name = static_cast<uint32_t>(m.a.thread) + 1;
  const uint32_t second = x.second_thread();
  if (second == RaceTrackState::kEnough || m.a.thread == x.first_thread() || name == second)
    return {Edge::kAfterRace, x};
  return {Edge::kAnotherThread,
          RaceTrackState::race_detected(x.first_thread(), second == 0 ? name : RaceTrackState::kEnough)};
}

// Figure 2, as it is printed. C of a variable that was never accessed is the set of all locks: then S is a singleton,
// and C is set without being looked at.
RaceTrackMachine::Step RaceTrackMachine::basic(const Mover& m, RaceTrackState x) {
  const bool is_fresh = !x.has_threadset();
  const ThreadsetId S =
      is_fresh ? threadsets_.singleton(m.label()) : threadsets_.after(threadsets_[x.threadset()], m.B, m.a.thread);
  const bool is_shared = threadsets_[S].size() > 1;
  const LocksetId C = is_shared ? locksets_.intersection(x.C(), L(m)) : L(m);
  const Edge edge = !is_shared ? Edge::kBasicAlone : C == kNoLocks ? Edge::kBasicRace : Edge::kBasicShared;
  return {edge, RaceTrackState::shared_modify2(C, S)};
}

}  // namespace deadheat
