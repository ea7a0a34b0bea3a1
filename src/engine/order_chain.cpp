#include "engine/order_chain.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "detect/detector.h"
#include "detect/order_rules.h"
#include "replay/validator.h"

namespace deadheat {

namespace {

using order::How;

// How much of the source thread is known.
struct Known {
  uint64_t upto = 0;       // its events before this number
  int64_t link = -1;       // the edge that brought it; -1: it is the source's own
  uint64_t published = 0;  // of what lies at an object: the event that put it there
};

class Chains {
 public:
  Chains(ThreadId source, const Names& names) : source_(source), names_(names) {}

  void apply(const Event& e, uint64_t number);
  // About an event of the source and one of another thread, as things are now.
  OrderAnswer answer(ThreadId thread, uint64_t first) {
    const Known& known = threads_[thread].C;
    return {.ordered = known.upto > first, .chain = chain_to(known)};
  }

 private:
  std::vector<OrderEdge> chain_to(const Known& known) const {
    std::vector<OrderEdge> chain;
    for (int64_t at = known.link; at >= 0; at = links_[static_cast<size_t>(at)].before)
      chain.push_back(links_[static_cast<size_t>(at)].edge);
    std::reverse(chain.begin(), chain.end());
    return chain;
  }

  struct Thread {
    Known C, Fr, Fa;
    Known start;  // what its creator handed on
    bool begun = false;
    uint64_t last = 0;  // its last event
  };
  struct Lock {
    Known Lw, Lr;
  };
  struct Link {
    OrderEdge edge;
    int64_t before;
  };
  struct Generation {
    Known clock;
    bool closed = false;
  };
  struct BarrierState {
    std::vector<Generation> generations;
    std::map<ThreadId, size_t> entered;
  };

  // A thread at an event, as the rules of order see it.
  struct Party {
    Chains& chains;
    Thread& t;
    bool is_source;
    uint64_t event;

    Known& Fr() { return t.Fr; }
    Known& Fa() { return t.Fa; }
    void take(const Known& X) {
      if (is_source || X.upto <= t.C.upto) return;
      chains.links_.push_back({{X.published, event}, X.link});
      t.C = {X.upto, static_cast<int64_t>(chains.links_.size()) - 1, 0};
    }
    Known own() const { return is_source ? Known{event + 1, -1, event} : Known{t.C.upto, t.C.link, event}; }
    void publish(Known& Y, How how) { put(Y, own(), how); }
    void pass_on(Known& Y, const Known& X, How how) { put(Y, X, how); }
    void clear(Known& Y) { Y = {}; }

   private:
    static void put(Known& Y, const Known& X, How how) {
      if (how == How::kAssign || X.upto > Y.upto) Y = X;
    }
  };

  void atomic(Party& t, const Event& e);
  void forget_atomics(const Event& block);

  ThreadId source_;
  const Names& names_;
  std::map<ThreadId, Thread> threads_;
  std::map<uint64_t, Lock> locks_;
  std::map<uint64_t, Known> semaphores_, messages_;
  std::map<uint64_t, BarrierState> barriers_;
  std::map<std::pair<uint32_t, uint64_t>, Known> atomics_;  // by space and number of the key
  std::map<ObjectId, std::set<VariableId>> atomics_of_;     // named atomics of an object
  std::vector<Link> links_;
};

void Chains::atomic(Party& t, const Event& e) {
  const AtomicKey key = atomic_key(e);
  if (!e.is_range) atomics_of_[names_.variable_info[index(e.variable())].object].insert(e.variable());
  Known& S = atomics_[{key.space, key.number}];
  if (e.kind == EventKind::kVolatileRead) return order::wait(t, S);
  if (e.kind == EventKind::kVolatileWrite) return order::post(t, S);
  if (e.kind == EventKind::kAtomicStore) return order::atomic_store(t, S, e.order);
  order::atomic_read(t, S, e.order);
  if (e.kind == EventKind::kAtomicRmw || e.kind == EventKind::kCasOk) order::atomic_modify(t, S, e.order);
}

// Atomics in memory that is handed out anew are new ones.
void Chains::forget_atomics(const Event& block) {
  if (!block.is_range) {
    for (const VariableId variable : atomics_of_[block.object()])
      for (const AtomicKey key : {atomic_key(variable), volatile_key(atomic_key(variable))})
        atomics_.erase({key.space, key.number});
    return;
  }
  for (const AtomicKey key : {atomic_key_of_address(block.target), volatile_key(atomic_key_of_address(block.target))}) {
    const auto begin = atomics_.lower_bound({key.space, block.target});
    auto end = begin;
    while (end != atomics_.end() && end->first.first == key.space && end->first.second - block.target < block.size)
      ++end;
    atomics_.erase(begin, end);
  }
}

void Chains::apply(const Event& e, uint64_t number) {
  Thread& thread = threads_[e.thread];
  Party t{*this, thread, e.thread == source_, number};
  if (!thread.begun) {
    thread.begun = true;
    t.take(thread.start);
  }
  thread.last = number;
  if (is_atomic_access(e.kind)) return atomic(t, e);
  switch (e.kind) {
    case EventKind::kAcquire:
      return order::lock(t, locks_[e.target].Lw, locks_[e.target].Lr);
    case EventKind::kRelease:
      return order::unlock(t, locks_[e.target].Lw, locks_[e.target].Lr);
    case EventKind::kReadAcquire:
      return order::lock_shared(t, locks_[e.target].Lw);
    case EventKind::kReadRelease:
      return order::unlock_shared(t, locks_[e.target].Lr);
    case EventKind::kFork:
      t.publish(threads_[e.other_thread()].start, How::kAssign);
      return;
    case EventKind::kJoin: {
      const Thread& ended = threads_[e.other_thread()];
      const Party other{*this, threads_[e.other_thread()], e.other_thread() == source_, ended.last};
      return t.take(other.own());
    }
    case EventKind::kFence:
      return order::fence(t, e.order);
    case EventKind::kBarrierEnter: {
      BarrierState& barrier = barriers_[e.target];
      if (barrier.generations.empty() || barrier.generations.back().closed) barrier.generations.emplace_back();
      barrier.entered[e.thread] = barrier.generations.size() - 1;
      return order::post(t, barrier.generations.back().clock);
    }
    case EventKind::kBarrierLeave: {
      BarrierState& barrier = barriers_[e.target];
      const auto entered = barrier.entered.find(e.thread);
      if (entered == barrier.entered.end()) return;
      Generation& generation = barrier.generations[entered->second];
      generation.closed = true;
      barrier.entered.erase(entered);
      return order::wait(t, generation.clock);
    }
    case EventKind::kPost:
      return order::post(t, semaphores_[e.target]);
    case EventKind::kSemaphoreWait:
      return order::wait(t, semaphores_[e.target]);
    case EventKind::kSend:
      return order::post(t, messages_[e.target]);
    case EventKind::kReceive:
      return order::wait(t, messages_[e.target]);
    case EventKind::kAlloc:
    case EventKind::kFree:
      return forget_atomics(e);
    default:
      return;
  }
}

}  // namespace

bool can_order(const Event& e) {
  if (e.kind == EventKind::kVolatileRead || e.kind == EventKind::kVolatileWrite) return true;
  if (is_atomic_access(e.kind)) return e.order != MemoryOrder::kRelaxed;
  return info(e.kind).access == AccessKind::kNone && e.kind != EventKind::kNothing && e.kind != EventKind::kAlloc;
}

OrderAnswer order_between(TraceReader& reader, uint64_t first, uint64_t second, bool lenient, uint64_t& events) {
  OrderAnswer answer;
  events = 0;
  Losses losses;
  Validator validator(reader, lenient, losses);
  std::vector<std::pair<Event, uint64_t>> before;  // events up to the first, whose thread is not known yet
  std::optional<Chains> chains;
  ThreadId source{};
  for (Batch batch; reader.next(batch);) {
    validator.check(batch);
    for (size_t i = 0; i < batch.events.size(); ++i) {
      const Event& e = batch.events[i];
      const uint64_t number = batch.first_event + i;
      events = number + 1;
      if (!chains) {
        const bool orders = !is_plain_access(e.kind);
        if (orders || number == first) before.emplace_back(e, number);
        if (number != first) continue;
        source = e.thread;
        chains.emplace(source, reader.names());
        for (const auto& [event, at] : before) chains->apply(event, at);
        before.clear();
        continue;
      }
      chains->apply(e, number);
      if (number != second) continue;
      if (e.thread == source) {
        answer.ordered = true;
        return answer;
      }
      return chains->answer(e.thread, first);
    }
  }
  return answer;
}

std::vector<OrderAnswer> orders_between(TraceReader& reader, std::span<const OrderQuestion> questions) {
  std::vector<OrderAnswer> answers(questions.size());
  std::vector<Chains> chains;
  std::vector<bool> begun;  // by thread
  Losses losses;
  Validator validator(reader, true, losses);
  uint64_t last = 0;
  for (const OrderQuestion& question : questions) {
    chains.emplace_back(question.thread, reader.names());
    last = std::max(last, question.second);
  }
  for (Batch batch; reader.next(batch);) {
    validator.check(batch);
    for (size_t i = 0; i < batch.events.size(); ++i) {
      const Event& e = batch.events[i];
      const uint64_t number = batch.first_event + i;
      const bool orders = !is_plain_access(e.kind);
      if (index(e.thread) >= begun.size()) begun.resize(index(e.thread) + 1);
      const bool begins = !begun[index(e.thread)];
      begun[index(e.thread)] = true;
      for (size_t at = 0; at < questions.size(); ++at) {
        const auto& [thread, first, second] = questions[at];
        // A plain access counts if it is the first that a thread does, which lets it know what its creator knew, and in
        // the source, which ends with its last one.
        if (number <= second && (orders || begins || e.thread == thread)) chains[at].apply(e, number);
        if (number == second) answers[at] = chains[at].answer(e.thread, first);
      }
      if (number >= last) return answers;
    }
  }
  return answers;
}

}  // namespace deadheat
