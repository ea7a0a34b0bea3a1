#include "live_oracle/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <utility>

#include "differential/oracle.h"

namespace deadheat::test {
namespace {

constexpr const char* kOrders[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
constexpr int kAcquire = 2, kAcqRel = 4, kRelease = 3, kSeqCst = 5;
constexpr int kMutexes = 4, kRwlocks = 2, kSemaphores = 2, kTokens = 2, kMessages = 2;
constexpr size_t kMostSteps = 700;

// What orders the accesses of a block, except for lapses.
enum class Discipline { kNone, kMutex, kRwlock, kToken, kReadOnly, kOwner };

struct Thread {
  bool is_running = false, is_detached = false, is_joined = false, is_over = false;
  std::vector<HeldLock> locks;
  std::vector<int> calls;
  int section = -1;  // the block that it accesses by the block's discipline
  int token = -1;    // held for it
};

struct Block {
  enum Kind { kGlobal, kHeap, kMap } kind = kGlobal;
  uint64_t size = 0;
  bool is_there = false, is_whole = true;  // whole: no page of the mapping was replaced or unmapped
  bool has_token = false;                  // it may be moved, and stays
  std::vector<bool> pages;                 // of a mapping: still there
  Discipline discipline = Discipline::kNone;
  int guard = 0;
  std::vector<uint64_t> spots;  // where accesses begin, more or less
  int freed_by = -1;            // the step; it may still be accessed as long as nothing else can be there
};

class Generator {
 public:
  Generator(uint64_t seed, Sites sites) : random_(seed), sites_(sites) {
    most_threads_ = 2 + below(13);
    if (chance(30)) most_threads_ = 2 + below(4);
    lapses_ = std::array{0u, 1u, 3u, 10u, 40u}[below(5)];
    busy_with_memory_ = chance(50) ? 3 + below(15) : below(3);
    busy_with_threads_ = 3 + below(12);
    busy_with_sync_ = 3 + below(30);
    spends_ = chance(40);
    atomics_ = chance(60) ? 5 + below(30) : 0;
    large_ = chance(25) ? 10 + below(40) : 2;
    for (uint64_t& size : common_sizes_) size = 8 + below(120);
    for (int i = 0; i < kGlobals; ++i) add_block(Block::kGlobal, kGlobalBytes[i]);
    threads_.emplace_back().is_running = true;
  }

  Program make() {
    if (chance(30)) put_token_into_map();
    const size_t wanted = 20 + below(chance(20) ? kMostSteps - 100 : 250);
    while (steps().size() < wanted) turn();
    for (int t = 0; t < thread_count(); ++t) let_go(t);
    program_.block_count = static_cast<int>(blocks_.size());
    leave_out_ordered_after_free();
    choose_sites();
    return std::move(program_);
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  int pick(int n) { return static_cast<int>(below(static_cast<unsigned>(n))); }
  bool chance(unsigned percent) { return below(100) < percent; }

  std::vector<Step>& steps() { return program_.steps; }
  int thread_count() const { return static_cast<int>(threads_.size()); }
  Thread& thread(int t) { return threads_[static_cast<size_t>(t)]; }
  Block& block(int b) { return blocks_[static_cast<size_t>(b)]; }

  // ---- steps ----

  Step& add(int t, std::string_view operation, int block = 0, uint64_t offset = 0, uint64_t size = 0, int order = 0) {
    Step& step = steps().emplace_back();
    step.thread = t;
    step.operation = operation;
    step.block = block;
    step.offset = offset;
    step.size = size;
    step.order = order;
    step.locks = thread(t).locks;
    step.calls = thread(t).calls;
    return step;
  }
  void means(Step& step, std::string what) { step.meanings.push_back({std::move(what), "", {}, false}); }
  void means(Step& step, std::string what, const Span& span, std::string details = "") {
    step.meanings.push_back({std::move(what), std::move(details), span, true});
  }

  void turn() {
    const int t = pick(thread_count());
    if (!thread(t).is_running) return;
    if (chance(busy_with_threads_) && come_or_go(t)) return;
    if (chance(busy_with_sync_)) return synchronise(t);
    if (chance(busy_with_memory_) && allocate_or_release(t)) return;
    if (chance(6)) return call_or_return(t);
    if (spends_ && chance(4)) return spend(t);
    if (dangling(t)) return;
    work(t);
  }

  // ---- accesses by the discipline of their block ----

  void work(int t) {
    Thread& me = thread(t);
    if (chance(lapses_)) {
      const int b = some_block();
      if (b >= 0) access(t, b, chance(50));
      return;
    }
    if (me.section < 0) return enter_section(t);
    const int b = me.section;
    if (!block(b).is_there) return leave_section(t);
    switch (block(b).discipline) {
      case Discipline::kRwlock: {
        const bool may_write = std::any_of(me.locks.begin(), me.locks.end(), [&](const HeldLock& lock) {
          return !lock.is_mutex && lock.number == block(b).guard && !lock.for_reading;
        });
        access(t, b, may_write && chance(60));
        break;
      }
      case Discipline::kReadOnly:
        access(t, b, false);
        break;
      default:
        access(t, b, chance(50));
    }
    if (chance(35)) leave_section(t);
  }

  void enter_section(int t) {
    const int b = some_block();
    if (b < 0) return;
    Thread& me = thread(t);
    switch (block(b).discipline) {
      case Discipline::kMutex:
        if (!holds(t, true, block(b).guard) && !lock_mutex(t, block(b).guard)) return;
        break;
      case Discipline::kRwlock:
        if (!holds(t, false, block(b).guard) && !lock_rwlock(t, block(b).guard, chance(60))) return;
        break;
      case Discipline::kToken:
        if (token_holder_[block(b).guard] >= 0 || me.token >= 0) return;
        take_token(t, block(b).guard);
        break;
      case Discipline::kOwner:
        if (block(b).guard != t) return;
        break;
      case Discipline::kNone:
      case Discipline::kReadOnly:
        break;
    }
    me.section = b;
  }
  void leave_section(int t) {
    Thread& me = thread(t);
    const int b = std::exchange(me.section, -1);
    if (b < 0) return;
    if (block(b).discipline == Discipline::kMutex && holds(t, true, block(b).guard)) unlock(t, {true, block(b).guard});
    if (block(b).discipline == Discipline::kRwlock && holds(t, false, block(b).guard))
      unlock(t, {false, block(b).guard});
    if (me.token >= 0) give_token(t);
  }
  // Whether nobody but the thread can access the block now, by its discipline.
  bool has_for_itself(int t, int b) {
    for (int other = 0; other < thread_count(); ++other)
      if (other != t && thread(other).section == b) return false;
    return thread(t).section == b && block(b).discipline != Discipline::kReadOnly;
  }

  int some_block() {
    for (int tries = 0; tries < 8; ++tries) {
      const int b = chance(60) && blocks_.size() > kGlobals
                        ? static_cast<int>(blocks_.size()) - 1 - pick(std::min(8, static_cast<int>(blocks_.size())))
                        : pick(static_cast<int>(blocks_.size()));
      if (b >= 0 && block(b).is_there) return b;
    }
    return -1;
  }

  // ---- spans ----

  bool is_accessible(const Span& span) {
    const Block& b = block(span.block);
    if (span.end > b.size || span.begin >= span.end) return false;
    if (b.kind != Block::kMap) return true;
    for (uint64_t page = span.begin / kPageBytes; page <= (span.end - 1) / kPageBytes; ++page)
      if (!b.pages[page]) return false;
    return true;
  }
  // Bytes of that number somewhere in the block; an access at some multiple of `alignment` (of the block, which is
  // aligned to 16).
  std::optional<Span> some_span(int b, uint64_t size, uint64_t alignment) {
    const Block& it = block(b);
    for (int tries = 0; tries < 4; ++tries) {
      uint64_t begin = it.spots[below(static_cast<unsigned>(it.spots.size()))] + below(9);
      if (chance(10)) begin = below(static_cast<unsigned>(it.size));
      begin = begin / alignment * alignment;
      const Span span = {b, begin, begin + size};
      if (is_accessible(span)) return span;
    }
    return std::nullopt;
  }

  void access(int t, int b, bool writes) {
    if (chance(atomics_)) return atomic(t, b, writes);
    const unsigned form = below(100);
    if (form < large_) return range(t, b, writes);
    const uint64_t size = uint64_t{1} << below(5);
    const bool aligned = chance(70);
    const auto span = some_span(b, size, aligned ? size : 1);
    if (!span) return;
    plain(t, *span, writes);
  }
  Step& plain(int t, const Span& span, bool writes) {
    Step& step = add(t, writes ? "write" : "read", span.block, span.begin, span.end - span.begin, pick(3));
    means(step, writes ? "w" : "r", span);
    return step;
  }
  void range(int t, int b, bool writes) {
    static constexpr unsigned kBounds[] = {8, 40, 70, 300, 3000};
    const uint64_t size = 1 + below(kBounds[below(5)]);
    switch (below(5)) {
      case 0:
        if (const auto span = some_span(b, size, 1))
          means(add(t, writes ? "memset" : "read_range", b, span->begin, size), writes ? "w" : "r", *span);
        return;
      case 1:
        if (const auto span = some_span(b, size, 1))
          means(add(t, writes ? "write_range" : "read_range", b, span->begin, size), writes ? "w" : "r", *span);
        return;
      case 2: {
        // The other side of the copy is private to the thread, more or less: bytes of a global that few use.
        const uint64_t bytes = 1 + below(40);
        const Span other = {0, 2048 + 64 * static_cast<uint64_t>(t % 32),
                            2048 + 64 * static_cast<uint64_t>(t % 32) + bytes};
        const auto span = some_span(b, bytes, 1);
        if (!span) return;
        const Span &to = writes ? *span : other, &from = writes ? other : *span;
        const bool overlap = to.block == from.block && to.begin < from.end && from.begin < to.end;
        Step& step = add(t, overlap ? "memmove" : "memcpy", to.block, to.begin, bytes);
        step.block2 = from.block;
        step.offset2 = from.begin;
        means(step, "r", from);
        means(step, "w", to);
        return;
      }
      default: {
        // As a loop over an array does; from the beginning of a part of the shadow, or from anywhere.
        const uint64_t element = uint64_t{4} << below(3);
        uint64_t bytes = element * (1 + below(chance(30) ? 256 : 12));
        auto span = some_span(b, bytes, element);
        if (chance(50)) span = Span{b, block(b).size > 2048 && chance(50) ? 1024u : 0u, 0};
        if (!span) return;
        span->end = std::min(span->begin + bytes, block(b).size / element * element);
        if (!is_accessible(*span)) return;
        means(add(t, writes ? "sweep_write" : "sweep_read", b, span->begin, span->end - span->begin,
                  static_cast<int>(element)),
              writes ? "w" : "r", *span);
      }
    }
  }

  // ---- atomic operations ----

  void atomic(int t, int b, bool writes) {
    uint64_t size = uint64_t{1} << below(5), alignment = size;
    if (chance(5)) size = 1 + below(40), alignment = 1;  // by the functions for objects of any size
    const auto span = some_span(b, size, alignment);
    if (!span) return;
    if (!writes) {
      static constexpr int kLoads[] = {0, 1, 2, 5};
      if (chance(15)) return exchange_fails(t, *span);
      return load(t, *span, kLoads[below(4)]);
    }
    static constexpr int kStores[] = {0, 3, 5}, kModifies[] = {0, 2, 3, 4, 5};
    if (chance(50)) return store(t, *span, kStores[below(3)]);
    modify(t, *span, kModifies[below(5)]);
  }
  Step& atomic_step(int t, std::string_view operation, std::string what, const Span& span, int order, int told_order,
                    const char* end = "") {
    Step& step = add(t, operation, span.block, span.begin, span.end - span.begin, order);
    means(step, std::move(what), span, fmt::format(",{}{}", kOrders[told_order], end));
    return step;
  }
  void load(int t, const Span& span, int order) { atomic_step(t, "load", "ld", span, order, order); }
  void store(int t, const Span& span, int order) { atomic_step(t, "store", "st", span, order, order); }
  void modify(int t, const Span& span, int order) {
    if (chance(40))
      atomic_step(t, "cas", "cas", span, order, order, ",ok");
    else
      atomic_step(t, "exchange", "rmw", span, order, order);
  }
  void exchange_fails(int t, const Span& span) {
    static constexpr int kModifies[] = {0, 2, 3, 4, 5};
    const int order = kModifies[below(5)];
    const int failure = order == kAcqRel ? kAcquire : order == kRelease ? 0 : order;  // as the player has it
    atomic_step(t, "cas_failed", "cas", span, order, failure, ",fail");
  }
  void fence(int t, int order) { means(add(t, "fence", 0, 0, 0, order), fmt::format("fence({})", kOrders[order])); }

  // A token: the thread that takes it learns what the last holder did, by one operation or by a relaxed one and fences.
  void take_token(int t, int token) {
    const Span span = tokens_[token];
    token_holder_[token] = t;
    thread(t).token = token;
    if (chance(lapses_)) return modify(t, span, 0);
    if (chance(30)) {
      load(t, span, 0);
      return fence(t, chance(50) ? kAcquire : kSeqCst);
    }
    if (chance(50)) return load(t, span, chance(50) ? kAcquire : kSeqCst);
    modify(t, span, chance(50) ? kAcquire : kAcqRel);
  }
  void put_token_into_map() {
    const uint64_t size = kPageBytes * (1 + below(4));
    const int b = add_block(Block::kMap, size);
    block(b).has_token = true;
    means(add(0, "mmap", b, 0, size), "alloc", {b, 0, size});
    const uint64_t at = 8 * below(static_cast<unsigned>(size / 8));
    tokens_[1] = {b, at, at + 8};
  }
  void give_token(int t) {
    const int token = std::exchange(thread(t).token, -1);
    const Span span = tokens_[token];
    token_holder_[token] = -1;
    if (chance(lapses_)) return store(t, span, 0);
    if (chance(30)) {
      fence(t, chance(50) ? kRelease : kAcqRel);
      return store(t, span, 0);
    }
    if (chance(50)) return store(t, span, chance(50) ? kRelease : kSeqCst);
    modify(t, span, chance(50) ? kRelease : kAcqRel);
  }

  // ---- locks and the like ----

  bool holds(int t, bool is_mutex, int number) {
    const auto& locks = thread(t).locks;
    return std::any_of(locks.begin(), locks.end(),
                       [&](const HeldLock& lock) { return lock.is_mutex == is_mutex && lock.number == number; });
  }
  bool lock_mutex(int t, int number) {
    for (int other = 0; other < thread_count(); ++other)
      if (holds(other, true, number)) {
        if (other != t && chance(30)) add(t, "trylock_failed", number);
        return false;
      }
    means(add(t, "lock", number), fmt::format("acq(m{})", number));
    thread(t).locks.push_back({true, number});
    return true;
  }
  bool lock_rwlock(int t, int number, bool for_reading) {
    for (int other = 0; other < thread_count(); ++other)
      for (const HeldLock& lock : thread(other).locks)
        if (!lock.is_mutex && lock.number == number && (other == t || !for_reading || !lock.for_reading)) return false;
    means(add(t, for_reading ? "read_lock" : "write_lock", number),
          fmt::format("{}(l{})", for_reading ? "racq" : "acq", number));
    thread(t).locks.push_back({false, number, for_reading});
    return true;
  }
  void unlock(int t, HeldLock wanted) {
    auto& locks = thread(t).locks;
    const auto at = std::find_if(locks.begin(), locks.end(), [&](const HeldLock& lock) {
      return lock.is_mutex == wanted.is_mutex && lock.number == wanted.number;
    });
    const HeldLock lock = *at;
    Step& step = add(t, lock.is_mutex ? "unlock" : "rw_unlock", lock.number);
    means(step, fmt::format("{}({}{})", !lock.is_mutex && lock.for_reading ? "rrel" : "rel", lock.is_mutex ? 'm' : 'l',
                            lock.number));
    locks.erase(at);
  }

  void synchronise(int t) {
    Thread& me = thread(t);
    switch (below(8)) {
      case 0:
        if (me.locks.size() < 3) lock_mutex(t, pick(kMutexes));
        return;
      case 1:
        if (me.locks.size() < 3) lock_rwlock(t, pick(kRwlocks), chance(60));
        return;
      case 2:
      case 3:
        if (!me.locks.empty() && me.section < 0) unlock(t, me.locks[below(static_cast<unsigned>(me.locks.size()))]);
        return;
      case 4: {
        static constexpr int kFences[] = {2, 3, 4, 5};
        return fence(t, kFences[below(4)]);
      }
      case 5: {
        const int s = pick(kSemaphores);
        if (posted_[s] > 0 && chance(60)) {
          --posted_[s];
          return means(add(t, "wait", s), fmt::format("swait(s{})", s));
        }
        ++posted_[s];
        return means(add(t, "post", s), fmt::format("post(s{})", s));
      }
      case 6: {
        const int m = pick(kMessages);
        const bool tells = chance(50);
        return means(add(t, tells ? "tell" : "hear", m), fmt::format("{}(n{})", tells ? "snd" : "rcv", m));
      }
      default:
        return atomic(t, 1 + pick(3), chance(50));
    }
  }
  // Many epochs: ids are used up, and collected.
  void spend(int t) {
    Step& step = add(t, "spend", 0, 0, 1 + below(chance(20) ? 200 : 20));
    means(step, fmt::format("acq(own{})", t));
    means(step, fmt::format("rel(own{})", t));
  }
  void call_or_return(int t) {
    Thread& me = thread(t);
    if (!me.calls.empty() && chance(50)) {
      me.calls.erase(me.calls.begin());
      add(t, "return");
      return;
    }
    if (me.calls.size() >= 6) return;
    const int site = pick(kMostSites);
    add(t, "call").site = site;
    me.calls.insert(me.calls.begin(), site);
  }

  // ---- threads that come and go ----

  bool come_or_go(int t) {
    const auto running = static_cast<unsigned>(
        std::count_if(threads_.begin(), threads_.end(), [](const Thread& other) { return other.is_running; }));
    if (running < most_threads_ && threads_.size() < 200 && (running < 2 || chance(60))) {
      const int child = thread_count();
      threads_.emplace_back().is_running = true;
      means(add(t, "create", child), fmt::format("fork(T{})", child));
      forget_dangling();
      return true;
    }
    const int other = pick(thread_count());
    Thread& it = thread(other);
    if (other == 0 || it.is_over) return false;
    if (it.is_running && !it.is_detached && chance(15)) {
      it.is_detached = true;
      add(t, "detach", other);
      return true;
    }
    if (it.is_running && chance(40)) {
      let_go(other);
      add(other, "end");
      forget_dangling();
      it.is_running = false;
      it.is_over = it.is_detached;
      return true;
    }
    if (!it.is_running && other != t) {
      means(add(t, "join", other), fmt::format("join(T{})", other));
      it.is_over = true;
      return true;
    }
    return false;
  }
  void let_go(int t) {
    Thread& me = thread(t);
    if (!me.is_running) return;
    leave_section(t);
    if (me.token >= 0) give_token(t);
    while (!me.locks.empty()) unlock(t, me.locks.back());
    while (!me.calls.empty()) {
      me.calls.erase(me.calls.begin());
      add(t, "return");
    }
  }

  // ---- memory that comes and goes ----

  int add_block(Block::Kind kind, uint64_t size) {
    Block& it = blocks_.emplace_back();
    it.kind = kind;
    it.size = size;
    it.is_there = true;
    if (kind == Block::kMap) it.pages.assign(size / kPageBytes, true);
    static constexpr Discipline kDisciplines[] = {Discipline::kNone,  Discipline::kMutex,    Discipline::kMutex,
                                                  Discipline::kToken, Discipline::kRwlock,   Discipline::kRwlock,
                                                  Discipline::kOwner, Discipline::kReadOnly, Discipline::kMutex};
    it.discipline = kDisciplines[below(9)];
    const int guards[] = {1, kMutexes, kRwlocks, kTokens, 1, std::max(thread_count(), 1)};
    it.guard = pick(guards[static_cast<int>(it.discipline)]);
    for (unsigned i = 1 + below(4); i != 0; --i) it.spots.push_back(some_spot(size));
    return static_cast<int>(blocks_.size()) - 1;
  }
  // Near the end of the block, or of something that the shadow divides memory into, or anywhere.
  uint64_t some_spot(uint64_t size) {
    if (size > 16 && chance(30)) return size - 8 - below(9);
    if (size > 1100 && chance(40)) return 1024 * (1 + below(static_cast<unsigned>(size / 1024))) - below(10);
    return below(static_cast<unsigned>(size));
  }
  // Nothing may be where freed memory was, as long as it is still accessed.
  void forget_dangling() {
    for (Block& it : blocks_) it.freed_by = -1;
  }
  // Mostly one of a few, so that a block lies where another one was.
  uint64_t some_size() {
    if (chance(60)) return common_sizes_[below(2)];
    if (chance(3)) return 140'000 + below(60'000);
    if (chance(10)) return 1 + below(6000);
    return 1 + below(chance(50) ? 64 : 300);
  }

  bool allocate_or_release(int t) {
    const unsigned form = below(100);
    const auto live =
        std::count_if(blocks_.begin() + kGlobals, blocks_.end(), [](const Block& b) { return b.is_there; });
    if (form < 35 && live < 24) {
      forget_dangling();
      const uint64_t size = some_size();
      const int b = add_block(Block::kHeap, size);
      means(add(t, chance(70) ? "malloc" : "calloc", b, 0, size), "alloc", {b, 0, size});
      return true;
    }
    if (form < 50 && live < 24) {
      forget_dangling();
      const uint64_t size = kPageBytes * (1 + below(chance(10) ? 40 : 4));
      const int b = add_block(Block::kMap, size);
      means(add(t, "mmap", b, 0, size), "alloc", {b, 0, size});
      return true;
    }
    if (tokens_[1].block != tokens_[0].block && chance(40)) return change_map(t, tokens_[1].block);
    // By the block's discipline, mostly.
    int b = thread(t).section;
    if (b < 0 || !has_for_itself(t, b)) {
      if (!chance(lapses_)) return false;
      b = some_block();
    }
    if (b < kGlobals || !block(b).is_there) return false;
    return block(b).kind == Block::kHeap ? release_heap(t, b) : change_map(t, b);
  }
  bool release_heap(int t, int b) {
    Block& it = block(b);
    const Span all = {b, 0, it.size};
    it.is_there = false;
    if (chance(75)) {
      if (it.size <= 1000) it.freed_by = static_cast<int>(steps().size());
      means(add(t, "free", b), "free", all);
      return true;
    }
    forget_dangling();
    const uint64_t old_size = it.size, size = some_size();
    const int moved_to = add_block(Block::kHeap, size);
    Step& step = add(t, "realloc", b, 0, size);
    step.block2 = moved_to;
    means(step, "alloc", {moved_to, 0, size});
    means(step, "r", {b, 0, std::min(old_size, size)});
    means(step, "free", all);
    return true;
  }
  bool change_map(int t, int b) {
    Block& it = block(b);
    const uint64_t pages = it.pages.size(), first = below(static_cast<unsigned>(pages));
    const uint64_t last = first + below(static_cast<unsigned>(pages - first)) + 1;
    const Span some = {b, first * kPageBytes, last * kPageBytes}, all = {b, 0, it.size};
    const unsigned form = below(10);
    if (!it.has_token && form < 3 && it.is_whole) {
      it.is_there = false;
      means(add(t, "munmap", b, 0, it.size), "free", all);
      return true;
    }
    if (!it.has_token && form < 5 && is_accessible(some)) {
      it.is_whole = false;
      for (uint64_t page = first; page < last; ++page) it.pages[page] = false;
      it.is_there = std::count(it.pages.begin(), it.pages.end(), true) > 0;
      means(add(t, "munmap", b, some.begin, some.end - some.begin), "free", some);
      return true;
    }
    if (!it.has_token && form < 7 && is_accessible(some)) {
      it.is_whole = false;
      means(add(t, "mmap_over", b, some.begin, some.end - some.begin), "alloc", some);
      return true;
    }
    if (!it.is_whole) return false;
    const uint64_t old_size = it.size;
    const uint64_t size =
        it.has_token ? old_size + kPageBytes * below(2) : kPageBytes * (1 + below(static_cast<unsigned>(pages) + 3));
    const bool moves = chance(50) && size >= old_size;
    if (size == old_size && !moves) return false;
    Step& step = add(t, moves ? "mremap_moved" : "mremap", b, 0, size);
    step.offset2 = old_size;
    if (size > old_size) means(step, "alloc", {b, old_size, size});
    if (size < old_size) means(step, "free", {b, size, old_size});
    it.size = size;
    it.pages.assign(size / kPageBytes, true);
    std::erase_if(it.spots, [&](uint64_t spot) { return spot >= size; });
    if (it.spots.empty()) it.spots.push_back(0);
    return true;
  }

  // An access of memory that was freed; those that come after the free by order are left out later, since they are no
  // races. The first 16 bytes are the heap's own.
  bool dangling(int t) {
    if (!chance(lapses_)) return false;
    for (int b = static_cast<int>(blocks_.size()) - 1; b >= kGlobals; --b) {
      if (block(b).freed_by < 0) continue;
      const uint64_t size = uint64_t{1} << below(4);
      if (block(b).size < 16 + size) continue;
      const uint64_t begin = 16 + below(static_cast<unsigned>(block(b).size - 15 - size));
      plain(t, {b, begin, begin + size}, chance(50)).after_free = block(b).freed_by;
      return true;
    }
    return false;
  }
  void leave_out_ordered_after_free() {
    const ProgramTrace trace(program_);
    const EventGraph graph(trace.trace());
    std::vector<Step> kept;
    for (size_t i = 0; i < steps().size(); ++i) {
      const int freed_by = steps()[i].after_free;
      const size_t event = trace.events_of(static_cast<int>(i)).first;
      const bool is_ordered = freed_by >= 0 && graph.ordered(trace.events_of(freed_by).first, event);
      if (!is_ordered) kept.push_back(std::move(steps()[i]));
    }
    steps() = std::move(kept);
  }

  void choose_sites() {
    const unsigned shared = 2 + below(12);
    for (size_t i = 0; i < steps().size(); ++i) {
      if (steps()[i].operation == "call") continue;
      steps()[i].site = sites_ == Sites::kOneEach ? static_cast<int>(i) : pick(static_cast<int>(shared));
    }
  }

  std::mt19937_64 random_;
  const Sites sites_;
  unsigned most_threads_, lapses_, busy_with_memory_, busy_with_threads_, busy_with_sync_, atomics_, large_;
  bool spends_;
  std::vector<Thread> threads_;
  std::vector<Block> blocks_;
  Span tokens_[kTokens] = {{1, 192, 200}, {1, 208, 216}};
  int token_holder_[kTokens] = {-1, -1};
  unsigned posted_[kSemaphores] = {};
  uint64_t common_sizes_[2];
  Program program_;
};

}  // namespace

Program random_program(uint64_t seed, Sites sites) { return Generator(seed, sites).make(); }

}  // namespace deadheat::test
