// ReX: drops accesses that can show no race which an earlier access of the same code does not show.
//                                                                       Huang and Rajagopalan, ECOOP 2017
// Idea     Between two publications of its clock a thread's accesses look the same from outside, but for what it has
//          learnt meanwhile, and that only orders more before the later ones. So of the accesses of one thread in one
//          context, from the same location, of the same kind, to the same bytes, the first one does.
// State    thread: its context Gamma, a node of one trie; what is appended to it is what the thread publishes to
//          (rex-lockset: only what is no lock, and the locks held at the end).
//          history Theta: for each (location, kind, address and size) and thread its context at its last access there;
//          `rex-lockset` and `--rex-third-thread`, whose contexts can be entered again: for each of these and each
//          context a stack of at most two threads
// Promises `rex` before a precise detector: the racy variables, the first racing access of each, and the pairs of
//          locations that race in what is left of the trace are those of the whole. Before an imprecise detector
//          nothing is promised. Neither for `rex-lockset` nor with `--rex-third-thread`: both lose races.
// Cost     One look-up in a hash table for each access, or none where a place in the code goes on in the line of memory
//          where it was last; no lock. Bounded memory: a full history first forgets what can no longer match, then
//          everything, which only lets more accesses pass.
// Tested by test/rules/rex_test.cpp, test/differential/rex_test.cpp
//
// Why it is sound. Let e1 and e2 be such accesses of t, e1 first, and k a conflicting access of another thread. No
// clock of t was published between e1 and e2, so e2 happens before k iff e1 does; and if k happens before e1 it happens
// before e2. So if e2 races with k then e1 does: no variable and no pair of locations is lost. Nor is e2 ever the first
// racing access: had k come before e1, e1 completed that race; had it come between them, k did.
//
// Lines. A context that a thread has left is never entered again, so the last one is all that has to be remembered. Code
// sweeps over memory, so eight neighbours of one size share a line of the history, which is one cache line:
//   | base | life | size | location | thread | kind | context of each of the eight |
// Some lines are found without the table: for each place in the code the one of its last access (`recent_`), until a
// block ends or the table moves.
#pragma once

#include <optional>

#include "base/table.h"
#include "detect/detector.h"

namespace deadheat {

// A point in a trie of contexts. Two threads are at the same one iff they have published to the same things, in the
// same order.
enum class ContextId : uint32_t {};

// What the thread of an event publishes its clock to by it; none if it does not.
std::optional<SpacedKey> published_to(const Event& e);

// One, two, four or eight bytes that lie in one line of memory.
inline bool is_small_and_aligned(const Place& place) {
  const uint64_t bytes = place.bytes;
  return bytes - 1 < 8 && (bytes & (bytes - 1)) == 0 && (place.target & (bytes - 1)) == 0;
}

class Rex {
 public:
  struct Stack {
    // 1 + ThreadId of those that came by in this context, the latest first; 0 for nobody.
    uint32_t threads[2] = {};
  };

  explicit Rex(Arena& arena) : arena_(arena) {}
  void configure(const DetectorOptions& options) {
    by_lockset_ = options.rex_lockset;
    third_thread_ = options.rex_third_thread;
    limit_ = options.rex_limit;
  }

  void sync(const Event& e);
  bool is_redundant(const Access& a, const Place& place);
  void count(CounterSink& sink) const;

  // For tests: Gamma, and the stack of threads at a context in the history of an access, empty if nobody came by.
  ContextId context(ThreadId id) { return thread(id).context; }
  Stack history(const Access& a, const Place& place, ContextId context) const;
  uint32_t history_size() const { return history_.size() + lines_.size(); }

 private:
  static constexpr ContextId kRoot{0};

  struct HeldLock {
    uint32_t step;
    uint32_t depth;
  };
  struct Thread {
    ContextId context = kRoot;    // Gamma
    ContextId published = kRoot;  // Gamma without the locks held
    ArenaVector<HeldLock> held;   // lockset variant: ascending by step
  };
  // An access in a context: where in Theta it is. `life` tells apart what a block was before and after it was allocated
  // or freed.
  struct Key {
    uint64_t target = 0;
    uint64_t life = 0;
    uint32_t size = 0;
    uint32_t location = 0;
    uint32_t context = 0;
    uint32_t kind = 0;  // 0: no key

    friend bool operator==(const Key&, const Key&) = default;
    uint64_t hash() const;
  };
  struct Entry {
    Key key;
    Stack stack;
  };
  static_assert(sizeof(Entry) == 40);

  // The same where the last context is enough: eight neighbours of one thread.
  static constexpr uint32_t kSlots = 8;
  struct LineKey {
    uint64_t base =
        0;  // of an aligned access its address in units of eight of them; of a variable, its number by eight
    uint64_t life = 0;
    uint32_t size = 0;  // of a variable its object: the lives of neighbours in a line must be one
    uint32_t location = 0;
    uint32_t thread = 0;
    uint32_t kind = 0;  // 0: no key

    friend bool operator==(const LineKey&, const LineKey&) = default;
    bool differs_in_life_only(const LineKey& other) const {
      return base == other.base && size == other.size && location == other.location && thread == other.thread &&
             kind == other.kind;
    }
    uint64_t hash() const;
  };
  struct Line {
    LineKey key;
    uint32_t contexts[kSlots] = {};  // 0: never
  };
  static_assert(sizeof(Line) == 64);
  struct Recent {
    Line* line = nullptr;
    uint64_t as_of = 0;  // moves_ when it was found
  };

  // Open addressing. The whole key is kept and compared: a wrong match would lose a race.
  template <class E>
  class Table {
   public:
    uint32_t size() const { return used_; }
    uint64_t capacity() const { return capacity_; }
    bool is_full() const { return 4 * (uint64_t{used_} + 1) > 3 * capacity_; }
    E* find(const auto& key) const {
      if (capacity_ == 0) return nullptr;
      E& entry = place_of(key);
      return entry.key.kind == 0 ? nullptr : &entry;
    }
    // The key must not be there and the table not be full.
    E& insert(const E& entry) {
      ++used_;
      return place_of(entry.key) = entry;
    }
    // Moves what is `wanted` to a new table.
    template <class Wanted>
    void rebuild(Arena& arena, uint64_t capacity, Wanted wanted);
    // Doubles the table; forgets everything instead if it has reached the limit.
    void grow_or_clear(Arena& arena, uint64_t limit);
    void clear(Arena& arena) {
      rebuild(arena, capacity_, [](const E&) { return false; });
    }
    static constexpr uint64_t kFirstCapacity = 1024;

   private:
    // The entry of the key, or where it belongs: that one has kind 0.
    E& place_of(const auto& key) const;

    E* entries_ = nullptr;
    uint64_t capacity_ = 0;  // a power of two
    uint32_t used_ = 0;
  };

  Thread& thread(ThreadId id) {
    Thread& t = threads_.at(arena_, index(id));
    if (t.published == kRoot && !shares_trie()) t.context = t.published = fresh_context();
    return t;
  }
  // Only the third-thread rule looks at other threads' contexts; else every thread has a trie of its own.
  bool shares_trie() const { return third_thread_; }
  // Only then a context can be entered a second time.
  bool keeps_trie() const { return third_thread_ || by_lockset_; }
  ContextId fresh_context();
  ContextId child(ContextId parent, uint32_t step);
  // The number of a step of a context: something a thread publishes to, or a lock it holds. Locks are numbered twice,
  // as writers and as readers hold them.
  uint32_t step(const SpacedKey& key);
  void publish(const Event& e, const SpacedKey& to);
  void hold(const Event& e, bool acquires);
  void settle(Thread& t);
  void start_again();

  void end_life(const Event& e);
  uint64_t life_of(const Place& place) const;
  Key key_of(const Access& a, const Place& place, ContextId context) const;
  // Without the life; `slot` becomes its place in the line.
  static LineKey line_of(const Access& a, const Place& place, uint32_t& slot);
  bool was_here(const Access& a, const Place& place);
  Line& line_slow(LineKey key, const Place& place, Recent& recent);
  void make_room_for_line();

  Arena& arena_;
  bool by_lockset_ = false;
  bool third_thread_ = false;
  uint64_t limit_ = DetectorOptions{}.rex_limit;  // of edges in the trie, and of entries in the history

  IdTable<Thread> threads_;
  uint32_t last_context_ = 0;
  HashTable<uint32_t, SpacedKey> steps_;  // number of a step, by what is published to
  HashTable<ContextId> children_;         // by parent and step
  Table<Entry> history_;                  // if contexts can be entered again
  Table<Line> lines_;                     // else
  static constexpr uint64_t kRecent = 2048;
  Recent recent_[kRecent];  // by place in the code and thread
  uint64_t moves_ = 1;      // how often a block began or ended, or lines moved

  HashTable<uint64_t> object_lives_;             // how often it was allocated or freed
  HashTable<uint64_t> line_lives_, page_lives_;  // the same for blocks of bytes, small and large
  uint64_t huge_lives_ = 0;

  struct Tally {
    uint64_t seen = 0, redundant = 0;
  };
  Tally named_, ranges_;
};

}  // namespace deadheat
