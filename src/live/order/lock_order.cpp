#include "live/order/lock_order.h"

#include "live/ground/degraded.h"
#include "live/ground/heap.h"
#include "live/ground/inside.h"
#include "live/ground/message.h"
#include "live/ground/options.h"
#include "live/ground/spin_lock.h"
#include "live/ground/tables.h"
#include "live/paths/path_collection.h"

namespace deadheat::live {
namespace {

constexpr unsigned kMakers = 4;        // threads remembered for an edge
constexpr int64_t kMostSteps = 20000;  // of one search
// Steps that searches may take in all: as many as an ordinary program ever needs, and for each new order so many more.
constexpr int64_t kStepsAtFirst = 20000000, kStepsPerOrder = 200;
constexpr uint32_t kMostEdges = 1u << 20;

struct Maker {
  ThreadUid thread;
  NodeId where;       // asked for the second lock
  NodeId held_where;  // took the first
};

struct LockNode;
struct Edge {
  Edge* next;                 // in the bucket
  Edge *next_out, *prev_out;  // of the same first lock
  Edge *next_in, *prev_in;    // of the same second lock
  LockNode *from, *to;
  NodeId held;  // set of locks held, the first one among them
  bool from_reading, to_reading;
  uint8_t maker_count;
  Maker makers[kMakers];
};

struct LockNode {
  LockNode* next;  // in the bucket
  uintptr_t lock;
  Edge *out, *in;
};

// All of it is guarded by the lock.
constinit SpinLock graph_lock(Lock::kLockOrder);
Chains<LockNode, 14> nodes;
Chains<Edge, 14> edges;  // a lock may be held around thousands of others, or they around it: no list is short
uint32_t edge_count;
int64_t steps_left = kStepsAtFirst;
std::atomic<uint32_t> node_count;
std::atomic<uint32_t> forgotten;  // nodes so far: what threads remember of the graph is void then

LockNode* find_node(uintptr_t lock) {
  return nodes.find(lock >> 3, [lock](const LockNode& node) { return node.lock == lock; });
}

LockNode* make_node(uintptr_t lock) {
  if (LockNode* found = find_node(lock)) return found;
  LockNode* node = static_cast<LockNode*>(heap_allocate(sizeof(LockNode)));
  *node = {nullptr, lock, nullptr, nullptr};
  node_count.fetch_add(1, std::memory_order_relaxed);
  return nodes.add(lock >> 3, node);
}

// Whether a lock stands in both sets, and not only for reading.
bool common_lock(NodeId a, NodeId b) {
  for (NodeId x = a; x != kNoNode; x = node_at(x).parent)
    for (NodeId y = b; y != kNoNode; y = node_at(y).parent) {
      if (node_at(x).address() != node_at(y).address()) continue;
      const bool both_read = (node_at(x).key >> 48 & 1) != 0 && (node_at(y).key >> 48 & 1) != 0;
      if (!both_read) return true;
    }
  return false;
}

struct Step {
  LockNode* from;
  Edge* edge;
  const Maker* maker;
};

struct Cycle {
  Step steps[LockCycle::kLongest];
  unsigned length;
};

// From the end of the path back to its first lock, over edges that fit all on the path.
class Search {
 public:
  explicit Search(Cycle& cycle) : cycle_(cycle), steps_(steps_left < kMostSteps ? steps_left : kMostSteps) {
    steps_left -= steps_;
  }
  ~Search() { steps_left += steps_ > 0 ? steps_ : 0; }

  bool closes(LockNode* at) {
    if (cycle_.length == LockCycle::kLongest) return false;
    const Step& last = cycle_.steps[cycle_.length - 1];
    for (Edge* edge = at->out; edge != nullptr; edge = edge->next_out) {
      if (--steps_ < 0) return false;
      if (last.edge->to_reading && edge->from_reading) continue;  // readers do not wait for readers
      if (is_kept_apart(*edge)) continue;
      LockNode* const first = cycle_.steps[0].from;
      const bool back = edge->to == first;
      if (back && edge->to_reading && cycle_.steps[0].edge->from_reading) continue;
      if (!back && on_path(edge->to)) continue;
      // Which of its makers it is can matter further on: an edge there may have one of them only.
      for (unsigned m = 0; m < edge->maker_count; ++m) {
        if (on_path(edge->makers[m].thread)) continue;
        cycle_.steps[cycle_.length++] = {at, edge, &edge->makers[m]};
        if (back || closes(edge->to)) return true;
        --cycle_.length;
      }
    }
    return false;
  }

 private:
  bool on_path(const LockNode* node) const {
    for (unsigned i = 0; i < cycle_.length; ++i)
      if (cycle_.steps[i].from == node) return true;
    return false;
  }
  bool on_path(ThreadUid thread) const {
    for (unsigned i = 0; i < cycle_.length; ++i)
      if (cycle_.steps[i].maker->thread == thread) return true;
    return false;
  }
  // By a lock that was held for this edge and for one on the path.
  bool is_kept_apart(const Edge& edge) const {
    for (unsigned i = 0; i < cycle_.length; ++i)
      if (common_lock(cycle_.steps[i].edge->held, edge.held)) return true;
    return false;
  }

  Cycle& cycle_;
  int64_t steps_;
};

uint64_t edge_hash(const LockNode& from, const LockNode& to, NodeId held_set) {
  return mix(mix(from.lock, to.lock), number_of(held_set));
}

void link(Edge* edge) {
  LockNode &from = *edge->from, &to = *edge->to;
  edge->next_out = from.out;
  if (from.out != nullptr) from.out->prev_out = edge;
  from.out = edge;
  edge->next_in = to.in;
  if (to.in != nullptr) to.in->prev_in = edge;
  to.in = edge;
  edges.add(edge_hash(from, to, edge->held), edge);
  ++edge_count;
}

void remove(Edge* edge) {
  (edge->prev_out != nullptr ? edge->prev_out->next_out : edge->from->out) = edge->next_out;
  if (edge->next_out != nullptr) edge->next_out->prev_out = edge->prev_out;
  (edge->prev_in != nullptr ? edge->prev_in->next_in : edge->to->in) = edge->next_in;
  if (edge->next_in != nullptr) edge->next_in->prev_in = edge->prev_in;
  edges.remove(edge_hash(*edge->from, *edge->to, edge->held), edge);
  --edge_count;
  heap_free(edge, sizeof(Edge));
}

Edge* find_edge(LockNode* from, LockNode* to, NodeId held_set, bool from_reading, bool to_reading) {
  return edges.find(edge_hash(*from, *to, held_set), [&](const Edge& e) {
    return e.from == from && e.to == to && e.held == held_set && e.from_reading == from_reading &&
           e.to_reading == to_reading;
  });
}

// The edge with this thread among its makers; null if that was known, or if there is no room.
const Maker* add_edge(LockNode* from, LockNode* to, const HeldLock& held, NodeId held_set, bool reading, ThreadUid uid,
                      NodeId where, Edge*& edge) {
  edge = find_edge(from, to, held_set, held.for_reading, reading);
  if (edge == nullptr) {
    if (edge_count == kMostEdges) {
      if (note_degraded(Degradation::kLockOrders))
        say("a million pairs of locks were taken in order: deadlocks among new ones may be missed");
      return nullptr;
    }
    edge = static_cast<Edge*>(heap_allocate(sizeof(Edge)));
    *edge = {nullptr, nullptr, nullptr, nullptr, nullptr, from, to, held_set, held.for_reading, reading, 0, {}};
    link(edge);
  }
  for (unsigned m = 0; m < edge->maker_count; ++m)
    if (edge->makers[m].thread == uid) return nullptr;
  if (edge->maker_count == kMakers) return nullptr;
  edge->makers[edge->maker_count] = {uid, where, held.where};
  return &edge->makers[edge->maker_count++];
}

}  // namespace

void lock_order_waiting(Thread& t, uintptr_t lock, bool for_reading, NodeId where) {
  if (!options.detect_deadlocks) return;
  LockCycle told[2];
  unsigned told_count = 0;
  {
    const Inside inside;
    const NodeId held_set = held_node(t);
    const uint64_t set =
        uint64_t{number_of(held_set)} << 32 ^ uint64_t { forgotten.load(std::memory_order_relaxed) } << 1 ^ for_reading;
    const uint64_t pair = mix(set, lock);
    uint64_t& seen = t.orders_seen[spread<6>(pair)];
    if (seen == pair) return;
    seen = pair;
    SpinGuard guard(graph_lock);
    steps_left += kStepsPerOrder;
    LockNode* const to = make_node(lock);
    for (uint32_t i = 0; i < t.held_count; ++i) {
      LockNode* const from = make_node(t.held[i].lock);
      Edge* edge;
      const Maker* maker = add_edge(from, to, t.held[i], held_set, for_reading, t.uid, where, edge);
      if (maker == nullptr || to->out == nullptr || from->in == nullptr || told_count == 2) continue;
      Cycle cycle{{{from, edge, maker}}, 1};
      if (!Search(cycle).closes(to)) continue;
      LockCycle& found = told[told_count++];
      found.length = cycle.length;
      for (unsigned s = 0; s < cycle.length; ++s) {
        const Maker& made_by = *cycle.steps[s].maker;
        found.steps[s] = {cycle.steps[s].from->lock, made_by.thread, made_by.where, made_by.held_where};
      }
    }
  }
  for (unsigned i = 0; i < told_count; ++i) report_lock_cycle(told[i]);
}

void lock_order_forget(uintptr_t lock) {
  if (node_count.load(std::memory_order_relaxed) == 0) return;
  SpinGuard guard(graph_lock);
  LockNode* const gone = find_node(lock);
  if (gone == nullptr) return;
  while (gone->out != nullptr) remove(gone->out);
  while (gone->in != nullptr) remove(gone->in);
  nodes.remove(lock >> 3, gone);
  node_count.fetch_sub(1, std::memory_order_relaxed);
  forgotten.fetch_add(1, std::memory_order_relaxed);
  heap_free(gone, sizeof(LockNode));
}

void lock_order_mark_paths() {
  edges.each([](const Edge& edge) { stack_mark(edge.held); });
  // What threads remember may be about a set without an edge, whose id another set gets.
  forgotten.fetch_add(1, std::memory_order_relaxed);
}

DEADHEAT_TAKEN_AT_FORK(kLockOrder, graph_lock)

}  // namespace deadheat::live
