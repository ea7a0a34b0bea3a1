// SlimState's study of representations: how few states would do if footprints, partitions or both could be any set.
//
// The paper's Table II. Beside the detector, and without any influence on it, three more ways to compress each array are
// followed, by their partitions alone:
//   bit-set footprints   all that a thread read (or wrote) of an array since its last synchronisation, committed to the
//                        usual partition modes
//   bit-set partitions   the usual strided footprints, committed to a partition into any sets
//   both
// An atomic operation is a footprint of its own; the usual partition modes become fine then, as the detector's do. A
// block of bytes is followed, in the units that the detector chose for it, to the end of its life, also when the
// detector has gone back to bytes; accesses that are not of whole units make it fine in every way.
// Cost     A bit or a word for each element and thread: for studies, not for daily use.
// Tested by test/rules/slimstate_study_test.cpp
#pragma once

#include "base/table.h"
#include "detect/block_table.h"
#include "detect/detector.h"
#include "shadow/partition.h"

namespace deadheat {

// A set of indices.
class BitSet {
 public:
  void insert(Arena& arena, uint32_t i, uint32_t n);
  bool contains(uint32_t i) const { return !words_.empty() && (words_[i / 64] >> i % 64 & 1) != 0; }
  bool empty() const { return words_.empty(); }
  void clear(Arena& arena) { words_.release(arena); }

 private:
  ArenaVector<uint64_t> words_;
};

// The coarsest partition in the table's order that refines P and that the set is a union of parts of; what Table I says
// if the set is a strided range.
Partition refine(const Partition& P, const BitSet& f);

// A partition into any sets: a label for each index.
class LabelPartition {
 public:
  void begin(Arena& arena, uint32_t n);
  uint32_t parts() const { return sizes_.size(); }
  uint32_t label(uint32_t i) const { return labels_[i]; }
  // Divides every part that has indices both in the set and out of it.
  template <class Contains>
  void refine(Arena& arena, Contains contains);
  void release(Arena& arena);

 private:
  ArenaVector<uint32_t> labels_, sizes_;  // by index; by label
};

class SlimStateStudy {
 public:
  explicit SlimStateStudy(Arena& arena) : arena_(arena), blocks_(arena) {}

  // An access to a named array of n elements.
  void access(const Access& a, ObjectId object, uint32_t n, uint32_t element);
  void synchronises(ThreadId thread);
  // The array's life is over: what it needed is counted.
  void end(ObjectId object);

  // Blocks of bytes: a fresh one; its unit, once an access has said it; an access, whatever it is; its end.
  void allocate(uint64_t address, uint64_t bytes);
  void begin_block(uint64_t address, uint32_t unit);
  void access_bytes(const Access& a, uint64_t address, uint64_t bytes);
  void end_block(uint64_t address);

  void finish();
  void count(CounterSink& sink) const;

 private:
  struct Footprint {
    ThreadId thread;
    bool writes;
    StridedRange strided;
    BitSet bits;
  };
  struct Array {
    uint32_t n;
    uint32_t unit;  // of a block: bytes
    bool is_fine;   // in every way
    ArenaVector<Footprint> footprints;
    Partition by_bits;       // bit-set footprints
    LabelPartition of_bits;  // bit-set partitions
    LabelPartition both;
    Array *next, *last;  // all arrays
    Array** holder;      // where it is known
  };
  void begin(Array*& array, uint32_t n);
  void end(Array* array);
  void access(const Access& a, Array& array, uint32_t element);
  void commit_alone(Array& array, uint32_t element);
  Footprint& footprint(Array& array, ThreadId thread, bool writes);
  void commit(Array& array, Footprint& f);
  void commit_strided(Array& array, Footprint& f);

  Arena& arena_;
  IdTable<Array*> arrays_;                // by object
  IdTable<ArenaVector<Array*>> touched_;  // by thread, since its last synchronisation
  BlockTable<Array*> blocks_;             // null until the first access
  Array* first_ = nullptr;
  uint64_t elements_ = 0, by_bits_ = 0, of_bits_ = 0, both_ = 0;
};

}  // namespace deadheat
