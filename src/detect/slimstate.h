// SlimState: FastTrack with compressed shadow for arrays.     Wilcox, Finch, Flanagan and Freund, CSTR-201510, 2015
//
// Idea     Programs sweep arrays in patterns, so many elements have the same history, and a part of an array whose
//          elements have the same history needs one state. A thread's accesses to an array are not checked one by one.
//          They are gathered into a footprint F (one of reads, one of writes). F is committed to the states T of the
//          array's partition P at the thread's next synchronisation, or when it cannot grow any more.
// State    array P, T : part of P -> state of FastTrack; thread and array F : strided range, with its event numbers
// Promises Races on the same elements and variables as FastTrack, hence as the run has. The pair that is named is a
//          race on that element, ordered by event number, but not always the earliest.
// Cost     O(1) for an access that extends a footprint; O(parts of F) for a commit.
// Tested by test/rules/slimstate_test.cpp, test/differential
//
// Why nothing is missed or invented by committing late:
//  - A footprint is committed before its thread's clock C or epoch E changes: before every operation of the thread that
//    takes or publishes a clock, and before another thread joins it. So all accesses of a footprint have the same C
//    and E, and the commit uses them: the check is the one that FastTrack would have made at the access.
//  - If access a happens before b of another thread, then a's thread published its clock between the two, and so a
//    was committed before b was even made. Commits are therefore a linear extension of happens-before. Whether a pair
//    races does not depend on the extension, and FastTrack is exact on any of them. Within one thread and epoch the
//    order of reads and writes is free, since no check and no later verdict depends on it.
//  - The elements of a part have equal histories, and a footprint is a union of parts once P has been refined for it:
//    one check per part is the check of each of its elements.
// Beyond FastTrack, on parts only: a read in the epoch of the thread's own last write is not recorded, and a write that
// does not race makes R "never". Both are exact: what would race with the read races with the write.
//
// Origins. A part's elements were touched by different events, from different places in the code: a footprint does not
// end where the location changes. The event number in the origin of a part's state is a reference to the footprint's
// Trail, which knows event and location of every element (tag bit 60); trails belong to their array and are collected
// when no state of it refers to them any more.
//
// Footprints must pay. A commit costs as much as some accesses without one, so an array whose footprints stay short (a
// stencil that reads its neighbours to and fro, a table whose entries have a lock each) becomes fine: `worth` counts the
// elements of its footprints, less what commits cost. A partition that is finer than necessary is exact, too.
//
// Streams. A loop's next access of a block is mostly where its last one lets expect it. So for each place in the code
// one remembers the block and the footprint of its last access, and an access that extends this footprint or is already
// in it needs no look-up. A stream is valid until its thread's commit buffer changes.
//
// What is an array: a named object that was allocated with 16 to 2^28 elements, and a block of bytes that was allocated
// and is accessed in units of its first access. Everything else is a variable like any other. Blocks whose partition
// becomes fine, or that are accessed in another way than by whole units, go back to the exact shadow of bytes; a named
// array on which an atomic operation is seen becomes fine.
#pragma once

#include "base/prefetch.h"
#include "detect/fasttrack.h"
#include "detect/slimstate_study.h"
#include "shadow/partition.h"
#include "shadow/trail.h"

namespace deadheat {

class SlimState {
 public:
  using Var = FastTrack::Var;
  static constexpr bool kWholeObjects = true;
  static constexpr uint32_t kSmallArray = 16;      // fine from the start below
  static constexpr uint32_t kCommitBuffer = 2048;  // arrays with footprints of one thread
  static constexpr int32_t kCommitCost = 8;        // in elements that a footprint must have to be worth its commit
  static constexpr uint64_t kLargeAccess = 4096;   // elements
  static constexpr int32_t kPatience = 128;        // the worth of an array that nothing is known of, and the most

  explicit SlimState(Arena& arena) : arena_(arena), fasttrack_(arena) {}
  void configure(const DetectorOptions& options) {
    if (options.study) study_ = arena_.make<SlimStateStudy>(arena_);
  }
  void report_to(RaceSink& sink) { races_ = &sink; }
  void give_to(StateSink<Var>& sink) { states_ = &sink; }

  void sync(const Event& e);
  void acquire_part(const Event& e);
  void release_part(const Event& e) { fasttrack_.release_part(e); }
  void forget_atomics(AtomicKey first, uint64_t count) { fasttrack_.forget_atomics(first, count); }
  void finish();

  // Variables that are no elements of arrays.
  Outcome access(const Access& a, Var& x) { return fasttrack_.access(a, x); }
  Conflict conflict() const { return fasttrack_.conflict(); }
  Var clone(const Var& x) { return fasttrack_.clone(x); }
  void forget(Var& x) { fasttrack_.forget(x); }
  void prefetch_behind(const Var& x, ThreadId thread) const { fasttrack_.prefetch_behind(x, thread); }
  void count(CounterSink& sink) const;

  [[gnu::always_inline]] bool is_same_epoch(ThreadId thread, AccessKind kind, const Var& x) {
    return fasttrack_.is_same_epoch(thread, kind, x);
  }

  // Elements of arrays.
  bool takes_any() const { return takes_any_; }
  // A read or write of bytes that goes on with a stream; false if it is more than that.
  [[gnu::always_inline]] bool goes_on(ThreadId thread, AccessKind kind, LocationId location, uint64_t event,
                                      uint64_t address, uint64_t bytes) {
    if (thread != current_id_) [[unlikely]]
      switch_to(thread);
    const uint64_t key = stream_key(location, kind);
    Stream& stream = streams_[key % kStreams];
    if (stream.key != key || stream.buffer != current_ || stream.generation != current_->generation) return false;
    const uint64_t offset = address - stream.address;
    if (offset >= stream.bytes || bytes > stream.bytes - offset) return false;
    if (((offset | bytes) & ((uint64_t{1} << stream.shift) - 1)) != 0) return false;
    const auto first = static_cast<uint32_t>(offset >> stream.shift);
    const auto count = static_cast<uint32_t>(bytes >> stream.shift);
    if (!stream.footprint->goes_on(arena_, first, count, event, location)) return false;
    accesses_ += count;
    return true;
  }
  // No block has any of these bytes. If it says no, there may still be none.
  [[gnu::always_inline]] bool has_no_block(uint64_t address, uint64_t bytes) const {
    const PageMap& map = maps_[map_slot(address / kPage)];
    const uint64_t first = address % kPage / kGranule;
    if (map.page != address / kPage || bytes - 1 >= kGranule * 64) return false;
    const uint64_t last = (address % kPage + bytes - 1) / kGranule;
    if (last / 64 != first / 64) return false;  // so of one word of the map, and of this page
    return (map.blocks[first / 64] & (~uint64_t{0} >> (63 - (last - first))) << first % 64) == 0;
  }
  bool take(const Access& a, const Place& place) {
    if (place.is_range) return take_bytes(a, place);
    if (place.element == VariableInfo::kNotAnElement) {
      if (a.kind == AccessKind::kFree) free_object(a, place.object);
      return false;
    }
    NamedArray* named = named_.find(index(place.object));
    if (named == nullptr || place.element >= named->length) return false;
    if (named->array == nullptr) [[unlikely]]
      make_named(*named, place.object);
    const auto element = static_cast<uint32_t>(place.element);
    if (study_ != nullptr && a.kind != AccessKind::kFree && !named->array->is_freed) [[unlikely]]
      study_->access(a, place.object, named->array->length(), element);
    if (extend(*named->array, a, element)) [[likely]]
      return true;
    if (a.kind != AccessKind::kFree) touch(*named->array, a, element, 1);
    return true;
  }
  bool keeps(const Place& place) const;
  // Fine states are as far away as those of variables.
  void prefetch(const Place& place) const {
    if (place.element == VariableInfo::kNotAnElement) return;
    const NamedArray* named = named_.find(index(place.object));
    if (named == nullptr || named->array == nullptr || place.element >= named->length) return;
    const ArenaVector<Var*>& chunks = named->array->chunks;
    if (place.element / kChunk < chunks.size() && chunks[place.element / kChunk] != nullptr)
      deadheat::prefetch(&chunks[place.element / kChunk][place.element % kChunk]);
  }

  // For tests: the partition of a named array, and the state of a part or, in fine mode, of an element.
  Partition partition(ObjectId object) const;
  const Var& state(ObjectId object, uint32_t part);
  HappensBefore& order() { return fasttrack_.order(); }

 private:
  static constexpr uint32_t kChunk = 64;  // fine states that appear together
  static constexpr uint64_t kTrailTag = uint64_t{1} << 60;
  static constexpr uint64_t kPage = 4096;
  static constexpr uint64_t kStreams = 256;
  static constexpr uint64_t kGranule = 16;
  static constexpr uint64_t kGranules = kPage / kGranule;
  static constexpr unsigned kMapBits = 9;
  static uint64_t map_slot(uint64_t page) { return page * 0x9E3779B97F4A7C15u >> (64 - kMapBits); }

  // Where on a page there are blocks: most memory that no block has, or none any more, lies beside some.
  struct PageMap {
    uint64_t page = UINT64_MAX;
    uint64_t blocks[kGranules / 64] = {};  // a bit for each granule that has bytes of one
  };

  struct Array {
    Partition P;
    // States by the parts of `base`, which is P unless P is fine. In fine mode a chunk of elements appears when one of
    // them is first touched; until then they are as their part of `base` says.
    Partition base;
    Var* T;
    ArenaVector<Var*> chunks;
    Trail* trails;
    size_t trail_bytes, collect_at;
    Array *next, *last;  // all arrays
    uint32_t number;
    uint32_t pending;  // entries of commit buffers that are about it
    uint32_t unit;     // bytes of an element; 0 for a block that was accessed as a whole only, and is one element
    int32_t worth;     // of footprints; below 0 the array becomes fine
    bool is_block;
    bool is_freed;
    uint64_t address;  // of a block; else the ObjectId
    uint64_t bytes;    // of a block

    uint32_t length() const { return P.length(); }
  };
  struct NamedArray {
    uint64_t length;  // 0: not an array that we keep
    Array* array;     // null until it is accessed or freed
  };

  struct Footprint {
    StridedRange range;
    uint32_t start;  // its first element; `up` begins there, `down` one stride below
    AccessRun up, down;

    // The common case: the next element upwards.
    bool extend(Arena& arena, uint32_t element, const Access& a) {
      if (element != range.e + range.k || range.b >= range.e) return false;
      range.e = element;
      up.add(arena, a.event, a.location);
      return true;
    }
    bool add(Arena& arena, uint32_t element, const Access& a);
    // The next elements upwards, or elements that are all there already; false if it is neither.
    bool goes_on(Arena& arena, uint32_t first, uint32_t count, uint64_t event, LocationId location) {
      if (first == range.e + range.k && range.b < range.e && (count == 1 || range.k == 1)) [[likely]] {
        range.e += count * range.k;
        up.add(arena, event, location, count);
        return true;
      }
      if (range.k != 1) return count == 1 && (first == range.e || range.contains(first));
      return first >= range.b && first <= range.e && count <= range.e - first + 1;
    }
    Trail* make_trail(Arena& arena);
    void clear(Arena& arena);
    // Calls visit(element, event, location).
    template <class Visit>
    void for_each(Visit visit) const;
  };
  struct Pending {
    Array* array;  // null: committed early
    Footprint reads, writes;
  };
  // A thread's commit buffer: its pending footprints, found by array through an open hash table.
  struct Buffer {
    ArenaVector<Pending> entries;
    uint16_t* slots;      // 1 + index of an entry, or 0
    uint32_t capacity;    // of slots: a power of two, or 0
    uint32_t generation;  // another one whenever an entry goes or moves
  };
  struct Stream {
    uint64_t key = UINT64_MAX;
    const Buffer* buffer = nullptr;
    uint32_t generation = 0;
    uint32_t shift = 0;    // elements have 2^shift bytes
    uint64_t address = 0;  // of the block
    uint64_t bytes = 0;    // of its whole elements
    Footprint* footprint = nullptr;
  };

  // ---- arrays ----
  Array* make_array(const Partition& P, uint64_t address, uint64_t bytes);
  void make_named(NamedArray& named, ObjectId object);
  void destroy(Array* array);
  void refine_to(Array& array, const Partition& P);
  void drop_states(Array& array);
  Var& fine_state(Array& array, uint32_t element);
  void collect_trails(Array& array);
  void retire(const Array& array);

  // ---- accesses ----
  // An access that only extends a footprint; false if it is more than that.
  bool extend(Array& array, const Access& a, uint32_t element) {
    if (a.thread != current_id_) switch_to(a.thread);
    Buffer& buffer = *current_;
    if (buffer.capacity == 0 || array.P.is_immediate()) return false;
    const uint16_t slot = buffer.slots[array.number & (buffer.capacity - 1)];
    if (slot == 0 || buffer.entries[slot - 1].array != &array) return false;
    Pending& entry = buffer.entries[slot - 1];
    const bool extended = a.kind == AccessKind::kRead    ? entry.reads.extend(arena_, element, a)
                          : a.kind == AccessKind::kWrite ? entry.writes.extend(arena_, element, a)
                                                         : false;
    accesses_ += extended;
    return extended;
  }
  void switch_to(ThreadId thread) {
    current_ = &buffers_.at(arena_, index(thread));
    current_id_ = thread;
  }
  static uint64_t stream_key(LocationId location, AccessKind kind) {
    return 2 * uint64_t{index(location)} + (kind == AccessKind::kWrite);
  }
  void begin_stream(const Array& block, const Access& a, Footprint& f);
  void touch(Array& array, const Access& a, uint32_t first, uint32_t count);
  void gather(Array& array, const Access& a, uint32_t element);
  void access_now(Array& array, const Access& a, uint32_t element);
  void free_object(const Access& a, ObjectId object);
  void free_array(Array& array, const Access& a);

  // ---- commits ----
  Pending& pending(Array& array, ThreadId thread);
  Pending* find_pending(Buffer& buffer, const Array& array) const;
  void rehash(Buffer& buffer, uint32_t capacity);
  void commit(Array& array, ThreadId thread, AccessKind kind, Footprint& f);
  void commit_part(Array& array, const Access& a, const StridedRange& part, Var& x);
  void commit_entry(Pending& entry, ThreadId thread);
  void flush(ThreadId thread);
  void release_buffer(ThreadId thread);
  void clock_changes(ThreadId thread) {
    flush(thread);
    if (study_ != nullptr) study_->synchronises(thread);
  }
  void commit_all(Array& array);

  // ---- reports ----
  void report(Array& array, const StridedRange& elements, Access second);
  // Gives an access whose event number may refer to a trail the event and the location that it had on the element.
  void resolve(Access& a, uint32_t element);
  Place place_of(const Array& array, uint32_t element) const;

  // ---- blocks of bytes ----
  bool take_bytes(const Access& a, const Place& place);
  bool take_bytes(const Access& a, const Place& place, Array* block);
  void allocate_bytes(const Event& e);
  bool pays(Array& block, const Access& a, uint32_t first);
  void whole_block(Array& block, const Access& a);
  bool choose_unit(Array& block, const Access& a, uint64_t address, uint64_t bytes);
  void hand_back(Array* block);
  // The states of the units from `first` on that lie in one word, as the engine keeps them; returns how many they are.
  uint32_t untouched_from(const Array& block, uint32_t first) const;
  uint32_t hand_back_word(Array& block, uint32_t first, bool& is_empty);
  Array* block_at(uint64_t address, uint64_t bytes);
  void index_block(Array* block, bool is_there);
  void map_page(uint64_t page);

  struct ModeCounts {
    uint64_t arrays = 0, elements = 0, states = 0;
  };
  void count_array(const Array& array, ModeCounts* counts) const;

  // The accesses of a trail, read back once for many elements.
  struct Decoded {
    const Trail* trail;
    ArenaVector<Access> accesses;  // event and location only
  };

  Arena& arena_;
  FastTrack fasttrack_;
  RaceSink* races_ = nullptr;
  StateSink<Var>* states_ = nullptr;
  SlimStateStudy* study_ = nullptr;
  bool takes_any_ = false;
  IdTable<NamedArray> named_;
  IdTable<Buffer> buffers_;
  uint32_t threads_ = 0;             // buffers_ in use
  ThreadId current_id_{UINT32_MAX};  // the thread of the last access, and its buffer
  Buffer* current_ = nullptr;
  Array* arrays_ = nullptr;
  uint32_t next_number_ = 0;
  HashTable<ArenaVector<Array*>> blocks_;  // by page, the blocks that have bytes there
  Array* last_block_ = nullptr;
  Stream streams_[kStreams];     // by place in the code and kind of access
  PageMap maps_[1 << kMapBits];  // of some pages, by the hash of their number
  Decoded decoded_[2] = {};
  unsigned next_decoded_ = 0;
  ModeCounts retired_[Partition::kModes];
  uint64_t accesses_ = 0, checks_ = 0, commits_ = 0, refinements_ = 0, handed_back_ = 0;
};

}  // namespace deadheat
