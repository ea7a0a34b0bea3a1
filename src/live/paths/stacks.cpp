#include "live/paths/stacks.h"

#include <atomic>

#include "live/ground/degraded.h"
#include "live/ground/heap.h"
#include "live/ground/inside.h"
#include "live/ground/message.h"
#include "live/ground/options.h"
#include "live/ground/sys.h"
#include "live/paths/frames.h"
#include "live/record/record.h"

namespace deadheat::live {

Node* stack_nodes;
constinit std::atomic<uint32_t> stack_generation{1};

namespace {

constexpr uint32_t kMaxNodes = 1u << 29;  // 8 GiB of address space

struct Entry {
  uint64_t key;
  NodeId parent;
  std::atomic<NodeId> node;  // kNoNode: free. Stored last
};
static_assert(sizeof(Entry) == 16);

// All zero (mask too) once it is given up: a thread that still looks there finds nothing.
struct Index {
  uint64_t mask;
  uint64_t unused;

  Entry* entries() { return reinterpret_cast<Entry*>(this + 1); }
};
static_assert(sizeof(Index) == sizeof(Entry));
constexpr size_t kFirstEntries = 1u << 12;
size_t bytes_of(size_t entries) { return sizeof(Index) + entries * sizeof(Entry); }

std::atomic<Index*> the_index;
constinit SpinLock index_lock(Lock::kPaths);  // guards changes, and all below
uint64_t indexed;                             // entries in use
// Ids never used so far of accesses, of sets of locks, and of everything else; and those free again, as a list.
uint32_t next_access = 1, next_locks = kFirstLocks, next_other = kFirstOther;
NodeId free_locks{}, free_other{};

// Nodes that a collection may free. It is worth while from a MiB of them on; where most turn out to be in use, or much
// memory must be searched, later.
constexpr uint32_t kCollectFrom = 1u << 15;
std::atomic<uint32_t> collectable{0}, collect_at{kCollectFrom};
uint32_t collection = 1;  // its number
// Instead of that number: made since the last one; not named in the last one, so no longer in the index.
constexpr uint32_t kNew = 0, kCondemned = ~uint32_t{0};
constexpr uint64_t kFreeKey = ~uint64_t{0};

bool is_collectable(NodeId parent, uint64_t key) {
  const NodeKind kind = static_cast<NodeKind>(key >> 60);
  // The sets of one lock are as many as there are locks, and objects of synchronisation remember them.
  return kind == NodeKind::kUnder || kind == NodeKind::kBytes || (kind == NodeKind::kLock && parent != kNoNode);
}

// As in the caches: what one function does from one call path lies together. Anything else goes anywhere.
uint64_t hash_of(NodeId parent, uint64_t key) {
  const NodeKind kind = static_cast<NodeKind>(key >> 60);
  if (kind == NodeKind::kFrame || kind == NodeKind::kAccess) return spread<40>(number_of(parent)) + (key >> 3);
  return mix(key, number_of(parent));
}

// The entry of the node, or the free one where it would be.
inline Entry& entry_of(Index& index, NodeId parent, uint64_t key, NodeId& node) {
  const uint64_t mask = index.mask;
  for (uint64_t at = hash_of(parent, key);; ++at) {
    Entry& entry = index.entries()[at & mask];
    node = entry.node.load(std::memory_order_acquire);
    if (node == kNoNode || (entry.key == key && entry.parent == parent)) return entry;
  }
}

void put(Entry& entry, NodeId parent, uint64_t key, NodeId node) {
  entry.key = key;
  entry.parent = parent;
  entry.node.store(node, std::memory_order_release);
}

Index* new_index(size_t entries) {
  Index* made = static_cast<Index*>(sys::reserve(bytes_of(entries)));
  if (made == nullptr) die("no address space for stacks (is there a limit by ulimit -v?)");
  made->mask = entries - 1;
  return made;
}

// Another index takes the place of this one, with what has a place in it. The lock is held.
void replace_index(Index* index) {
  Index& old = *the_index.load(std::memory_order_relaxed);
  the_index.store(index, std::memory_order_release);
  sys::advise(&old, bytes_of(old.mask + 1), MADV_DONTNEED);
}

void put_into(Index& index, NodeId node) {
  const Node& n = node_at(node);
  NodeId same;
  Entry& entry = entry_of(index, n.parent, n.key, same);
  if (same == kNoNode) put(entry, n.parent, n.key, node);
}

void grow_index() {
  Index& old = *the_index.load(std::memory_order_relaxed);
  Index* const grown = new_index(2 * (old.mask + 1));
  for (uint64_t i = 0; i <= old.mask; ++i)
    if (const NodeId node = old.entries()[i].node.load(std::memory_order_relaxed); node != kNoNode)
      put_into(*grown, node);
  replace_index(grown);
}

// kNoNode if there is no room.
NodeId new_id(uint64_t key) {
  const NodeKind kind = static_cast<NodeKind>(key >> 60);
  const auto take_free = [](NodeId& list) {
    const NodeId id = list;
    list = NodeId{node_at(id).mark};
    return id;
  };
  if (kind == NodeKind::kAccess && next_access < kFirstLocks) return NodeId{next_access++};
  if (kind == NodeKind::kLock) {
    if (free_locks != kNoNode) return take_free(free_locks);
    if (next_locks < kFirstOther) return NodeId{next_locks++};
  }
  if (free_other != kNoNode) return take_free(free_other);
  return next_other < kMaxNodes ? NodeId{next_other++} : kNoNode;
}

__attribute__((noinline)) NodeId add_child(NodeId parent, uint64_t key) {
  BusyGuard guard(index_lock);
  NodeId node;
  Entry* entry = &entry_of(*the_index.load(std::memory_order_relaxed), parent, key, node);
  if (node != kNoNode) return node;
  node = new_id(key);
  if (node == kNoNode) {
    if (note_degraded(Degradation::kCallPaths))
      say("more than %u different call paths: further ones are shown cut short", kMaxNodes);
    return parent;
  }
  node_at(node) = {key, parent, kNew};
  if constexpr (record::kOn) record::node(node, parent, key);  // before anybody can find it
  if (is_collectable(parent, key)) collectable.fetch_add(1, std::memory_order_relaxed);
  put(*entry, parent, key, node);
  const uint64_t entries = the_index.load(std::memory_order_relaxed)->mask + 1;
  if (++indexed > entries - entries / 4) grow_index();
  return node;
}

}  // namespace

void stacks_start() {
  stack_nodes = static_cast<Node*>(sys::reserve(size_t{kMaxNodes} * sizeof(Node)));
  if (stack_nodes == nullptr) die("no address space for stacks (is there a limit by ulimit -v?)");
  the_index.store(new_index(kFirstEntries), std::memory_order_release);
  if (options.path_nodes > 0) collect_at = static_cast<uint32_t>(options.path_nodes);
}

NodeId stack_child(NodeId parent, uint64_t key) {
  NodeId node;
  entry_of(*the_index.load(std::memory_order_acquire), parent, key, node);
  return __builtin_expect(node != kNoNode, 1) ? node : add_child(parent, key);
}

NodeId StackCache::child_slow(NodeId parent, uint64_t key) {
  const NodeId node = stack_child(parent, key);
  if (++misses > 4 * mask && mask + 1 < kMost) {
    const Inside inside;
    const uint32_t entries = 2 * (mask + 1);
    Line* const grown = static_cast<Line*>(heap_allocate(entries * sizeof(Line)));
    __builtin_memset(grown, 0, entries * sizeof(Line));
    release();
    lines = grown;
    mask = entries - 1;
  }
  line_of(parent, key) = {key, parent, node};
  return node;
}

void StackCache::release() {
  if (lines != first) heap_free(lines, (mask + 1) * sizeof(Line));
  lines = first;
  mask = kFirst - 1;
  misses = 0;
}

NodeId context_node_slow(ThreadPaths& t, Frame* top) {
  Frame* frame = top;
  while (frame != tls.base && frame[-1].node == kNoNode) --frame;
  NodeId node = frame == tls.base ? kNoNode : frame[-1].node;
  for (; frame <= top; ++frame) node = frame->node = t.stack_cache.child(node, frame_key(frame->pc));
  return node;
}

void stacks_each(void (*visit)(NodeId id, const Node& node)) {
  const auto visit_range = [visit](uint32_t first, uint32_t end) {
    for (uint32_t id = first; id < end; ++id)
      if (stack_nodes[id].key != kFreeKey) visit(NodeId{id}, stack_nodes[id]);
  };
  visit_range(1, next_access);
  visit_range(kFirstOther, next_other);
}

bool stacks_crowded() {
  return collectable.load(std::memory_order_relaxed) >= collect_at.load(std::memory_order_relaxed);
}

void stacks_begin_collection() {
  index_lock.lock();
  ++collection;
}

void stack_mark(OriginId origin) { stack_mark(is_packed(origin) ? unpack(origin).locks : as_node(origin)); }

void stack_mark(NodeId named) {
  while (named != kNoNode) {
    // Beside a mark of a heap block, and beside cells that are empty, there may be anything.
    const uint32_t id = number_of(named);
    const bool exists =
        id < next_access || (id >= kFirstLocks && id < next_locks) || (id >= kFirstOther && id < next_other);
    if (!exists) return;
    Node& node = node_at(named);
    if (node.key == kFreeKey || !is_collectable(node.parent, node.key) || node.mark == collection) return;
    node.mark = collection;
    if (node.kind() == NodeKind::kBytes) {
      stack_mark(static_cast<OriginId>(node.key));
      return stack_mark(as_origin(node.parent));
    }
    named = node.kind() == NodeKind::kLock ? node.parent : static_cast<NodeId>(node.address());
  }
}

namespace {

struct Swept {
  uint64_t indexed = 0, named = 0, condemned = 0;  // nodes; the latter two of those that are collected
};

// From the last id to the first, so that small ones are the first to be given out again.
void sweep(uint32_t first, uint32_t end, NodeId& free_list, Swept& swept) {
  free_list = kNoNode;
  for (uint32_t id = end; id-- > first;) {
    Node& node = stack_nodes[id];
    if (node.key != kFreeKey && !is_collectable(node.parent, node.key)) {
      ++swept.indexed;
    } else if (node.key != kFreeKey && node.mark == collection) {
      ++swept.indexed;
      ++swept.named;
    } else if (node.key != kFreeKey && node.mark != kCondemned) {
      node.mark = kCondemned;
      ++swept.condemned;
    } else {
      node = {kFreeKey, kNoNode, number_of(free_list)};
      free_list = NodeId{id};
    }
  }
}

}  // namespace

void stacks_end_collection(size_t parts) {
  Swept swept;
  NodeId no_list{};
  sweep(1, next_access, no_list, swept);
  sweep(kFirstLocks, next_locks, free_locks, swept);
  sweep(kFirstOther, next_other, free_other, swept);
  size_t entries = kFirstEntries;
  while (entries < 2 * swept.indexed) entries *= 2;
  Index* const index = new_index(entries);
  const auto put_range = [&](uint32_t first, uint32_t end) {
    for (uint32_t id = first; id < end; ++id) {
      const Node& node = stack_nodes[id];
      if (node.key != kFreeKey && node.mark != kCondemned) put_into(*index, NodeId{id});
    }
  };
  put_range(1, next_access);
  put_range(kFirstLocks, next_locks);
  put_range(kFirstOther, next_other);
  replace_index(index);
  indexed = swept.indexed;
  stack_generation.fetch_add(1, std::memory_order_acq_rel);  // after the index: a thread that sees it sees the index
  uint64_t at = options.path_nodes > 0 ? static_cast<uint64_t>(options.path_nodes) : kCollectFrom;
  for (const uint64_t least : {2 * swept.named, uint64_t{parts / 2}})
    if (at < least) at = least;
  collect_at.store(at < kMaxNodes ? static_cast<uint32_t>(at) : kMaxNodes, std::memory_order_relaxed);
  collectable.store(static_cast<uint32_t>(swept.named + swept.condemned), std::memory_order_relaxed);
  index_lock.unlock();
}

DEADHEAT_TAKEN_AT_FORK(kPaths, index_lock)

}  // namespace deadheat::live
