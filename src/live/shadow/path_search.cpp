// Which call paths the shadow names, for their collection (paths/path_collection.h).
// Tested by test/programs/paths_collected*.c, freed_origin_kept.c
#include "live/ground/touched.h"
#include "live/paths/path_collection.h"
#include "live/shadow/byte_reads.h"
#include "live/shadow/cells.h"
#include "live/shadow/records.h"
#include "live/shadow/summary.h"

namespace deadheat::live {
namespace {

// Marks an origin unless it is the one before: neighbours often have the same.
class Marker {
 public:
  void operator()(OriginId origin) {
    if (origin == last_) return;
    last_ = origin;
    stack_mark(origin);
  }

 private:
  OriginId last_{};
};

size_t parts_searched;

void mark_summary(const Summary& summary) {
  for (const UniformState* state : {&summary.front, &summary.rest})
    for (const Turns* turns : {&state->writes, &state->reads})
      for (const OriginId origin : turns->origin) stack_mark(origin);
}

// Calls `do_cell(cell, word)` for the cells of a part that are not 0.
template <class DoCell>
void each_cell(uintptr_t part, Plane plane, DoCell do_cell) {
  const Cell* const cells = cell_of(plane, part);
  for (unsigned i = 0; i < kPartWords; ++i) {
    i += equal_cells(cells + i, kPartWords - i, 0);
    if (i < kPartWords) do_cell(load(cells + i), part + 4 * i);
  }
}

// Older is in use beside a write that is not of all bytes, and where R says so (word_cells.h). If that is not quite
// true, something is marked in vain.
void mark_writes(uintptr_t part) {
  Marker mark;
  each_cell(part, kPlaneW, [&](Cell w, uintptr_t word) {
    if (is_record(w)) {
      const Record& record = *record_of(w);
      for (uint32_t i = 0; i < record.count; ++i) mark(record.past()[i].origin);
    } else if (is_simple(w) || is_freed(w)) {
      mark(load(cell_of(kPlaneWOrigin, word)));
      if (is_simple(w) && !is_whole(w)) stack_mark(load(cell_of(kPlaneOlderOrigin, word)));
    }
  });
}

void mark_reads(uintptr_t part, unsigned reader_class) {
  Marker mark;
  each_cell(part, plane_r(reader_class), [&](Cell r, uintptr_t word) {
    if (names_byte_reads(r, load(cell_of(kPlaneW, word))))
      return each_byte_read(r, 15, [&](unsigned, EpochId, OriginId origin) { mark(origin); });
    mark(load(cell_of(plane_r_origin(reader_class), word)));
    if (has_older(r)) stack_mark(load(cell_of(kPlaneOlderOrigin, word)));
  });
}

void mark_range(uintptr_t begin, uintptr_t end) {
  for (uintptr_t part = begin; part < end; part += kStripeBytes) {
    const Summary& summary = summary_of(part);
    if (summary.mode == PartMode::kUntouched) continue;
    ++parts_searched;
    if (summary.mode == PartMode::kSummary) {
      mark_summary(summary);
      continue;
    }
    mark_writes(part);
    for (unsigned left = summary.classes; left != 0; left &= left - 1)
      mark_reads(part, static_cast<unsigned>(__builtin_ctz(left)));
  }
}

}  // namespace

size_t shadow_mark_paths() {
  parts_searched = 0;
  each_zone([](uint64_t begin, uint64_t end) { each_touched(begin, end, false, mark_range); });
  return parts_searched;
}

}  // namespace deadheat::live
