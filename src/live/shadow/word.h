// The state of a word as one value: loaded from wherever it stands, stored into cells, decoded into past accesses.
//
// Load     from the part's summary, or from the cells of all planes. A record stays where it is: W names it.
// Decode   calls visit(PastAccess) for each past access, the writes first. Bytes of different origins are several.
//          A freed word is one past access of the kind kFree; a word that is not the program's data has none.
// Guard    The stripe's lock. A thread that has its class for itself may still change its own R meanwhile.
// Used by  records.cpp, shadow.cpp, the reference step of development builds (reference.h), unit tests
#pragma once

#include "live/shadow/byte_reads.h"
#include "live/shadow/records.h"
#include "live/shadow/shadow.h"
#include "live/shadow/summary.h"

namespace deadheat::live {

struct WordState {
  Cell w = 0;
  bool has_older = false;  // else Older says nothing
  Cell older = 0;
  OriginId w_origin{}, older_origin{};
  ReaderSet classes;  // whose reads are here
  PerClass<Cell> r;
  PerClass<OriginId> r_origin;  // or the number of a block (byte_reads.h)

  // From cells, with the reads of these classes.
  static WordState load_cells(uintptr_t word, ReaderSet classes);
  static WordState load(uintptr_t word);
  // Into cells that have no history.
  void store(uintptr_t word) const;

  template <class Visit>
  void decode_writes(Visit visit) const;
  template <class Visit>
  void decode_read(ReaderClass c, Visit visit) const;
  template <class Visit>
  void decode_reads(Visit visit) const;
  template <class Visit>
  void decode(Visit visit) const;

 private:
  template <class Visit>
  static void decode_cell(Cell cell, unsigned bytes, AccessKind kind, OriginId origin, Visit visit) {
    each_origin(origin, bytes, [&](OriginId its_origin, unsigned its_bytes) {
      visit(PastAccess{id_of(cell), its_origin, how(its_bytes, kind)});
    });
  }
};

inline WordState WordState::load_cells(uintptr_t word, ReaderSet classes) {
  WordState state;
  state.w = live::load(cell_of(kPlaneW, word));
  if (state.w != 0) state.w_origin = live::load(cell_of(kPlaneWOrigin, word));
  state.has_older = is_simple(state.w) && !is_whole(state.w);
  state.classes = classes;
  for (const ReaderClass c : classes) {
    state.r[c] = live::load(cell_of(plane_r(c), word));
    state.r_origin[c] = state.r[c] == 0 ? kNoOrigin : live::load(cell_of(plane_r_origin(c), word));
  }
  if (state.has_older) {
    state.older = live::load(cell_of(kPlaneOlder, word));
    state.older_origin = live::load(cell_of(kPlaneOlderOrigin, word));
  }
  return state;
}

inline WordState WordState::load(uintptr_t word) {
  const Summary& part = summary_of(word);
  if (part.mode == PartMode::kCells) return load_cells(word, part.classes);
  WordState state;
  if (part.mode == PartMode::kUntouched) return state;
  const unsigned i = (word & (kStripeBytes - 1)) / 4;
  const UniformState& uniform = i < part.fill ? part.front : part.rest;
  state.w = uniform.w;
  if (uniform.w != 0) state.w_origin = uniform.writes.of(i);
  if (uniform.r == 0) return state;
  state.classes = ReaderSet(uniform.r_class);
  state.r[uniform.r_class] = uniform.r;
  state.r_origin[uniform.r_class] = uniform.reads.of(i);
  return state;
}

// Cells that are 0 stay untouched: they may have no memory yet.
inline void WordState::store(uintptr_t word) const {
  const auto put = [word](Plane cells, Cell cell, OriginPlane origins, OriginId origin) {
    live::store(cell_of(origins, word), origin);
    live::store(cell_of(cells, word), cell);
  };
  if (has_older) put(kPlaneOlder, older, kPlaneOlderOrigin, older_origin);
  if (w != 0) put(kPlaneW, w, kPlaneWOrigin, w_origin);
  for (const ReaderClass c : classes) {
    if (r[c] != 0) put(plane_r(c), r[c], plane_r_origin(c), r_origin[c]);
  }
}

// What W says, be it a record, and the write in Older.
template <class Visit>
void WordState::decode_writes(Visit visit) const {
  if (is_record(w)) {
    for (const PastAccess& p : record_of(w)->history()) visit(p);
  } else if (is_freed(w)) {
    decode_cell(w, 15, AccessKind::kFree, w_origin, visit);
  } else if (w != 0 && is_simple(w)) {
    decode_cell(w, bytes_of(w), kind_of_write(w), w_origin, visit);
    if (is_whole(w)) return;
    decode_cell(older, bytes_of(older) & ~(is_atomic_cell(w) ? 0 : bytes_of(w)), AccessKind::kWrite, older_origin,
                visit);
  }
}

// The reads of a class.
template <class Visit>
void WordState::decode_read(ReaderClass c, Visit visit) const {
  if (is_crowd(r[c]))
    return each_in_crowd(r[c], 15, [&](const LastAccess& access) {
      each_origin(access.origin, access.bytes(), [&](OriginId origin, unsigned bytes) {
        visit(PastAccess{access.epoch, origin, how(bytes, access.kind())});
      });
    });
  if (has_block(r[c]))
    return each_byte_read(byte_reads_of(r_origin[c]), 15, [&](unsigned byte, EpochId id, OriginId origin) {
      visit(PastAccess{id, origin, how(byte, AccessKind::kRead)});
    });
  decode_cell(r[c], bytes_of(r[c]), kind_of_read(r[c]), r_origin[c], visit);
}

// All reads that are in cells.
template <class Visit>
void WordState::decode_reads(Visit visit) const {
  for (const ReaderClass c : classes) decode_read(c, visit);
}

template <class Visit>
void WordState::decode(Visit visit) const {
  decode_writes(visit);
  if (!is_mark(w)) decode_reads(visit);  // the R cells beside the mark of a block hold its size
}

}  // namespace deadheat::live
