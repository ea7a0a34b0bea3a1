// The reference step beside every update of a word, in development builds: the update must refine the step of
// detect/word_rules.h on what the word decodes to (word.h). A disagreement ends the program with one line.
//
// Use      ReferenceStep step(...) after the stripe's lock is taken and before anything is changed; then, when the
//          update is done, step.check(words): so many words from the first on were updated. A part that is summed up is
//          decoded like any other. Release builds have empty functions.
// Long     Histories of more than 64 accesses are compared now and then.
// Readers  Threads that have their class for themselves read without the lock. What a class other than the thread's own
//          has read between the two looks is left out of the comparison.
// Passed   An access that changes nothing, because its epoch stands for it already, is checked by check_recorded and
//          check_hit: every kPassed-th of a thread. Hits in line of programs that our compiler pass built do not come by here.
// Tested by test/live_shadow
#pragma once

#include <algorithm>

#include "live/ground/inside.h"
#include "live/ground/limits.h"
#include "live/shadow/word.h"

namespace deadheat::live {

#ifdef NDEBUG

inline constexpr unsigned kCheckedWords = ~0u;
struct ReferenceStep {
  ReferenceStep(Thread&, uintptr_t, unsigned, unsigned, AccessKind, OriginId, const RaceFound* = nullptr) {}
  void check(unsigned) {}
};
struct ReferenceForget {
  ReferenceForget(uintptr_t, unsigned, unsigned) {}
  void check() {}
};
struct ReferenceRead {
  void look(Thread&, uintptr_t, Cell, Cell, unsigned, AccessKind, Cell) {}
  bool check(bool recorded) { return recorded; }
};
inline void check_word(uintptr_t) {}
inline void check_all_ordered(Thread&, uintptr_t) {}
template <class IsRecorded>
inline void check_recorded(const Thread&, uintptr_t, size_t, AccessKind, IsRecorded) {}
template <class IsRecorded>
inline void check_hit(uintptr_t, size_t, AccessKind, IsRecorded) {}

#else

// So many words are checked at once; ranges go by runs of no more.
inline constexpr unsigned kCheckedWords = 8;

// A list of past accesses of any length.
class PastList {
 public:
  PastList() = default;
  PastList(const PastList&) = delete;
  PastList& operator=(const PastList&) = delete;
  ~PastList();

  void add(const PastAccess& past);
  const PastAccess* begin() const { return past_; }
  const PastAccess* end() const { return past_ + count_; }
  uint32_t count() const { return count_; }

 private:
  static constexpr uint32_t kFew = 8;
  uint32_t count_ = 0, capacity_ = kFew;
  PastAccess few_[kFew];
  PastAccess* past_ = few_;
};

// What a word was, before it is changed: a record of its own changes in place.
struct WordBefore {
  WordState state;
  PastList past;
  void take(uintptr_t word);
};

class ReferenceStep {
 public:
  // Of `words` words, some of them if they are more than kCheckedWords; `bytes` of each.
  ReferenceStep(Thread& t, uintptr_t first, unsigned words, unsigned bytes, AccessKind kind, OriginId origin,
                const RaceFound* race = nullptr);
  void check(unsigned words);

 private:
  const char* problem_of(uintptr_t word, const WordBefore& before, const PastList& after) const;

  Thread& t_;
  const uintptr_t first_;
  const unsigned stride_, count_;
  const PastAccess access_;
  const RaceFound* const race_;
  WordBefore before_[kCheckedWords];
};

// Words that lose bytes, all or none (bytes 0: the form of the state changes, not what it says).
class ReferenceForget {
 public:
  ReferenceForget(uintptr_t first, unsigned words, unsigned bytes);
  void check();

 private:
  const uintptr_t first_;
  const unsigned stride_, count_, bytes_;
  WordBefore before_[kCheckedWords];
};

// A read without the lock, of a word whose W and R were seen to be these. The numbers of epochs mean something only if
// no collection comes in between, so the verdict waits until the read is known to be recorded.
class ReferenceRead {
 public:
  void look(Thread& t, uintptr_t word, Cell w, Cell r, unsigned bytes, AccessKind kind, Cell now);
  bool check(bool recorded);

 private:
  uintptr_t word_ = 0;
  const char* problem_ = nullptr;
  Cell w_ = 0, r_ = 0, now_ = 0;
};

// Ends the program if what the planes say of the word cannot be; the stripe's lock is held.
void check_word(uintptr_t word);
// Ends the program if something of the word is not ordered before the thread, which is alone; the stripe's lock is held.
void check_all_ordered(Thread& t, uintptr_t word);

// Ends the program if the word's history does not stand for such an access of the current epoch; the stripe's lock is held.
void check_stands_for(const Thread& t, uintptr_t word, unsigned bytes, AccessKind kind);

// Whether this one of the thread's accesses that are passed over is checked. One that was checked lately is not, so that
// threads which wait in a loop do not wait for each other's checks.
inline constexpr uint32_t kPassed = limit(16, 1);
bool is_passed_one_checked(const Thread& t, uintptr_t address, AccessKind kind);

// An access that is passed over, because `is_recorded()`. That is asked again under the lock: others may have written
// to the word meanwhile. The thread is inside.
template <class IsRecorded>
inline void check_recorded(const Thread& t, uintptr_t address, size_t bytes, AccessKind kind, IsRecorded is_recorded) {
  if (record::kOn || t.is_alone() || !is_passed_one_checked(t, address, kind)) return;
  for (uintptr_t at = address, next; at < address + bytes; at = next) {
    next = (at | 3) + 1;
    const unsigned to = static_cast<unsigned>(std::min(next, address + bytes) - (at & ~uintptr_t{3}));
    SpinGuard guard(stripe_of(at).lock);
    if (is_recorded()) check_stands_for(t, at & ~uintptr_t{3}, (15u << (at & 3)) & ((1u << to) - 1), kind);
  }
}
// The same for a thread that is outside, or in a handler of a signal that interrupted the run time: then nothing is checked.
template <class IsRecorded>
inline void check_hit(uintptr_t address, size_t bytes, AccessKind kind, IsRecorded is_recorded) {
  if (tls.busy != 0 || tls.thread == nullptr) return;
  const Inside inside;
  check_recorded(*tls.thread, address, bytes, kind, is_recorded);
}

#endif

}  // namespace deadheat::live
