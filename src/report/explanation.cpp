#include "report/explanation.h"

#include "base/text.h"
#include "race/code_place.h"
#include "report/finding_report.h"

namespace deadheat {

namespace {

class Sentences {
 public:
  Sentences(const Finding& finding, Sink& out)
      : finding_(finding), sides_{&finding.sides[0], finding.earlier()}, out_(out) {}

  void write() {
    if (finding_.kind == FindingKind::kUseAfterFree)
      out_.put("The use comes after the free, in every run: the memory is not the program's any more.\n");
    else if (is_told_in_full(finding_))
      locks_held();
    if (finding_.explanation == nullptr) return;
    for (unsigned i = 2; i-- > 0;) steps_around(i);
    last_met();
    for (const LockUse& use : finding_.explanation->lock_uses) lock_use(use);
  }

 private:
  void locks_held() {
    out_.put("Why they race: ");
    if (sides_[0]->locks.empty() && sides_[1]->locks.empty())
      return out_.put("neither thread held a lock, and nothing else orders the two.\n");
    held(0);
    out_.put(", ");
    held(1);
    out_.put(have_common_lock() ? ", and a lock held only for reading keeps no other reader out.\n"
                                : ": no lock is common, and nothing else orders the two.\n");
  }
  void held(unsigned side) {
    thread(side);
    out_.put(" held ");
    std::string_view before;
    for (const SideLock& lock : sides_[side]->locks) {
      out_.put(before);
      lock_name(lock.address);
      if (lock.for_reading) out_.put(" (for reading)");
      before = " and ";
    }
    if (sides_[side]->locks.empty()) out_.put("no lock");
  }
  bool have_common_lock() const {
    for (const SideLock& a : sides_[0]->locks)
      for (const SideLock& b : sides_[1]->locks)
        if (a.address == b.address) return true;
    return false;
  }

  void steps_around(unsigned side) {
    const Explanation& why = *finding_.explanation;
    if (why.forgotten[side]) {
      out_.put("What ");
      thread(side);
      return out_.put(" did around its access to synchronise is so long ago that it is not known any more.\n");
    }
    thread(side, true);
    if (!why.before[side].op.empty()) {
      out_.put(" last synchronised before its access by ");
      step(why.before[side]);
    } else {
      out_.put(" did not synchronise before its access");
    }
    if (why.after[side].op.empty()) {
      out_.put("; after it, not yet.\n");
    } else {
      out_.put("; after it, first by ");
      step(why.after[side]);
      out_.put(".\n");
    }
  }

  void last_met() {
    const Explanation& why = *finding_.explanation;
    if (why.met_from.op.empty()) return;
    thread(0, true);
    out_.put(" knew what ");
    thread(1);
    out_.put(" had done up to ");
    step(why.met_from);
    if (!why.met_to.op.empty()) {
      out_.put(", since ");
      step(why.met_to);
    }
    out_.put("; the earlier access came later.\n");
  }

  // "4,212 other accesses hold M1, created at cache.cpp:31; the read by thread T2 does not."
  void lock_use(const LockUse& use) {
    if (use.held[0] && use.held[1]) return;
    const uint64_t others = finding_.explanation->other_accesses;
    grouped(use.accesses);
    if (use.accesses < others) {
      out_.put(" of ");
      grouped(others);
    }
    out_.put(others == 1         ? " other access holds "
             : use.accesses == 1 ? " other accesses holds "
                                 : " other accesses hold ");
    lock_name(use.lock);
    if (!use.held[0] && !use.held[1]) return out_.put("; these two do not.\n");
    const unsigned without = use.held[0] ? 1 : 0;
    out_.put("; the ", op_name(sides_[without]->kind), " by ");
    thread(without);
    out_.put(" does not.\n");
  }

  void step(const SyncStep& shown) {
    const auto is = [&shown](std::string_view op) { return same_text(shown.op, op); };
    if (is("acq") || is("racq")) {
      out_.put("locking ");
    } else if (is("rel") || is("rrel")) {
      out_.put("unlocking ");
    } else if (is("fork")) {
      out_.put("creating ");
    } else if (is("join")) {
      out_.put("joining ");
    } else if (is("end")) {
      out_.put("its end");
    } else if (is("ld")) {
      out_.put("an atomic read of ");
    } else if (is("st")) {
      out_.put("an atomic write of ");
    } else if (is("rmw") || is("cas")) {
      out_.put("an atomic update of ");
    } else if (is("fence")) {
      out_.put("a fence");
    } else if (!shown.stack.empty() && shown.stack[0].ours && !shown.stack[0].function.empty()) {
      out_.put(Name{shown.stack[0].function}, " of ");
    } else if (is("take")) {
      out_.put("acquiring ");
    } else if (is("give")) {
      out_.put("releasing ");
    } else {
      out_.put(Name{shown.op}, shown.object.empty() && shown.address == 0 ? "" : " of ");
    }
    object(shown);
    if (is("racq")) out_.put(" for reading");
    if (is("rrel")) out_.put(", held for reading");
    const CodePlace where = readable_place(shown.stack);
    if (!where.is_known()) return;
    out_.put(" at ");
    place(where, shown.stack);
  }

  void object(const SyncStep& shown) {
    const bool is_lock = same_text(shown.op, "acq") || same_text(shown.op, "rel") || same_text(shown.op, "racq") ||
                         same_text(shown.op, "rrel");
    if (same_text(shown.op, "fence") || same_text(shown.op, "end")) return;
    if (shown.address == 0) return out_.put(is_thread_number(shown.object) ? "thread " : "", Name{shown.object});
    if (is_lock && number_of(shown.address) < finding_.locks.size())
      out_.put("M", number_of(shown.address));
    else
      out_.put(is_lock ? "the mutex at " : "", Hex{shown.address});
  }
  static bool is_thread_number(std::string_view name) {
    return name.size() > 1 && name[0] == 'T' && name[1] >= '0' && name[1] <= '9';
  }

  void thread(unsigned side, bool begins = false) {
    if (!is_told_in_full(finding_)) return out_.put(Name{sides_[side]->thread_name});
    if (sides_[side]->thread == 0) return out_.put(begins ? "The main thread" : "the main thread");
    out_.put(begins ? "Thread T" : "thread T", sides_[side]->thread);
  }

  size_t number_of(uint64_t lock) const {
    size_t number = 0;
    while (number < finding_.locks.size() && finding_.locks[number].address != lock) ++number;
    return number;
  }
  // A line of the program's source that a reader can open, if the stack has one; else the innermost place.
  static CodePlace readable_place(StackView stack) {
    for (const StackFrame& frame : stack)
      if (!frame.ours && !frame.file.empty() && !is_system_header(frame.file)) return place_of(frame);
    return place_of(Side{.stack = stack});
  }

  // "M1, created at cache.cpp:31"
  void lock_name(uint64_t lock) {
    const size_t number = number_of(lock);
    if (number == finding_.locks.size()) return out_.put("the mutex at ", Hex{lock});
    out_.put("M", number);
    const CodePlace created = readable_place(finding_.locks[number].created_at);
    if (!created.is_known()) return;
    out_.put(", created at ");
    place(created, finding_.locks[number].created_at);
  }

  void place(const CodePlace& where, StackView stack) {
    for (const StackFrame& frame : stack)
      if (!frame.file.empty() && same_text(frame.file, where.where))
        return where.number == 0 ? out_.put(Name{where.where}) : out_.put(Name{where.where}, ":", where.number);
    out_.put(Name{base_name(where.where)}, "+", Hex{where.number});
  }

  // 4,212
  void grouped(uint64_t count) {
    uint64_t unit = 1;
    while (count / unit >= 1000) unit *= 1000;
    out_.put(count / unit);
    while (unit > 1) {
      const uint64_t rest = count % unit;
      unit /= 1000;
      out_.put(",", rest / unit / 100, rest / unit / 10 % 10, rest / unit % 10);
    }
  }

  const Finding& finding_;
  const Side* const sides_[2];
  Sink& out_;
};

}  // namespace

void write_explanation(const Finding& finding, Sink& out) {
  if (finding.is_race() && finding.earlier() != nullptr) Sentences(finding, out).write();
}

}  // namespace deadheat
