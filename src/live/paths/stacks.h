// Stacks as 32-bit ids: a tree of call paths, each node interned once.
//
// A node is (parent, key). Five kinds of key share the table; the top four bits tell them apart:
//   frame     a return address: the path up to and including this call
//   access    a return address, with size and kind of the access: what a shadow cell's origin names
//   lock      the address of a lock and its mode: a set of held locks is the path of its elements
//   under     an id of a set of locks: the access `parent`, made while holding them
//   bytes     an origin, and bytes of a word: they have this one, the others `parent`, which is an origin, too
//
// Table    Nodes never move or change; an index finds the node of (parent, key) by open addressing, with both in the
//          entry: one line of the processor's cache. Readers take no lock; a thread that adds a node takes one. When
//          the index gets crowded, a larger one takes its place. A reader that still has the old one finds it empty and
//          asks again.
// Caches   Every thread has a cache in front of it.
// Growth   The number of accesses and frames is bounded by the program's call paths. The number of sets of several
//          locks, `under` and `bytes` can grow with the length of the run, so those that nothing names are collected:
//          path_collection.h.
//
// An origin, which a shadow cell names, is an access together with the locks held. The first accesses and the first
// sets of locks get ids in ranges of their own, so that their origins are put together without a look into the table.
// Most programs have many accesses and few sets of locks, and some have it the other way round. So there are several
// forms, and an origin takes the first form that has room.
//
//   origin   31 30 29 28
//           +--------+---------------------------+------------+
//           | 10     |  access           18 bits | locks   12 |
//           | 110    |  access           14 bits | locks   15 |      else the id of an access, or of an `under`
//           | 1110   |  access           12 bits | locks   16 |
//           | 1111   |  access           11 bits | locks   17 |
//           +--------+---------------------------+------------+
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "live/ground/hash.h"
#include "live/ground/ids.h"
#include "live/ground/limits.h"

namespace deadheat::live {

enum class NodeKind : uint8_t { kFrame = 0, kAccess = 1, kLock = 2, kUnder = 3, kBytes = 4 };

struct Node {
  uint64_t key;
  NodeId parent;
  uint32_t mark;  // the last collection that found it in use; of a free one: the next free one

  NodeKind kind() const { return static_cast<NodeKind>(key >> 60); }
  uint64_t address() const { return key & ((uint64_t{1} << 47) - 1); }
};
static_assert(sizeof(Node) == 16);

// What an access is beside its place: AccessKind and a code for its size and alignment, so that a report can say where
// the access began from any byte of it.
//   bits 0..4   0..4 log2 of the size, aligned; 5 a range; from 6 on log2 of the size and the distance from the
//               alignment: 1 for two bytes, 3 for four, 7 for eight, 15 for sixteen
//   bits 5..7   AccessKind
inline constexpr unsigned kRangeCode = 5;
// Where the codes of accesses begin that are not aligned.
constexpr unsigned first_misaligned(unsigned log) { return kRangeCode + (1u << log) - log; }
constexpr uint32_t what_code(uintptr_t address, size_t bytes, unsigned kind) {
  const unsigned log = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : bytes == 16 ? 4 : kRangeCode;
  const unsigned distance = log == kRangeCode ? 0 : static_cast<unsigned>(address & (bytes - 1));
  return (distance == 0 ? log : first_misaligned(log) + distance - 1) | kind << 5;
}
static_assert(first_misaligned(1) == 6 && what_code(15, 16, 0) == 31);

struct AccessShape {
  size_t bytes = 0;       // 0 for a range
  unsigned distance = 0;  // of its begin from an address that is a multiple of its size
  // Where an access of this shape began that touched this byte.
  uintptr_t begin_of(uintptr_t byte) const { return bytes == 0 ? byte : byte - ((byte - distance) & (bytes - 1)); }
};
constexpr AccessShape shape_of(uint32_t what) {
  const unsigned code = what & 31;
  if (code < kRangeCode) return {size_t{1} << code, 0};
  for (unsigned log = 4; log > 0; --log)
    if (code >= first_misaligned(log)) return {size_t{1} << log, code - first_misaligned(log) + 1};
  return {};
}

// In a key of an access the code is in bits 47 to 54: no address of a program has bit 47.
inline constexpr unsigned kWhatShift = 47;
inline uint64_t frame_key(uintptr_t pc) { return pc; }
// A check of many elements (hits.h, `sweep`) has the key of one of them for its program counter: that is their key.
constexpr bool is_access_key(uint64_t pc) { return pc >> 60 == static_cast<unsigned>(NodeKind::kAccess); }
inline uint64_t access_key(uintptr_t pc, uint32_t what) {
  if (__builtin_expect(is_access_key(pc), 0)) return pc;
  return pc | uint64_t{what} << kWhatShift | uint64_t{1} << 60;
}
constexpr AccessShape shape_in(uint64_t key) { return shape_of(key >> kWhatShift & 255); }
inline uint64_t lock_key(uintptr_t lock, bool for_reading) {
  return lock | uint64_t{for_reading} << 48 | uint64_t{2} << 60;
}
inline uint64_t under_key(NodeId locks) { return number_of(locks) | uint64_t{3} << 60; }
inline uint64_t bytes_key(OriginId origin, unsigned bytes) {
  return number_of(origin) | uint64_t{bytes} << 32 | uint64_t{4} << 60;
}

struct PackedForm {
  uint32_t mark, access_bits, locks_bits;
  constexpr uint32_t mark_mask() const { return ~uint32_t{0} << (access_bits + locks_bits); }
};
inline constexpr uint32_t kAccessBits = limit(18, 5), kLocksBits = limit(17, 4);
inline constexpr PackedForm kPackedForms[] = {{0x80000000u, kAccessBits, limit(12, 2)},
                                              {0xc0000000u, limit(14, 4), limit(15, 3)},
                                              {0xe0000000u, limit(12, 3), limit(16, 3)},
                                              {0xf0000000u, limit(11, 2), kLocksBits}};
inline constexpr uint32_t kPacked = 1u << 31;
inline constexpr uint32_t kFirstLocks = 1u << kAccessBits;                 // accesses have the ids below
inline constexpr uint32_t kFirstOther = kFirstLocks + (1u << kLocksBits);  // frames, and what found no room

extern Node* stack_nodes __attribute__((visibility("hidden")));
inline Node& node_at(NodeId id) { return stack_nodes[number_of(id)]; }

void stacks_start();
NodeId stack_child(NodeId parent, uint64_t key);
// All nodes there are.
void stacks_each(void (*visit)(NodeId id, const Node& node));
// Grows with every collection; ids in caches are only as good as theirs.
extern std::atomic<uint32_t> stack_generation __attribute__((visibility("hidden")));

// A collection (path_collection.h): begin, stack_mark for all origins and sets of locks that are named, end.
bool stacks_crowded();  // there are so many nodes that one is worth while
void stacks_begin_collection();
void stack_mark(NodeId node);
void stack_mark(OriginId origin);
// Frees what was not named in the last one either. `parts` of memory were searched: the next one comes when it is worth
// that.
void stacks_end_collection(size_t parts);

struct Origin {
  NodeId access, locks;
};
// An origin that is not packed is a node: an access without locks, an `under`, or `bytes`.
constexpr bool is_packed(OriginId origin) { return (number_of(origin) & kPacked) != 0; }
constexpr OriginId as_origin(NodeId node) { return OriginId{number_of(node)}; }
constexpr NodeId as_node(OriginId origin) { return NodeId{number_of(origin)}; }
inline Origin unpack(OriginId origin) {
  const uint32_t bits = number_of(origin);
  for (const PackedForm& form : kPackedForms)
    if ((bits & form.mark_mask()) == form.mark)
      return {NodeId{(bits & ~form.mark_mask()) >> form.locks_bits},
              NodeId{kFirstLocks + (bits & ((1u << form.locks_bits) - 1))}};
  const Node& node = node_at(as_node(origin));
  if (node.kind() == NodeKind::kUnder) return {node.parent, static_cast<NodeId>(node.address())};
  return {as_node(origin), kNoNode};
}
// The origin of both in that form; kNoOrigin if it has no room for them.
inline OriginId pack(const PackedForm& form, NodeId access, NodeId locks) {
  const uint32_t access_bits = number_of(access), locks_bits = number_of(locks) - kFirstLocks;
  const bool fits = access_bits >> form.access_bits == 0 && locks_bits >> form.locks_bits == 0;
  return fits ? OriginId{form.mark | access_bits << form.locks_bits | locks_bits} : kNoOrigin;
}

// Calls `do_part(origin, bytes)` for the parts of a word's bytes that have the same origin.
inline bool is_by_bytes(OriginId origin) {
  return !is_packed(origin) && origin != kNoOrigin && node_at(as_node(origin)).kind() == NodeKind::kBytes;
}
template <class DoPart>
inline void each_origin(OriginId origin, unsigned bytes, DoPart do_part) {
  while (bytes != 0 && is_by_bytes(origin)) {
    const Node& node = node_at(as_node(origin));
    const unsigned part = node.key >> 32 & bytes & 15;
    if (part != 0) do_part(static_cast<OriginId>(node.key), part);
    bytes &= ~part;
    origin = as_origin(node.parent);
  }
  if (bytes != 0) do_part(origin, bytes);
}

// What a thread remembers of the table, so that it need not be asked: frames and accesses, in a cache that grows while
// it misses often. Its first lines are a part of the thread's state: threads that do little do not pay for those that
// do much.
struct StackCache {
  static constexpr uint32_t kFirst = limit(128, 4), kMost = 16384;
  struct Line {
    uint64_t key;
    NodeId parent;
    NodeId node;
  };
  Line* lines = first;
  uint32_t mask = kFirst - 1;
  uint32_t misses = 0;  // since it last grew
  Line first[kFirst];   // no initial value: what a former owner of the memory remembered is still true

  // What one function does from one call path lies together, as it is used together.
  Line& line_of(NodeId parent, uint64_t key) {
    return lines[((spread32(number_of(parent)) >> 12) + static_cast<uint32_t>(key >> 3)) & mask];
  }
  Line& collected_line_of(NodeId parent, uint64_t key) {
    return lines[spread<24>(key ^ uint64_t{number_of(parent)} << 17) & mask];
  }
  NodeId child(NodeId parent, uint64_t key) {
    const Line& line = line_of(parent, key);
    if (__builtin_expect(line.key == key && line.parent == parent && line.node != kNoNode, 1)) return line.node;
    return child_slow(parent, key);
  }
  // The same for nodes that are collected: what was remembered before the last collection does not count.
  NodeId collected_child(NodeId parent, uint64_t key) {
    const uint64_t generation = stack_generation.load(std::memory_order_acquire) & 0xffffff;
    const uint64_t tagged = key | generation << 36;  // the key has no such bits
    Line& line = collected_line_of(parent, key);
    if (__builtin_expect(line.key == tagged && line.parent == parent, 1)) return line.node;
    line = {tagged, parent, stack_child(parent, key)};
    return line.node;
  }
  NodeId child_slow(NodeId parent, uint64_t key);
  void release();  // what it took beyond its first lines
};

// The origin of a word whose bytes so far have `origin` and whose further bytes have `added`.
inline OriginId with_bytes(StackCache& cache, OriginId origin, OriginId added, unsigned bytes) {
  if (origin == added) return origin;
  const Node* const node = is_by_bytes(origin) ? &node_at(as_node(origin)) : nullptr;
  if (node == nullptr || static_cast<OriginId>(node->key) != added)
    return as_origin(cache.collected_child(as_node(origin), bytes_key(added, bytes)));
  const unsigned all = (node->key >> 32 & 15) | bytes;
  return as_origin(cache.collected_child(node->parent, bytes_key(added, all)));
}

}  // namespace deadheat::live
