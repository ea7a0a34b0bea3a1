#include "live/shadow/reference.h"

#ifndef NDEBUG

#include "live/ground/hash.h"
#include "live/ground/heap.h"
#include "live/ground/inside.h"
#include "live/ground/message.h"

namespace deadheat::live {

PastList::~PastList() {
  if (past_ == few_) return;
  const Inside inside;  // the run time may have been left since
  heap_free(past_, capacity_ * sizeof(PastAccess));
}

void PastList::add(const PastAccess& past) {
  if (count_ == capacity_) {
    PastAccess* const grown = static_cast<PastAccess*>(heap_allocate(2 * capacity_ * sizeof(PastAccess)));
    for (uint32_t i = 0; i < count_; ++i) grown[i] = past_[i];
    if (past_ != few_) heap_free(past_, capacity_ * sizeof(PastAccess));
    past_ = grown;
    capacity_ *= 2;
  }
  past_[count_++] = past;
}

void WordBefore::take(uintptr_t word) {
  state = WordState::load(word);
  state.decode([this](const PastAccess& p) { past.add(p); });
}

namespace {

// Of more words than are checked every so many is.
unsigned stride_of(unsigned words) { return (words + kCheckedWords - 1) / kCheckedWords; }
unsigned count_of(unsigned words) { return words == 0 ? 0 : (words - 1) / stride_of(words) + 1; }

// Comparing histories takes the square of their length, so a long one is compared at every n-th update only, where n grows
// with that square.
bool is_due(uint32_t count) {
  constexpr uint64_t kShort = 64;
  static __thread uint64_t updates __attribute__((tls_model("initial-exec")));
  return count < kShort || ++updates % (uint64_t{count} * count / (kShort * kShort)) == 0;
}

// Whether a thread other than those that the lock keeps out has read the word meanwhile.
bool is_read_meanwhile(const WordState& before, const WordState& now, ReaderClass own_class) {
  for (const ReaderClass c : ReaderSet::all().without(kCommonClass)) {
    if (c == own_class) continue;
    const bool was = before.classes.has(c), is = now.classes.has(c);
    if ((was ? before.r[c] : 0) != (is ? now.r[c] : 0)) return true;
    if (was && is && before.r_origin[c] != now.r_origin[c]) return true;
  }
  return false;
}

bool is_same_access(const PastAccess& a, const PastAccess& b) { return a.epoch == b.epoch && a.origin == b.origin; }

// As far as the numbers of threads tell.
bool is_later_epoch(EpochId a, EpochId b) {
  const Epoch when_a = epoch_of(a), when_b = epoch_of(b);
  return a == b || b == kNeverId || (when_a.slot() == when_b.slot() && when_a.clock() >= when_b.clock());
}

// Cells do not tell a free from a write.
AccessKind as_recorded(AccessKind kind) { return kind == AccessKind::kFree ? AccessKind::kWrite : kind; }
PastAccess as_recorded(PastAccess p) {
  p.how = how(p.bytes(), as_recorded(p.kind()));
  return p;
}

void add_list(Text& text, const PastAccess* begin, const PastAccess* end) {
  constexpr const char* kNames[kAccessKinds] = {"nothing", "read", "write", "atomic read", "atomic write", "free"};
  text.put('{');
  for (const PastAccess* p = begin; p != end; ++p)
    text.add("%s%s of bytes %x by T%u in epoch %x from %x", p == begin ? "" : "; ",
             kNames[static_cast<unsigned>(p->kind())], p->bytes(), number_of(owner_of(p->epoch)), number_of(p->epoch),
             number_of(p->origin));
  text.put('}');
}

[[noreturn]] void disagree(uintptr_t word, const char* problem, const PastAccess* access, const WordBefore& before,
                           const PastList& after) {
  char buffer[4096];
  Text text(buffer, sizeof buffer);
  if (access != nullptr) add_list(text, access, access + 1);
  text.put(", before ");
  add_list(text, before.past.begin(), before.past.end());
  text.put(", after ");
  add_list(text, after.begin(), after.end());
  die("shadow of 0x%lx: an update that %s: access %s", word, problem, text.data());
}

}  // namespace

ReferenceStep::ReferenceStep(Thread& t, uintptr_t first, unsigned words, unsigned bytes, AccessKind kind,
                             OriginId origin, const RaceFound* race)
    : t_(t),
      first_(first),
      stride_(stride_of(words)),
      count_(count_of(words)),
      access_{t.current, origin, how(bytes, as_recorded(kind))},
      race_(race) {
  if (t.is_alone()) return;  // alone: nothing is ordered after what is forgotten
  for (unsigned i = 0; i < count_; ++i) before_[i].take(first + 4 * stride_ * i);
}

const char* ReferenceStep::problem_of(uintptr_t word, const WordBefore& before, const PastList& after) const {
  const bool all_found = race_ != nullptr && race_->end() - race_->begin() == RaceFound::kMost;  // it had no room
  const auto is_ordered_before = [this](const PastAccess& p) { return is_ordered(t_, p.epoch); };
  const auto is_later = [&](const PastAccess& a, const PastAccess& b) {
    return is_later_epoch(a.epoch, b.epoch) || (a.epoch == t_.current && is_ordered(t_, b.epoch));
  };
  const auto is_race = [this](const PastRace& race, const PastAccess& p, uintptr_t at) {
    if (race.origin != p.origin || at < race.begin || at >= race.end) return false;
    return race_->is_by_origin() || race.epoch == epoch_of(p.epoch);
  };
  const auto at = [word](unsigned byte) { return word + static_cast<unsigned>(__builtin_ctz(byte)); };
  const auto is_found = [&](const PastAccess& p, unsigned byte) {
    if (race_ == nullptr) return false;
    for (const PastRace& race : *race_)
      if (is_race(race, p, at(byte))) return true;
    return all_found && conflict(access_.kind(), p.kind()) && !is_ordered_before(p);
  };
  if (race_ != nullptr && !all_found) {
    for (const PastRace& race : *race_)
      for (unsigned byte = 1; byte < 16; byte <<= 1) {
        bool known = at(byte) < race.begin || at(byte) >= race.end;
        for (const PastAccess& p : before.past) known |= (p.bytes() & byte) != 0 && is_race(race, p, at(byte));
        if (!known) return "finds a race with what is not there";
      }
  }
  return word::disagreement(before.past.begin(), before.past.count(), access_, after.begin(), after.count(),
                            is_ordered_before, is_same_access, is_later, is_found);
}

void ReferenceStep::check(unsigned words) {
  if (t_.is_alone()) return;
  for (unsigned i = 0; i < count_ && i * stride_ < words; ++i) {
    const uintptr_t word = first_ + 4 * stride_ * i;
    const WordBefore& before = before_[i];
    const WordState now = WordState::load(word);
    if (is_read_meanwhile(before.state, now, t_.reader_class) || !is_due(before.past.count())) continue;
    PastList after;
    const bool is_gone = is_freed(before.state.w) || is_mark(before.state.w);
    // The free of a word that is accessed again and again stays; another free takes its place.
    if (is_gone) {
      now.decode([&](const PastAccess& p) { after.add(p); });
      if (now.w != before.state.w && !is_freed(now.w)) disagree(word, "revives a freed word", &access_, before, after);
      continue;
    }
    now.decode([&](const PastAccess& p) { after.add(as_recorded(p)); });
    if (const char* problem = problem_of(word, before, after); problem != nullptr)
      disagree(word, problem, &access_, before, after);
  }
}

void check_word(uintptr_t word) {
  const auto must = [word](bool holds, const char* what) {
    if (!holds) die("shadow of 0x%lx: %s", word, what);
  };
  const ReaderSet classes = summary_of(word).classes;
  must(summary_of(word).mode == PartMode::kCells, "an update of cells that are not in use");
  for (const ReaderClass c : ReaderSet::all()) {
    const Cell r = load(cell_of(plane_r(c), word));
    if (!names_block(r, load(cell_of(kPlaneW, word)))) {
      must(r == 0 || classes.has(c), "a read cell of a class that is not noted");
      continue;
    }
    must(classes.has(c), "a block of a class that is not noted");
    if (has_byte_reads(r))
      must(r == cell_beside(byte_reads_at(c, word), id_of(r)), "a read cell that says something else than its block");
    else
      must(c == kCommonClass && (crowd_of(r)->version.load(std::memory_order_relaxed) & 1) == 0,
           "a crowd that is free or of a class of one thread");
  }
  const Cell w = load(cell_of(kPlaneW, word));
  if (!is_record(w)) return;
  Record* record = record_of(w);
  must((record->version.load(std::memory_order_relaxed) & 1) == 0, "a record that is free or half changed");
  must((record->count > 0 || record->crowded != 0) && record->count <= record->capacity(),
       "a record without or with too much");
  must(record->crowded == 0 || is_crowd(load(crowd_cell_of(word))), "a record that names no crowd");
  uint32_t writes = 0;
  for (uint32_t i = 0; i < record->count; ++i) {
    const PastAccess& p = record->past()[i];
    must(p.epoch != kNeverId && p.bytes() != 0, "an entry of a record that says nothing");
    must(i == 0 || rank(record->past()[i - 1].kind()) <= rank(p.kind()), "entries of a record out of order");
    if (is_write(p.kind())) ++writes;
  }
  must(writes == record->writes, "a record that miscounts its writes");
}

void check_stands_for(const Thread& t, uintptr_t word, unsigned bytes, AccessKind kind) {
  WordBefore now;
  now.take(word);
  unsigned left = bytes;
  for (const PastAccess& p : now.past)
    if (p.epoch == t.current && word::supersedes(p.kind(), kind)) left &= ~p.bytes();
  const PastAccess access = {t.current, kNoOrigin, how(bytes, kind)};
  if (left != 0) disagree(word, "passes over what is not recorded", &access, now, now.past);
}

void check_all_ordered(Thread& t, uintptr_t word) {
  WordBefore now;
  now.take(word);
  for (const PastAccess& p : now.past)
    if (!t.C.knows(epoch_of(p.epoch))) disagree(word, "is by a thread that is not alone", nullptr, now, now.past);
}

bool is_passed_one_checked(const Thread& t, uintptr_t address, AccessKind kind) {
  static __thread uint32_t passed __attribute__((tls_model("initial-exec")));
  static __thread uint64_t lately[16] __attribute__((tls_model("initial-exec")));
  uint64_t& last = lately[spread<4>(address)];
  const uint64_t now = mix(mix(address, number_of(t.current)), static_cast<uint64_t>(kind));
  if (last == now || ++passed % kPassed != 0) return false;
  last = now;
  return true;
}

ReferenceForget::ReferenceForget(uintptr_t first, unsigned words, unsigned bytes)
    : first_(first), stride_(stride_of(words)), count_(count_of(words)), bytes_(bytes) {
  for (unsigned i = 0; i < count_; ++i) before_[i].take(first + 4 * stride_ * i);
}

void ReferenceForget::check() {
  for (unsigned i = 0; i < count_; ++i) {
    const uintptr_t word = first_ + 4 * stride_ * i;
    const WordBefore& before = before_[i];
    const WordState now = WordState::load(word);
    PastList after;
    now.decode([&](const PastAccess& p) { after.add(p); });
    if (is_mark(before.state.w) || is_read_meanwhile(before.state, now, kNoClass)) continue;
    const auto is_in = [](const PastList& list, const PastAccess& p, unsigned byte) {
      for (const PastAccess& q : list)
        if ((q.bytes() & byte) != 0 && q.kind() == p.kind() && is_same_access(p, q)) return true;
      return false;
    };
    const auto is_within = [&](const PastList& list, const PastList& other) {
      for (const PastAccess& p : list)
        for (unsigned byte = 1; byte < 16; byte <<= 1)
          if ((p.bytes() & byte & ~bytes_) != 0 && !is_in(other, p, byte)) return false;
      return true;
    };
    for (const PastAccess& p : after)
      if ((p.bytes() & bytes_) != 0) disagree(word, "does not forget the bytes", nullptr, before, after);
    if (!is_within(after, before.past)) disagree(word, "remembers what nobody did", nullptr, before, after);
    if (!is_within(before.past, after)) disagree(word, "forgets too much", nullptr, before, after);
  }
}

void ReferenceRead::look(Thread& t, uintptr_t word, Cell w, Cell r, unsigned bytes, AccessKind kind, Cell now) {
  word_ = word;
  w_ = w;
  r_ = r;
  now_ = now;
  problem_ = nullptr;
  // Origins are left out: those of the class are the thread's own, and W's may change meanwhile.
  constexpr OriginId kNew{}, kOld{};
  WordState before;
  before.w = is_record(w) ? 0 : w;  // the writes of records were looked at by record_writes_ordered
  before.classes = ReaderSet(t.reader_class);
  before.r[t.reader_class] = r;
  before.r_origin[t.reader_class] = kOld;
  if (is_simple(w) && !is_whole(w)) before.older = load(cell_of(kPlaneOlder, word));
  WordState after = before;
  after.r[t.reader_class] = now;
  after.r_origin[t.reader_class] = kNew;
  PastList was, is;
  before.decode([&](const PastAccess& p) { was.add(p); });
  after.decode([&](const PastAccess& p) { is.add(p); });
  const PastAccess access = {t.current, kNew, how(bytes, kind)};
  const auto is_later = [&](const PastAccess& a, const PastAccess& b) {
    return is_later_epoch(a.epoch, b.epoch) || (a.epoch == t.current && is_ordered(t, b.epoch));
  };
  problem_ = word::disagreement(
      was.begin(), was.count(), access, is.begin(), is.count(),
      [&](const PastAccess& p) { return is_ordered(t, p.epoch); }, is_same_access, is_later,
      [](const PastAccess&, unsigned) { return false; });
}

bool ReferenceRead::check(bool recorded) {
  if (recorded && problem_ != nullptr)
    die("shadow of 0x%lx: a read without the lock that %s: W %x, R %x, then R %x", word_, problem_, w_, r_, now_);
  return recorded;
}

}  // namespace deadheat::live

#endif
