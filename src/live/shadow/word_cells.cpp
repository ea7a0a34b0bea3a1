#include "live/shadow/word_cells.h"

namespace deadheat::live {
namespace {

void note_writes(Thread& t, uintptr_t word, Cell w, unsigned bytes, bool atomic, RaceFound& race) {
  if (!(atomic && is_atomic_cell(w)) && !is_ordered(t, id_of(w)))
    race.add(kind_of_write(w), w, load(cell_of(kPlaneWOrigin, word)), word, bytes);
  const Cell older = older_write(word, w);
  if (!is_ordered(t, id_of(older)))
    race.add(AccessKind::kWrite, older, load(cell_of(kPlaneOlderOrigin, word)), word, bytes);
}

// What R says of the thread's own class stands in a block. False if it cannot, or if there is none.
bool begin_block(Thread& t, uintptr_t word, Cell r) {
  if (is_atomic_cell(r)) return false;
  const OriginId block = take_byte_reads(t);
  if (block == kNoOrigin) return false;
  ByteReads& reads = byte_reads_of(block);
  each_origin(load(read_origin_of(t, word)), bytes_of(r), [&](OriginId origin, unsigned bytes) {
    for (; bytes != 0; bytes &= bytes - 1) {
      const int i = __builtin_ctz(bytes);
      reads.origin[i] = origin;
      store(&reads.id[i], whole_cell(id_of(r)));
    }
  });
  store(read_origin_of(t, word), block);
  store(read_cell_of(t, word), kInBlock | bytes_of(r) << kIdBits | number_of(id_of(r)));
  return true;
}

// A read by a thread whose cell has a block. False if the block has a read of the bytes that is not ordered before (by
// another thread of the class), or if the read is an atomic one that it does not stand for.
bool read_in_block(Thread& t, uintptr_t word, Cell w, unsigned bytes, bool atomic, OriginId origin, RaceFound& race) {
  const OriginId block = load(read_origin_of(t, word));
  ByteReads& reads = byte_reads_of(block);
  if (atomic) return byte_reads_in(reads, t.current, bytes) == bytes;
  if (!is_byte_reads_ordered(t, reads, bytes)) return false;
  if (is_simple(w)) note_writes(t, word, w, bytes, false, race);
  summary_of(word).note_class(t.reader_class);
  unsigned now = 0;
  bool alike = true;
  for (unsigned i = 0; i < 4; ++i) {
    if ((bytes >> i & 1) != 0 && reads.id[i] != whole_cell(t.current)) {
      reads.origin[i] = origin;
      store(&reads.id[i], whole_cell(t.current));
    }
    if (reads.id[i] == whole_cell(t.current)) now |= 1u << i;
    alike = alike && reads.origin[i] == reads.origin[0];
  }
  if (bytes != 15 && !(alike && now == 15)) {
    store(read_cell_of(t, word), kInBlock | now << kIdBits | number_of(t.current));
    return true;
  }
  OriginId origins = reads.origin[0];
  for (unsigned i = 1; i < 4; ++i) origins = with_bytes(t.stack_cache, origins, reads.origin[i], 1u << i);
  store(read_origin_of(t, word), origins);
  store(read_cell_of(t, word), whole_cell(t.current));
  give_byte_reads(&t, block);
  return true;
}

bool write_atomic_in_cells(Thread& t, uintptr_t word, OriginId origin, RaceFound& race) {
  Cell* cell = cell_of(kPlaneW, word);
  const Cell w = load(cell);
  if (!is_simple(w)) return false;
  if (!is_ordered(t, id_of(w)) || !is_ordered(t, id_of(older_write(word, w)))) return false;
  if (!is_atomic_cell(w)) {
    if (older_write(word, w) != 0) return false;  // two plain writes beside the atomic one
    store(cell_of(kPlaneOlderOrigin, word), load(cell_of(kPlaneWOrigin, word)));
    store(cell_of(kPlaneOlder, word), w);
  }
  store(cell_of(kPlaneWOrigin, word), origin);
  store(cell, atomic_cell(t.current));
  look_at_readers(t, word, 15, true, race);
  return true;
}

}  // namespace

void look_at_readers(Thread& t, uintptr_t word, unsigned bytes, bool atomic, RaceFound& race) {
  if (!summary_of(word).classes.without(t.reader_class).is_empty()) __atomic_thread_fence(__ATOMIC_SEQ_CST);
  look_at_reads(t, word, bytes, atomic, race);
}

void look_at_reads(Thread& t, uintptr_t word, unsigned bytes, bool atomic, RaceFound& race) {
  for (const ReaderClass c : summary_of(word).classes) {
    const Cell r = load(cell_of(plane_r(c), word));
    if (is_crowd(r)) {
      look_at_crowd(t, word, r, bytes, atomic ? AccessKind::kAtomicWrite : AccessKind::kWrite, race);
      continue;
    }
    if (has_block(r)) {
      each_byte_read(byte_reads_at(c, word), bytes, [&](unsigned byte, EpochId id, OriginId origin) {
        if (!is_ordered(t, id)) race.add({AccessKind::kRead, id, origin, word, byte});
      });
      continue;
    }
    if (is_ordered(t, id_of(r)) || (atomic && is_atomic_cell(r))) continue;
    race.add(kind_of_read(r), r, load(cell_of(plane_r_origin(c), word)), word, bytes);
  }
}

bool read_in_cells(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, OriginId origin, RaceFound& race) {
  const bool atomic = is_atomic(kind);
  const Cell r = load(read_cell_of(t, word)), w = load(cell_of(kPlaneW, word));
  if (is_crowd(r)) {
    if (!access_in_crowd(t, word, bytes, kind, origin)) return false;
    if (is_simple(w)) note_writes(t, word, w, bytes, atomic, race);
    return true;
  }
  if (has_block(r)) return read_in_block(t, word, w, bytes, atomic, origin, race);
  if (!is_ordered(t, id_of(r))) return false;
  ReadResult now;
  if (!after_read(t, word, r, w, bytes, atomic, origin, now))
    return !atomic && begin_block(t, word, r) && read_in_block(t, word, w, bytes, atomic, origin, race);
  if (is_simple(w)) note_writes(t, word, w, bytes, atomic, race);
  summary_of(word).note_class(t.reader_class);
  store(read_origin_of(t, word), now.origin);
  store(read_cell_of(t, word), now.r);
  return true;
}

bool write_in_cells(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, OriginId origin, RaceFound& race) {
  if (is_atomic(kind)) return bytes == 15 && write_atomic_in_cells(t, word, origin, race);
  if (!put_write(t, word, bytes, origin)) return false;
  look_at_readers(t, word, bytes, false, race);
  const Cell r = load(read_cell_of(t, word));
  if (is_read_ordered(t, t.reader_class, word, r, bytes)) drop_own_reads_of(t, word, r, bytes);
  return true;
}

}  // namespace deadheat::live
