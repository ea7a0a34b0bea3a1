#include "runtime/stacks.h"

#include <atomic>

#include "runtime/degraded.h"
#include "runtime/message.h"
#include "runtime/sys.h"

namespace deadheat::live {

Node* stack_nodes;

namespace {

constexpr uint32_t kBuckets = 1u << 20;
constexpr uint32_t kMaxNodes = 1u << 29;  // 8 GiB of address space

std::atomic<NodeId>* buckets;
// The next ids of accesses, of sets of locks, and of everything else.
std::atomic<uint32_t> next_access{1}, next_locks{kFirstLocks}, next_other{kFirstOther};

uint32_t bucket_of(NodeId parent, uint64_t key) {
  uint64_t h = (key ^ uint64_t{parent} << 32 ^ parent) * 0x9e3779b97f4a7c15u;
  h ^= h >> 29;
  return static_cast<uint32_t>((h * 0xbf58476d1ce4e5b9u) >> 44) & (kBuckets - 1);
}

NodeId find(NodeId from, NodeId until, NodeId parent, uint64_t key) {
  for (NodeId id = from; id != until; id = stack_nodes[id].next)
    if (stack_nodes[id].key == key && stack_nodes[id].parent == parent) return id;
  return 0;
}

// kMaxNodes if there is no room.
NodeId new_id(uint64_t key) {
  const NodeKind kind = static_cast<NodeKind>(key >> 60);
  const auto take = [](std::atomic<uint32_t>& next, NodeId end) {
    const NodeId id = next.load(std::memory_order_relaxed) < end ? next.fetch_add(1, std::memory_order_relaxed) : end;
    return id < end ? id : 0;
  };
  NodeId id = 0;
  if (kind == NodeKind::kAccess) id = take(next_access, kFirstLocks);
  if (kind == NodeKind::kLock) id = take(next_locks, kFirstOther);
  if (id == 0) id = take(next_other, kMaxNodes);
  return id == 0 ? kMaxNodes : id;
}

}  // namespace

void stacks_start() {
  stack_nodes = static_cast<Node*>(sys::reserve(size_t{kMaxNodes} * sizeof(Node)));
  buckets = static_cast<std::atomic<NodeId>*>(sys::reserve(kBuckets * sizeof(NodeId)));
  if (stack_nodes == nullptr || buckets == nullptr) die("no address space for stacks (is there a limit by ulimit -v?)");
}

NodeId stack_child_slow(NodeId parent, uint64_t key) {
  std::atomic<NodeId>& bucket = buckets[bucket_of(parent, key)];
  NodeId head = bucket.load(std::memory_order_acquire);
  if (const NodeId found = find(head, 0, parent, key); found != 0) return found;
  const NodeId fresh = new_id(key);
  if (fresh == kMaxNodes) {
    if (note_degraded(Degradation::kCallPaths))
      say("more than %u different call paths: further ones are shown cut short", kMaxNodes);
    return parent;
  }
  stack_nodes[fresh].key = key;
  stack_nodes[fresh].parent = parent;
  for (;;) {
    stack_nodes[fresh].next = head;
    NodeId seen = head;
    if (bucket.compare_exchange_weak(seen, fresh, std::memory_order_acq_rel)) return fresh;
    // Somebody put nodes in front; one of them may be ours (then `fresh` stays unused, which costs 16 bytes).
    if (const NodeId found = find(seen, head, parent, key); found != 0) return found;
    head = seen;
  }
}

}  // namespace deadheat::live
