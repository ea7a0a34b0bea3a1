#include "live/report/explain.h"

#include <algorithm>
#include <new>

#include "live/ground/message.h"
#include "live/order/steps.h"
#include "live/report/draft.h"
#include "live/report/report_session.h"
#include "live/report/report_stack.h"
#include "live/shadow/uses.h"
#include "report/finding_report.h"

namespace deadheat::live {
namespace {

// As traces call it.
std::string_view op_of(StepKind kind) {
  switch (kind) {
    case StepKind::kNone:
      return {};
    case StepKind::kBegin:
      return "begin";
    case StepKind::kEnd:
      return "end";
    case StepKind::kCreate:
      return "fork";
    case StepKind::kJoin:
      return "join";
    case StepKind::kLock:
      return "acq";
    case StepKind::kUnlock:
      return "rel";
    case StepKind::kReadLock:
      return "racq";
    case StepKind::kReadUnlock:
      return "rrel";
    case StepKind::kAcquire:
      return "take";
    case StepKind::kRelease:
      return "give";
    case StepKind::kLoad:
      return "ld";
    case StepKind::kStore:
      return "st";
    case StepKind::kFence:
      return "fence";
  }
  return {};
}

bool is_of_thread(StepKind kind) { return kind == StepKind::kCreate || kind == StepKind::kJoin; }

SyncStep told(const OrderStep& step) {
  SyncStep told{.op = op_of(step.kind)};
  if (step.where != kNoNode) told.stack = stack_of(step.where);
  if (!is_of_thread(step.kind)) {
    told.address = step.object;
    return told;
  }
  char name[16];
  Text text(name, sizeof name);
  text.add("T%lu", step.object);
  told.object = session_text(text.data(), text.size());
  return told;
}

bool is_of_lock(std::string_view op) { return op == "acq" || op == "rel" || op == "racq" || op == "rrel"; }

// A step or an access, and its place among all.
struct Shown {
  TimelineStep step;
  uint64_t number;  // twice that of a step, so that there are places between
};

class Story {
 public:
  explicit Story(const Finding& finding) : finding_(finding) {}

  void add(unsigned side, const StepsAround& around) {
    for (unsigned i = StepsAround::kMost; i-- > 0;) add(side, around.before[i]);
    for (const OrderStep& step : around.after) add(side, step);
    const Side& access = finding_.sides[side];
    shown_[count_++] = {{.side = side, .is_access = true, .step = {.op = op_name(access.kind), .stack = access.stack}},
                        side == 0 ? number_of_later(around) : 2 * around.before[0].number + 1};
  }

  std::span<const TimelineStep> finish() {
    std::sort(shown_, shown_ + count_, [](const Shown& a, const Shown& b) {
      return a.number != b.number ? a.number < b.number : a.step.side > b.step.side;
    });
    TimelineStep* const steps = session_list<TimelineStep>(count_);
    if (steps == nullptr) return {};
    for (unsigned i = 0; i < count_; ++i) steps[i] = shown_[i].step;
    for (unsigned i = 0; i < count_; ++i) join_release(steps, i);
    return {steps, count_};
  }

 private:
  // The later access is made now: after all steps that are known, but for those of its thread that came since.
  static uint64_t number_of_later(const StepsAround& around) {
    return around.after[0].kind == StepKind::kNone ? UINT64_MAX : 2 * around.after[0].number - 1;
  }
  void add(unsigned side, const OrderStep& step) {
    if (step.kind != StepKind::kNone) shown_[count_++] = {{.side = side, .step = told(step)}, 2 * step.number};
  }
  // A release of a lock, and the next time that the other thread takes it.
  void join_release(TimelineStep* steps, unsigned release) const {
    if (steps[release].step.op != "rel" && steps[release].step.op != "rrel") return;
    for (unsigned i = release + 1; i < count_; ++i) {
      if (steps[i].side == steps[release].side || steps[i].step.address != steps[release].step.address) continue;
      if (steps[i].step.op != "acq" && (steps[release].step.op != "rel" || steps[i].step.op != "racq")) continue;
      steps[release].orders = static_cast<int>(i);
      return;
    }
  }

  const Finding& finding_;
  Shown shown_[2 * (2 * StepsAround::kMost)];
  unsigned count_ = 0;
};

bool holds(const Side& side, uint64_t lock) {
  for (const SideLock& held : side.locks)
    if (held.address == lock) return true;
  return false;
}

void add_lock_uses(Draft& draft, Explanation& why) {
  const Uses uses = uses_of(draft.finding.both_begin);
  if (uses.accesses <= 2) return;
  why.other_accesses = uses.accesses - 2;  // without the two that race
  LockUse* const list = session_list<LockUse>(Uses::kMostLocks);
  if (list == nullptr) return;
  size_t count = 0;
  for (const Uses::Under& under : uses.under) {
    LockUse use{.lock = under.lock, .accesses = under.accesses};
    for (unsigned i = 0; i < 2; ++i) {
      use.held[i] = holds(draft.finding.sides[i], use.lock);
      if (use.held[i] && use.accesses > 0) --use.accesses;
    }
    if (use.lock == 0 || use.accesses == 0) continue;
    list[count++] = use;
    draft.add_lock(use.lock);
  }
  std::sort(list, list + count, [](const LockUse& a, const LockUse& b) {
    return a.accesses != b.accesses ? a.accesses > b.accesses : a.lock < b.lock;
  });
  why.lock_uses = {list, count};
}

}  // namespace

void explain(Draft& draft, Epoch later, Epoch earlier) {
  const Finding& finding = draft.finding;
  if (finding.earlier() == nullptr) return;
  void* const memory = session_memory(sizeof(Explanation));
  if (memory == nullptr) return;
  Explanation& why = *new (memory) Explanation;
  const StepsAround around[2] = {steps_around(later), steps_around(earlier)};
  Story story(finding);
  for (unsigned i = 0; i < 2; ++i) {
    why.before[i] = told(around[i].before[0]);
    why.after[i] = told(around[i].after[0]);
    why.forgotten[i] = around[i].forgotten;
    story.add(i, around[i]);
  }
  why.timeline = story.finish();
  for (const TimelineStep& shown : why.timeline)
    if (is_of_lock(shown.step.op)) draft.add_lock(shown.step.address);
  // What the later thread knows of the earlier one ends with the step that began the next epoch.
  const Clock known = tls.thread->C[earlier.slot()];
  if (known != 0 && later.slot() != earlier.slot())
    why.met_from = told(steps_around(Epoch(earlier.slot(), known)).after[0]);
  add_lock_uses(draft, why);
  draft.finding.explanation = &why;
}

}  // namespace deadheat::live
