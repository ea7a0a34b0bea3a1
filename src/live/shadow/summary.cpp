#include "live/shadow/summary.h"

#include "live/ground/touched.h"
#include "live/shadow/reference.h"
#include "live/shadow/word_state.h"

namespace deadheat::live {
namespace {

// Beyond so many accesses that the summary already knew, cells are cheaper: there they are hits.
constexpr uint32_t kAgain = limit(8, 1);

// Whether the access changes the state by a rule that leaves it simple.
bool changes(Thread& t, const UniformState& state, bool writing) {
  if (is_freed(state.w)) return false;
  return writing ? writes_alone(t, id_of_whole(state.w), id_of_whole(state.r))
                 : reads_alone(t, id_of_whole(state.w), id_of_whole(state.r));
}

void begin_pass(Summary& summary, const Thread& t, bool writing, unsigned words, OriginId origin) {
  summary.rest = summary.front;
  UniformState& front = summary.front;
  if (writing) {
    front.w = whole_cell(t.current);
  } else {
    front.r = whole_cell(t.current);
    front.r_class = t.reader_class;
  }
  (writing ? front.writes : front.reads) = {words, {origin, origin, origin, origin}};
  summary.fill = static_cast<uint16_t>(words);
  summary.again = 0;
}

// Whether the access is the next one of the pass that made `front`.
bool continues_pass(Summary& summary, Thread& t, bool writing, unsigned first, unsigned words, OriginId origin) {
  UniformState& front = summary.front;
  Turns& turns = writing ? front.writes : front.reads;
  if (first != summary.fill || turns.words != words || first + words > kPartWords) return false;
  const Cell now = whole_cell(t.current);
  if (writing ? front.w != now : front.r != now || front.w != summary.rest.w) return false;
  if (!changes(t, summary.rest, writing)) return false;
  const unsigned turn = first / words;
  if (turn < 4) turns.origin[turn] = origin;
  return turns.origin[turn % 4] == origin;
}

void begin_summary(Summary& summary, uintptr_t address) {
  summary.mode = PartMode::kSummary;
  summary.fill = kPartWords;
  summary.again = 0;
  summary.front = summary.rest = {};
  note_touched(address);
}

void write_out(Summary& summary, const UniformState& state, uintptr_t part, unsigned first, unsigned end) {
  if ((state.w | state.r) == 0) return;
  if (state.r != 0) summary.note_class(state.r_class);
  for (unsigned i = first; i < end; ++i) {
    const uintptr_t word = part + 4 * i;
    if (state.w != 0) store(cell_of(kPlaneWOrigin, word), state.writes.of(i));
    if (state.w != 0) store(cell_of(kPlaneW, word), state.w);
    if (state.r != 0) store(cell_of(plane_r_origin(state.r_class), word), state.reads.of(i));
    if (state.r != 0) store(cell_of(plane_r(state.r_class), word), state.r);
  }
}

}  // namespace

void summary_write_out(Summary& summary, uintptr_t address) {
  const uintptr_t part = address & ~uintptr_t{kStripeBytes - 1};
  ReferenceForget step(part, kPartWords, 0);
  summary.classes = kNoReaders;
  const bool first = summary.mode == PartMode::kUntouched;
  if (summary.mode == PartMode::kSummary) {
    write_out(summary, summary.front, part, 0, summary.fill);
    write_out(summary, summary.rest, part, summary.fill, kPartWords);
  }
  summary.mode = PartMode::kCells;
  step.check();
  if (first) note_touched(address);
}

bool summary_free(Thread& t, uintptr_t part, Cell freed, OriginId origin) {
  Summary& summary = summary_of(part);
  if (summary.mode == PartMode::kCells) return false;
  if (summary.mode == PartMode::kUntouched) begin_summary(summary, part);
  const auto ordered = [&](const UniformState& state) {
    return is_simple(state.w) && is_ordered(t, id_of_whole(state.w)) && is_ordered(t, id_of_whole(state.r));
  };
  if (!ordered(summary.front) || (summary.fill < kPartWords && !ordered(summary.rest))) {
    summary_write_out(summary, part);
    return false;
  }
  begin_summary(summary, part);
  summary.front.w = freed;
  summary.front.writes = {kPartWords, {origin, origin, origin, origin}};
  return true;
}

bool summary_access_slow(Summary& summary, Thread& t, uintptr_t address, unsigned words, bool writing,
                         OriginId origin) {
  const unsigned first = (address & (kStripeBytes - 1)) / 4;
  if (summary.mode == PartMode::kUntouched) begin_summary(summary, address);
  // Already recorded?
  const Cell now = whole_cell(t.current);
  const bool recorded = summary.front.w == now || (!writing && summary.front.r == now);
  if (first + words <= summary.fill && recorded) {
    if (++summary.again <= kAgain) return true;
  } else if (first == 0 && summary.fill == kPartWords) {
    if (changes(t, summary.front, writing)) {
      begin_pass(summary, t, writing, words, origin);
      return true;
    }
  } else if (continues_pass(summary, t, writing, first, words, origin)) {
    summary.fill = static_cast<uint16_t>(summary.fill + words);
    return true;
  }
  summary_write_out(summary, address);
  return false;
}

}  // namespace deadheat::live
