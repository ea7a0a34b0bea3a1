// The room live/shadow by itself, with ground, paths and order below it: random histories of a few words, played by threads
// that take turns, against the definition of a race and the step of detect/word_rules.h on the whole history.
//
// What is compared, access by access:
//   found    Every race that is told is one by definition. The first race of a byte is told at the access that completes
//            it, with every past access that the reference step still has (or another one of the same epoch).
//   kept     What the words decode to stands for everything that the reference step still has, and names nothing that was
//            not done.
// The program is built with development assertions, so that each single update is compared with the reference step, too, and
// with small limits, so that classes are shared and records overflow after a few accesses.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "live/ground/inside.h"
#include "live/ground/touched.h"
#include "live/order/epochs.h"
#include "live/order/lock_order.h"
#include "live/order/sync.h"
#include "live/order/thread.h"
#include "live/paths/stacks.h"
#include "live/shadow/byte_reads.h"
#include "live/shadow/records.h"
#include "live/shadow/reference.h"
#include "live/shadow/shadow.h"
#include "live/shadow/word.h"

namespace deadheat::live {

// ---- what the rooms ask of those above ----

namespace {
struct Told {
  uintptr_t byte, pc;  // of the past access
  bool operator<(const Told& other) const { return std::pair(byte, pc) < std::pair(other.byte, other.pc); }
};
std::set<Told> told;

uintptr_t pc_of(OriginId origin) { return node_at(unpack(origin).access).address(); }
}  // namespace

void report_race(Thread&, uintptr_t, size_t, AccessKind, uintptr_t, const RaceFound& found) {
  for (const PastRace& race : found)
    for (uintptr_t byte = race.begin; byte < race.end; ++byte) told.insert({byte, pc_of(race.origin)});
}
void report_lock_cycle(const LockCycle&) {}
void start_runtime() {}
void do_postponed() {}
void write_log(const char* data, size_t bytes) { std::fwrite(data, 1, bytes, stderr); }

namespace {

constexpr unsigned kMostThreads = 6, kLocks = 3, kBytes = 24, kHistories = 1500;
// Each history has parts of its own, which no thread has read before. The last are for other tests.
alignas(kStripeBytes) char memory[kHistories + 1][2 * kStripeBytes];

// ---- threads that take turns on the one that runs the test ----

void put_aside(Thread& t) { t.fiber_sp = tls.sp; }
void take_up(Thread& t) {
  tls.thread = &t;
  tls.base = static_cast<Frame*>(t.shadow_stack);
  tls.limit = tls.base + t.shadow_stack_bytes / sizeof(Frame);
  tls.sp = t.fiber_sp;
  set_current(t, t.current);
}
void turn_to(Thread& t) {
  put_aside(*tls.thread);
  take_up(t);
}

Thread& first_thread_of_program() {
  static Thread* first = nullptr;
  if (first != nullptr) return *first;
  Inside::enter();
  touched_start();
  shadow_start();
  records_start();
  byte_reads_start();
  epochs_start();
  stacks_start();
  threads_start();
  started.store(true);
  Inside::leave();
  first = current_thread();
  const uintptr_t begin = reinterpret_cast<uintptr_t>(memory);
  if (!shadow_covers(begin) && !shadow_cover(begin, sizeof memory)) std::abort();
  return *first;
}

// ---- the reference ----

using Clock = std::array<unsigned, kMostThreads>;

struct Access {
  unsigned thread, when;  // the thread's own entry
  AccessKind what;
  uintptr_t pc;
  unsigned bytes_ = 1;
  Clock known;  // what the thread knew

  AccessKind kind() const { return what; }
  unsigned bytes() const { return bytes_; }
  void drop(unsigned gone) { bytes_ &= ~gone; }
  bool precedes(const Access& later) const { return later.known[thread] >= when; }
  bool is_of_epoch(const Access& other) const { return thread == other.thread && when == other.when; }
  bool races_with(const Access& later) const { return !precedes(later) && word::conflict(what, later.what); }
};

struct Byte {
  std::vector<Access> all, kept;
  bool raced = false;
};

class History {
 public:
  History(uint64_t seed, uint64_t number, bool aloud) : random_(seed), seed_(seed), aloud_(aloud) {
    first_ = &first_thread_of_program();
    const unsigned count = 2 + below(kMostThreads - 1);
    for (unsigned i = 0; i < count; ++i) begin_thread();
    base_ = reinterpret_cast<uintptr_t>(memory[number]) + 4 * below(2) * below(kStripeBytes / 4);
    atomics_ = below(3) == 0 ? 0 : 30;
    forgets_ = below(2) == 0 ? 0 : 4;
    stays_ = below(2) == 0 ? 0 : 90;
    ends_ = below(2) == 0 ? 0 : 5;
    // The last two of many threads share a class of readers. What they do alone finds no reads by other classes.
    if (count == kMostThreads && below(2) == 0) from_ = count - 2;
  }

  ~History() {
    for (unsigned t = 0; t < threads_.size(); ++t) {
      if (threads_[t] != nullptr) end_thread(t);
      const Inside inside;
      thread_join(*first_, uids_[t]);
    }
    shadow_forget(base_, kBytes);
  }

  void play(unsigned steps) {
    unsigned t = from_;
    for (unsigned i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
      if (below(100) >= stays_) t = from_ + below(static_cast<unsigned>(threads_.size()) - from_);
      if (below(100) < ends_ && threads_.size() < kMostThreads) replace_thread(t);
      while (threads_[t] == nullptr) t = (t + 1) % static_cast<unsigned>(threads_.size());
      turn_to(*threads_[t]);
      if (below(100) < 25)
        synchronise(t);
      else if (below(100) < forgets_)
        forget();
      else
        access(t);
      compare_kept();
      turn_to(*first_);
    }
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  void note(const std::string& step) {
    text_ += step + "\n";
    if (aloud_) std::cout << step << "\n" << std::flush;
  }

  void begin_thread() {
    const Inside inside;
    Birth* const birth = thread_create(*first_, kNoNode);
    put_aside(*first_);
    thread_begin(birth, true);
    threads_.push_back(tls.thread);
    uids_.push_back(tls.thread->uid);
    put_aside(*tls.thread);
    take_up(*first_);
    clocks_.push_back({});
    clocks_.back()[clocks_.size() - 1] = 1;
  }
  void end_thread(unsigned t) {
    turn_to(*threads_[t]);
    const Inside inside;
    thread_end(*threads_[t]);
    threads_[t] = nullptr;
    take_up(*first_);
  }
  // Nothing orders the two; the new one may get the other's class of readers.
  void replace_thread(unsigned t) {
    if (threads_[t] == nullptr) return;
    note("t" + std::to_string(t) + " ends, t" + std::to_string(threads_.size()) + " begins");
    end_thread(t);
    begin_thread();
  }

  void synchronise(unsigned t) {
    const unsigned lock = below(kLocks);
    const Inside inside;
    Clock& C = clocks_[t];
    Thread& live = *threads_[t];
    if (below(2) == 0) {
      note("t" + std::to_string(t) + " acquires " + std::to_string(lock));
      for (unsigned i = 0; i < kMostThreads; ++i) C[i] = std::max(C[i], locks_[lock][i]);
      learn(live, live_locks_[lock]);
    } else {
      note("t" + std::to_string(t) + " releases " + std::to_string(lock));
      locks_[lock] = C;
      ++C[t];
      live_locks_[lock].assign(live.C, publish_epoch(live));
      tick(live);
    }
  }

  void forget() {
    const unsigned begin = below(kBytes), end = begin + 1 + below(std::min(kBytes - begin, 6u));
    note("forget " + std::to_string(begin) + ".." + std::to_string(end));
    shadow_forget(base_ + begin, end - begin);
    for (unsigned b = begin; b < end; ++b) bytes_[b] = {};
  }

  void access(unsigned t) {
    constexpr unsigned kSizes[] = {1, 1, 2, 4, 4, 8, 16, 0};
    const bool atomic = below(100) < atomics_;
    unsigned size = kSizes[below(atomic ? 6 : 8)];
    const bool range = size == 0;
    if (range) size = below(3) == 0 ? kBytes : 1 + below(kBytes);
    unsigned begin = below(kBytes - size + 1);
    if (atomic || below(3) != 0) begin = range ? begin & ~3u : begin / size * size;
    const bool writing = below(3) == 0;
    const AccessKind kind = atomic ? (writing ? AccessKind::kAtomicWrite : AccessKind::kAtomicRead)
                                   : (writing ? AccessKind::kWrite : AccessKind::kRead);
    const uintptr_t pc = 0x1000 + 16 * ++accesses_;
    unsigned step = 0, count = 1;
    if (!atomic && !range && (size == 4 || size == 8) && begin % 4 == 0 && below(5) == 0) {
      step = size * (2 + below(2));
      count = (kBytes - size - begin) / step + 1;
    }
    note("t" + std::to_string(t) + (atomic ? " atomically" : "") + (writing ? " writes " : " reads ") +
         std::to_string(begin) + ".." + std::to_string(begin + size) +
         (step == 0 ? "" : " and on, " + std::to_string(count) + " by steps of " + std::to_string(step)) + " as " +
         std::to_string(accesses_));
    told.clear();
    if (step != 0)
      sweep(base_ + begin, size, step, count, writing, pc);
    else
      perform(*threads_[t], base_ + begin, size, kind, range, pc);
    const std::set<Told> all = told;
    for (unsigned i = 0; i < count; ++i, begin += step) {
      const uintptr_t first = base_ + begin;
      told.clear();
      for (const Told& it : all)
        if (step == 0 || (it.byte >= first && it.byte < first + size)) told.insert(it);
      compare_found({t, clocks_[t][t], kind, pc, 1, clocks_[t]}, begin, size);
      if (!writing && !atomic && !range && size % 4 == 0 && begin % 4 == 0) expect_recorded(*threads_[t], begin, size);
    }
  }

  void sweep(uintptr_t first, unsigned size, unsigned step, unsigned count, bool writing, uintptr_t pc) {
    if (size == 4)
      writing ? sweep_words<1, true>(first, step, count, pc) : sweep_words<1, false>(first, step, count, pc);
    else
      writing ? sweep_words<2, true>(first, step, count, pc) : sweep_words<2, false>(first, step, count, pc);
  }

  // What a thread has read that has its class for itself takes no lock again, whoever had the class before.
  void expect_recorded(const Thread& t, unsigned begin, unsigned size) {
    for (uintptr_t word = base_ + begin; t.class_is_own && word < base_ + begin + size; word += 4) {
      const Cell r = load(read_cell_of(t, word)), mine = whole_cell(t.current);
      const bool in_block = has_byte_reads(r) && id_of(r) == t.current && bytes_of(r) == 15;
      if (r != mine && !in_block && load(cell_of(kPlaneW, word)) != mine && summary_of(word).mode == PartMode::kCells)
        complain("byte " + std::to_string(word - base_) + " was read, and its cell does not say so");
    }
  }

  void perform(Thread& t, uintptr_t address, unsigned size, AccessKind kind, bool range, uintptr_t pc) {
    if (is_atomic(kind)) {
      RaceFound race;
      {
        const Inside inside;
        access_atomic(t, address, size, kind, pc, race);
      }
      if (race.any()) report_race(t, address, size, kind, pc, race);
      return;
    }
    const bool writing = is_write(kind);
    if (range && writing && below(4) == 0 && size % 4 == 0 && address % 4 == 0)
      return free_range(t, address, size, false, pc);
    if (range) return access_range(address, size, kind, pc);
    if (below(4) == 0) return access_slow(address, size, kind, pc);
    switch (size) {
      case 1:
        return writing ? bytes_slow<1, AccessKind::kWrite>(address, pc) : bytes_slow<1, AccessKind::kRead>(address, pc);
      case 2:
        return writing ? bytes_slow<2, AccessKind::kWrite>(address, pc) : bytes_slow<2, AccessKind::kRead>(address, pc);
      case 4:
        return writing ? write_words_slow<1>(address, pc) : read_words_slow<1>(address, pc);
      case 8:
        return writing ? write_words_slow<2>(address, pc) : read_words_slow<2>(address, pc);
      default:
        return writing ? write_words_slow<4>(address, pc) : read_words_slow<4>(address, pc);
    }
  }

  static const Access* find(const std::vector<Access>& accesses, uintptr_t pc) {
    const auto it = std::find_if(accesses.begin(), accesses.end(), [&](const Access& a) { return a.pc == pc; });
    return it == accesses.end() ? nullptr : &*it;
  }

  void compare_found(const Access& now, unsigned begin, unsigned size) {
    std::map<unsigned, std::vector<const Access*>> found;
    for (const Told& it : told) {
      const unsigned b = static_cast<unsigned>(it.byte - base_);
      const Access* const past = b < kBytes ? find(bytes_[b].all, it.pc) : nullptr;
      if (past == nullptr || b < begin || b >= begin + size || !past->races_with(now))
        complain("a race on byte " + std::to_string(b) + " with " + std::to_string((it.pc - 0x1000) / 16) + " is none");
      else
        found[b].push_back(past);
    }
    for (unsigned b = begin; b < begin + size; ++b) {
      Byte& byte = bytes_[b];
      const bool races =
          std::any_of(byte.all.begin(), byte.all.end(), [&](const Access& past) { return past.races_with(now); });
      const bool is_first = races && !byte.raced;
      const auto on_race = [&](const Access& past) {
        const auto is_it = [&](const Access* it) { return it->is_of_epoch(past); };
        if (is_first && std::none_of(found[b].begin(), found[b].end(), is_it))
          complain("the first race of byte " + std::to_string(b) + ", with " + std::to_string((past.pc - 0x1000) / 16) +
                   ", is not told");
      };
      const uint32_t kept = word::step(
          byte.kept.data(), static_cast<uint32_t>(byte.kept.size()), now.kind(), 1,
          [&](const Access& past) { return past.precedes(now); }, on_race);
      byte.kept.resize(kept, now);
      byte.kept.push_back(now);
      byte.all.push_back(now);
      byte.raced |= races;
    }
  }

  // Of bytes that have not raced: afterwards words may keep what they like of what really happened.
  void compare_kept() {
    for (unsigned first = 0; first < kBytes; first += 4) {
      std::vector<PastAccess> live;
      {
        const Inside inside;
        const SpinGuard guard(stripe_of(base_ + first).lock);
        WordState::load(base_ + first).decode([&](const PastAccess& p) { live.push_back(p); });
      }
      for (unsigned b = first; b < first + 4; ++b) {
        std::vector<const Access*> said;
        for (const PastAccess& p : live) {
          if ((p.bytes() >> (b - first) & 1) == 0) continue;
          const Access* const past = find(bytes_[b].all, pc_of(p.origin));
          const bool real = past != nullptr && uids_[past->thread] == owner_of(p.epoch) && past->what == p.kind();
          if (!real)
            return complain("byte " + std::to_string(b) + " remembers " +
                            std::to_string((pc_of(p.origin) - 0x1000) / 16) + ", which is not so");
          said.push_back(past);
        }
        if (bytes_[b].raced) continue;
        for (const Access& past : bytes_[b].kept) {
          const auto stands_for = [&](const Access* it) {
            return word::supersedes(it->what, past.what) && (it->is_of_epoch(past) || past.precedes(*it));
          };
          if (std::none_of(said.begin(), said.end(), stands_for))
            return complain("byte " + std::to_string(b) + " has lost " + std::to_string((past.pc - 0x1000) / 16));
        }
      }
    }
  }

  void complain(const std::string& what) {
    ADD_FAILURE() << what << "; repeat with DEADHEAT_SHADOW_SEED=" << seed_ << "\n" << text_;
  }

  std::mt19937_64 random_;
  const uint64_t seed_;
  const bool aloud_;
  Thread* first_;
  std::vector<Thread*> threads_;  // null: it has ended
  std::vector<ThreadUid> uids_;
  std::vector<Clock> clocks_;
  Clock locks_[kLocks] = {};
  LiveClock live_locks_[kLocks];
  Byte bytes_[kBytes];
  uintptr_t base_;
  unsigned accesses_ = 0, atomics_, forgets_;
  unsigned ends_;
  unsigned stays_;     // how often the thread goes on that has just done something
  unsigned from_ = 0;  // the first thread that does anything
  std::string text_;
};

// What development builds say of accesses and clocks that are passed over, if they are passed over wrongly.
TEST(LiveShadow, PassedOverWrongly) {
  Thread& first = first_thread_of_program();
  const uintptr_t word = reinterpret_cast<uintptr_t>(memory[kHistories]);
  const Inside inside;
  Birth* const birth = thread_create(first, kNoNode);
  put_aside(first);
  thread_begin(birth, true);
  Thread& t = *tls.thread;
  const auto recorded = [] { return true; };
  {
    const Outside outside;
    write_words_slow<1>(word, 0x1000);
    bytes_slow<1, AccessKind::kRead>(word + 4, 0x1010);
  }
  check_recorded(t, word, 4, AccessKind::kWrite, recorded);
  check_recorded(t, word, 2, AccessKind::kRead, recorded);
  check_recorded(t, word + 4, 1, AccessKind::kRead, recorded);
  EXPECT_DEATH(check_recorded(t, word, 5, AccessKind::kWrite, recorded), "passes over what is not recorded");
  EXPECT_DEATH(check_recorded(t, word + 4, 1, AccessKind::kWrite, recorded), "passes over what is not recorded");
  EXPECT_DEATH(check_recorded(t, word + 5, 1, AccessKind::kRead, recorded), "passes over what is not recorded");

  const uintptr_t object = word + 64;
  const auto sequence = [object] { return sync_chain_of(object).sequence.load(); };
  SyncLock(object).make().S.assign(t.C, t.C.own());
  check_nothing_to_learn(t.C, object, sequence());
  check_nothing_to_learn(first.C, object, sequence() - 2);  // that was before
  EXPECT_DEATH(check_nothing_to_learn(first.C, object, sequence()), "has something to learn");
  LiveClock known, forged;
  known.join(t.C);
  forged.assign(known, first.C.own());
  EXPECT_DEATH(first.C.join(forged), "does not stand for all of it");

  turn_to(first);
  take_up(t);
  thread_end(t);
  take_up(first);
  thread_join(first, t.uid);
}

// An assertion of the room ends the program at once: the first seed is printed before, and where DEADHEAT_SHADOW_SEED is
// set, every step.
TEST(LiveShadow, RandomHistoriesAgreeWithTheReference) {
  const char* const wanted = std::getenv("DEADHEAT_SHADOW_SEED");
  const uint64_t first =
      wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : uint64_t{std::random_device{}()} << 20;
  std::cout << "from DEADHEAT_SHADOW_SEED=" << first << " on\n" << std::flush;
  for (uint64_t seed = first; seed < first + kHistories && !HasFailure(); ++seed) {
    if (wanted != nullptr) std::cout << "seed " << seed << "\n" << std::flush;
    History(seed, seed - first, wanted != nullptr).play(20 + static_cast<unsigned>(seed % 180));
  }
}

}  // namespace
}  // namespace deadheat::live
