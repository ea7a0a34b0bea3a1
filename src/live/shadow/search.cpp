// Which epochs and call paths the shadow names, for the collections of their ids (order/epochs.h,
// paths/path_collection.h).
//
// Idea     Both walk over the same cells, and mark what they find. Too much may be marked: the R cells of class 0 beside
//          the mark of a very large block hold its size, which looks like ids, and Older is looked at beside each write
//          that is not of all bytes.
// Tested by test/programs: epochs_*, paths_collected*, freed_origin_kept.c
#include "live/ground/touched.h"
#include "live/paths/path_collection.h"
#include "live/shadow/byte_reads.h"
#include "live/shadow/cells.h"
#include "live/shadow/record_store.h"
#include "live/shadow/summary.h"

namespace deadheat::live {
namespace {

// What a collection does with an epoch and the place of an origin, unless it is the one before: neighbours often have
// the same.
class EpochMarker {
 public:
  void operator()(EpochId id, const OriginId*) {
    if (id != last_) epochs_mark(last_ = id);
  }

 private:
  EpochId last_{};
};
class PathMarker {
 public:
  void operator()(EpochId, const OriginId* origin) {
    if (const OriginId named = load(origin); named != last_) stack_mark(last_ = named);
  }

 private:
  OriginId last_{};
};

size_t parts_searched;

// Calls `do_cell(cell, word)` for the cells of a part that are not 0.
template <class DoCell>
void each_cell(uintptr_t part, Plane plane, DoCell do_cell) {
  const Cell* const cells = cell_of(plane, part);
  for (unsigned i = 0; i < kPartWords; ++i) {
    i += equal_cells(cells + i, kPartWords - i, 0);
    if (i < kPartWords) do_cell(load(cells + i), part + 4 * i);
  }
}

template <class Marker>
void mark_summary(const Summary& summary, Marker mark) {
  for (const UniformState* state : {&summary.front, &summary.rest}) {
    for (const OriginId& origin : state->writes.origin) mark(id_of(state->w), &origin);
    for (const OriginId& origin : state->reads.origin) mark(id_of(state->r), &origin);
  }
}

template <class Marker>
void mark_older(uintptr_t word, Marker& mark) {
  mark(id_of(load(cell_of(kPlaneOlder, word))), cell_of(kPlaneOlderOrigin, word));
}

template <class Marker>
void mark_writes(uintptr_t part, Marker mark, Marker mark_other) {
  each_cell(part, kPlaneW, [&](Cell w, uintptr_t word) {
    if (is_record(w)) {
      for (const PastAccess& p : record_of(w)->history()) mark(p.epoch, &p.origin);
    } else if (is_simple(w) || is_freed(w)) {
      mark(id_of(w), cell_of(kPlaneWOrigin, word));
      if (is_simple(w) && !is_whole(w)) mark_older(word, mark_other);
    }
  });
}

template <class Marker>
void mark_reads(uintptr_t part, ReaderClass c, Marker mark) {
  each_cell(part, plane_r(c), [&](Cell r, uintptr_t word) {
    const bool in_block = names_block(r, load(cell_of(kPlaneW, word)));
    if (in_block && is_crowd(r))
      return each_in_crowd(r, 15, [&](const LastAccess& access) { mark(access.epoch, &access.origin); });
    if (in_block)
      return each_byte_read(byte_reads_at(c, word), 15,
                            [&](unsigned, EpochId id, const OriginId& origin) { mark(id, &origin); });
    mark(id_of(r), cell_of(plane_r_origin(c), word));
  });
}

template <class Marker>
void mark_range(uintptr_t begin, uintptr_t end) {
  for (uintptr_t part = begin; part < end; part += kStripeBytes) {
    const Summary& summary = summary_of(part);
    if (summary.mode == PartMode::kUntouched) continue;
    ++parts_searched;
    if (summary.mode == PartMode::kSummary) {
      mark_summary(summary, Marker());
      continue;
    }
    mark_writes(part, Marker(), Marker());
    for (const ReaderClass c : summary.classes) mark_reads(part, c, Marker());
  }
}

template <class Marker>
size_t mark_all() {
  parts_searched = 0;
  each_zone([](uint64_t begin, uint64_t end) { each_touched(begin, end, false, mark_range<Marker>); });
  return parts_searched;
}

}  // namespace

void shadow_mark_ids() { mark_all<EpochMarker>(); }
size_t shadow_mark_paths() { return mark_all<PathMarker>(); }

}  // namespace deadheat::live
