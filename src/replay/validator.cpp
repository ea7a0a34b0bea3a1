#include "replay/validator.h"

#include <fmt/format.h>

namespace deadheat {

void Validator::complain(std::string what) {
  if (lenient_) return;
  throw TraceError(fmt::format("{}: {}", reader_.position(*batch_, at_), what));
}

void Validator::check(Batch& batch) {
  batch_ = &batch;
  lives_.resize(reader_.names().threads.size());
  const Life* lives = lives_.data();
  for (size_t i = 0, count = batch.events.size(); i < count; ++i) {
    const Event& e = batch.events[i];
    if (e.kind <= EventKind::kCasFail && lives[index(e.thread)] == Life::kRunning) [[likely]]
      continue;
    check_slow(batch, i);
  }
}

void Validator::check_slow(Batch& batch, size_t i) {
  Event& e = batch.events[i];
  if (e.kind == EventKind::kNothing) return;
  at_ = i;
  Verdict verdict = Verdict::kGood;
  if (const Life l = life(e.thread); l == Life::kJoined || l == Life::kEnded) {
    complain(fmt::format("an event of {}, which {} before; expected no further event of it", name(e.thread),
                         l == Life::kJoined ? "was joined" : "was seen to have ended"));
    verdict = Verdict::kDrop;
  } else {
    life(e.thread) = Life::kRunning;
    switch (e.kind) {
      case EventKind::kAcquire:
        verdict = acquire(e);
        break;
      case EventKind::kRelease:
        verdict = release(e);
        break;
      case EventKind::kReadAcquire:
        verdict = read_acquire(e);
        break;
      case EventKind::kReadRelease:
        verdict = read_release(e);
        break;
      case EventKind::kFork:
        verdict = fork(e);
        break;
      case EventKind::kJoin:
        verdict = join(e);
        break;
      case EventKind::kSeenEnded:
        verdict = see_ended(e);
        break;
      case EventKind::kBarrierEnter:
      case EventKind::kBarrierLeave: {
        if (e.target >= barriers_.size()) barriers_.resize(e.target + 1);
        bool& inside = barriers_[e.target].inside[static_cast<uint32_t>(e.thread)];
        const bool enters = e.kind == EventKind::kBarrierEnter;
        if (inside == enters) {
          complain(fmt::format("{} {} barrier {}; expected it to {} first", name(e.thread),
                               enters ? "enters again" : "leaves, but never entered,",
                               reader_.names().barriers[static_cast<BarrierId>(e.target)], enters ? "leave" : "enter"));
          verdict = Verdict::kDrop;
        }
        inside = enters;
        break;
      }
      case EventKind::kAlloc:
        verdict = allocate(e);
        break;
      case EventKind::kFree:
        verdict = free(e);
        break;
      default:
        break;
    }
  }
  if (verdict == Verdict::kDrop) ++losses_.skipped_events;
  if (verdict != Verdict::kGood) e.kind = EventKind::kNothing;
}

// ---- Locks --------------------------------------------------------------------------------------------------------

Validator::Verdict Validator::acquire(const Event& e) {
  LockState& m = lock(e);
  const uint32_t t = static_cast<uint32_t>(e.thread);
  if (m.writer == t) {
    ++m.depth;
    return Verdict::kNested;
  }
  if (m.writer != LockState::kNobody || !m.readers.empty()) {
    const bool by_writer = m.writer != LockState::kNobody;
    const uint32_t holder = by_writer ? m.writer : m.readers.begin()->first;
    complain(fmt::format("{} acquires {}, which {} holds{}; expected it to be free", name(e.thread), lock_name(e),
                         holder == t ? "it itself" : name(static_cast<ThreadId>(holder)),
                         by_writer ? "" : " as a reader"));
    ++losses_.repaired_events;  // somebody's release was lost: take it as given
    m.readers.clear();
  }
  m.writer = t;
  m.depth = 1;
  return Verdict::kGood;
}

Validator::Verdict Validator::release(Event& e) {
  LockState& m = lock(e);
  const uint32_t t = static_cast<uint32_t>(e.thread);
  if (m.writer == t) {
    if (--m.depth > 0) return Verdict::kNested;
    m.writer = LockState::kNobody;
    return Verdict::kGood;
  }
  if (m.readers.contains(t)) {
    e.kind = EventKind::kReadRelease;
    return read_release(e);
  }
  complain(
      fmt::format("{} releases {}, which it does not hold; expected an acquire before", name(e.thread), lock_name(e)));
  return Verdict::kDrop;
}

Validator::Verdict Validator::read_acquire(const Event& e) {
  LockState& m = lock(e);
  const uint32_t t = static_cast<uint32_t>(e.thread);
  if (m.writer == t) {  // a reader within the writer's own section
    ++m.depth;
    return Verdict::kNested;
  }
  if (m.writer != LockState::kNobody) {
    complain(fmt::format("{} acquires {} as a reader, which {} holds; expected it to be free", name(e.thread),
                         lock_name(e), name(static_cast<ThreadId>(m.writer))));
    ++losses_.repaired_events;
    m.writer = LockState::kNobody;
    m.depth = 0;
  }
  return ++m.readers[t] > 1 ? Verdict::kNested : Verdict::kGood;
}

Validator::Verdict Validator::read_release(Event& e) {
  LockState& m = lock(e);
  const uint32_t t = static_cast<uint32_t>(e.thread);
  if (m.writer == t) {
    e.kind = EventKind::kRelease;
    return release(e);
  }
  const auto reader = m.readers.find(t);
  if (reader == m.readers.end()) {
    complain(fmt::format("{} releases {} as a reader, which it does not hold; expected a racq before", name(e.thread),
                         lock_name(e)));
    return Verdict::kDrop;
  }
  if (--reader->second > 0) return Verdict::kNested;
  m.readers.erase(reader);
  return Verdict::kGood;
}

// ---- Threads ------------------------------------------------------------------------------------------------------

Validator::Verdict Validator::fork(const Event& e) {
  const ThreadId child = e.other_thread();
  if (life(child) != Life::kUnseen) {
    complain(fmt::format("{} forks {}, which {}; expected a thread without events before its one fork", name(e.thread),
                         name(child),
                         child == e.thread              ? "is itself"
                         : life(child) == Life::kForked ? "was forked before"
                                                        : "has events already"));
    return Verdict::kDrop;
  }
  life(child) = Life::kForked;
  return Verdict::kGood;
}

Validator::Verdict Validator::join(const Event& e) {
  const ThreadId child = e.other_thread();
  if (child == e.thread || life(child) == Life::kJoined) {
    complain(fmt::format("{} joins {}, which {}; expected another thread, joined once", name(e.thread), name(child),
                         child == e.thread ? "is itself" : "was joined before"));
    return Verdict::kDrop;
  }
  life(child) = Life::kJoined;
  return Verdict::kGood;
}

Validator::Verdict Validator::see_ended(const Event& e) {
  const ThreadId ended = e.other_thread();
  if (ended == e.thread || life(ended) == Life::kJoined) {
    complain(fmt::format("{} sees the end of {}, which {}; expected another thread, not joined", name(e.thread),
                         name(ended), ended == e.thread ? "is itself" : "was joined before"));
    return Verdict::kDrop;
  }
  life(ended) = Life::kEnded;
  return Verdict::kGood;
}

// ---- Memory -------------------------------------------------------------------------------------------------------

Validator::Verdict Validator::allocate(const Event& e) {
  if (!e.is_range) return Verdict::kGood;
  auto next = blocks_.lower_bound(e.target);
  const bool meets_next = next != blocks_.end() && next->first - e.target < e.size;
  const bool meets_last = next != blocks_.begin() && e.target - std::prev(next)->first < std::prev(next)->second;
  if (meets_next || meets_last) {
    const auto& [address, size] = meets_next ? *next : *std::prev(next);
    // In a recorded program memory is also fresh where it is mapped, or where a thread begins on an old stack.
    if (reader_.run() == nullptr) {
      complain(fmt::format("allocates {:#x}:{}, but {:#x}:{} there was not freed; expected a free before", e.target,
                           e.size, address, size));
      ++losses_.repaired_events;
    }
    // The lost free ordered nothing: the new block simply takes the place of the old ones.
    while (next != blocks_.begin() && e.target - std::prev(next)->first < std::prev(next)->second) --next;
    while (next != blocks_.end() && (next->first < e.target || next->first - e.target < e.size))
      next = blocks_.erase(next);
  }
  blocks_[e.target] = e.size;
  return Verdict::kGood;
}

Validator::Verdict Validator::free(Event& e) {
  if (!e.is_range) return Verdict::kGood;
  const auto block = blocks_.find(e.target);
  if (block == blocks_.end()) {
    complain(fmt::format("frees {:#x}, where no block begins; expected an alloc({:#x},n) before", e.target, e.target));
    return Verdict::kDrop;
  }
  e.size = block->second;
  blocks_.erase(block);
  return Verdict::kGood;
}

}  // namespace deadheat
