#include "runtime/stacks.h"

#include <atomic>

#include "runtime/degraded.h"
#include "runtime/heap.h"
#include "runtime/inside.h"
#include "runtime/message.h"
#include "runtime/sys.h"
#include "runtime/thread.h"

namespace deadheat::live {

Node* stack_nodes;

namespace {

constexpr uint32_t kMaxNodes = 1u << 29;  // 8 GiB of address space

struct Entry {
  uint64_t key;
  NodeId parent;
  std::atomic<NodeId> node;  // 0: free. Stored last
};
static_assert(sizeof(Entry) == 16);

// All zero (mask too) once it is given up: whoever still looks there finds nothing.
struct Index {
  uint64_t mask;
  uint64_t unused;

  Entry* entries() { return reinterpret_cast<Entry*>(this + 1); }
};
static_assert(sizeof(Index) == sizeof(Entry));
constexpr size_t kFirstEntries = 1u << 12;
size_t bytes_of(size_t entries) { return sizeof(Index) + entries * sizeof(Entry); }

std::atomic<Index*> the_index;
constinit SpinLock index_lock;  // guards changes, and all below
uint64_t indexed;               // entries in use
// The next ids of accesses, of sets of locks, and of everything else.
uint32_t next_access = 1, next_locks = kFirstLocks, next_other = kFirstOther;

uint64_t hash_of(NodeId parent, uint64_t key) {
  uint64_t h = (key ^ uint64_t{parent} << 32 ^ parent) * 0x9e3779b97f4a7c15u;
  h ^= h >> 29;
  return h * 0xbf58476d1ce4e5b9u >> 20;
}

// The entry of the node, or the free one where it would be.
inline Entry& entry_of(Index& index, NodeId parent, uint64_t key, NodeId& node) {
  const uint64_t mask = index.mask;
  for (uint64_t at = hash_of(parent, key);; ++at) {
    Entry& entry = index.entries()[at & mask];
    node = entry.node.load(std::memory_order_acquire);
    if (node == 0 || (entry.key == key && entry.parent == parent)) return entry;
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

// Twice as large. The lock is held.
void grow_index() {
  Index& old = *the_index.load(std::memory_order_relaxed);
  Index* const grown = new_index(2 * (old.mask + 1));
  for (uint64_t i = 0; i <= old.mask; ++i) {
    const Entry& from = old.entries()[i];
    NodeId node = from.node.load(std::memory_order_relaxed);
    if (node == 0) continue;
    NodeId none;
    put(entry_of(*grown, from.parent, from.key, none), from.parent, from.key, node);
  }
  the_index.store(grown, std::memory_order_release);
  sys::advise(&old, bytes_of(old.mask + 1), MADV_DONTNEED);
}

// kMaxNodes if there is no room.
NodeId new_id(uint64_t key) {
  const NodeKind kind = static_cast<NodeKind>(key >> 60);
  if (kind == NodeKind::kAccess && next_access < kFirstLocks) return next_access++;
  if (kind == NodeKind::kLock && next_locks < kFirstOther) return next_locks++;
  return next_other < kMaxNodes ? next_other++ : kMaxNodes;
}

__attribute__((noinline)) NodeId add_child(NodeId parent, uint64_t key) {
  BusyGuard guard(index_lock);
  NodeId node;
  Entry* entry = &entry_of(*the_index.load(std::memory_order_relaxed), parent, key, node);
  if (node != 0) return node;
  node = new_id(key);
  if (node == kMaxNodes) {
    if (note_degraded(Degradation::kCallPaths))
      say("more than %u different call paths: further ones are shown cut short", kMaxNodes);
    return parent;
  }
  stack_nodes[node].key = key;
  stack_nodes[node].parent = parent;
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
}

NodeId stack_child(NodeId parent, uint64_t key) {
  NodeId node;
  entry_of(*the_index.load(std::memory_order_acquire), parent, key, node);
  return __builtin_expect(node != 0, 1) ? node : add_child(parent, key);
}

NodeId StackCache::child_slow(NodeId parent, uint64_t key) {
  const NodeId node = stack_child(parent, key);
  if (++misses > 4 * mask && mask + 1 < kMost) {
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

void stacks_lock_for_fork() { index_lock.lock(); }
void stacks_unlock_after_fork() { index_lock.unlock(); }

}  // namespace deadheat::live
