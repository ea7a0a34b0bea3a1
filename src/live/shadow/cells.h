// Runs of cells, four at a time.
//
// Every cell is still read and written as a whole, because the lanes of a vector do not tear on x86-64. The last four
// of a run may overlap those before them: filling or comparing a cell twice changes nothing.
// Tested by test/programs: ranges of all sizes and alignments
#pragma once

#include <emmintrin.h>

#include "live/shadow/shadow.h"

namespace deadheat::live {

inline __m128i load_four(const Cell* cells) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(cells)); }
inline __m128i four_of(Cell value) { return _mm_set1_epi32(static_cast<int>(value)); }
inline bool are_equal(__m128i a, __m128i b) { return _mm_movemask_epi8(_mm_cmpeq_epi32(a, b)) == 0xffff; }

// How many cells from the first on have that value.
inline unsigned equal_cells(const Cell* cells, unsigned count, Cell value) {
  unsigned i = 0;
  while (i + 4 <= count && are_equal(load_four(cells + i), four_of(value))) i += 4;
  while (i < count && load(cells + i) == value) ++i;
  return i;
}

// How many from the first on have that value in one of two places.
inline unsigned cells_with(const Cell* a, const Cell* b, unsigned count, Cell value) {
  unsigned i = 0;
  const auto four_have = [&](unsigned at) {
    const __m128i wanted = four_of(value);
    const __m128i in_a = _mm_cmpeq_epi32(load_four(a + at), wanted), in_b = _mm_cmpeq_epi32(load_four(b + at), wanted);
    return _mm_movemask_epi8(_mm_or_si128(in_a, in_b)) == 0xffff;
  };
  const auto sixteen_have = [&](unsigned at) {
    const __m128i wanted = four_of(value);
    const auto look = [&](unsigned four) {
      return _mm_or_si128(_mm_cmpeq_epi32(load_four(a + four), wanted), _mm_cmpeq_epi32(load_four(b + four), wanted));
    };
    const __m128i all =
        _mm_and_si128(_mm_and_si128(look(at), look(at + 4)), _mm_and_si128(look(at + 8), look(at + 12)));
    return _mm_movemask_epi8(all) == 0xffff;
  };
  while (i + 16 <= count && sixteen_have(i)) i += 16;
  while (i + 4 <= count && four_have(i)) i += 4;
  while (i < count && (load(a + i) == value || load(b + i) == value)) ++i;
  return i;
}

// How many from the first on have it in neither.
inline unsigned cells_without(const Cell* a, const Cell* b, unsigned count, Cell value) {
  unsigned i = 0;
  for (const __m128i wanted = four_of(value); i + 4 <= count; i += 4) {
    const __m128i in_a = _mm_cmpeq_epi32(load_four(a + i), wanted), in_b = _mm_cmpeq_epi32(load_four(b + i), wanted);
    if (_mm_movemask_epi8(_mm_or_si128(in_a, in_b)) != 0) break;
  }
  while (i < count && load(a + i) != value && load(b + i) != value) ++i;
  return i;
}

// What there is among some cells of W.
struct Contents {
  bool anything, records;
};
inline Contents contents_of(const Cell* cells, unsigned count) {
  unsigned i = 0;
  __m128i all = _mm_setzero_si128(), records = all;  // a record: the first bit is set and the second is not
  for (; i + 4 <= count; i += 4) {
    const __m128i four = load_four(cells + i);
    all = _mm_or_si128(all, four);
    records = _mm_or_si128(records, _mm_andnot_si128(_mm_slli_epi32(four, 1), four));
  }
  Contents found = {!are_equal(all, _mm_setzero_si128()), _mm_movemask_ps(_mm_castsi128_ps(records)) != 0};
  for (; i < count; ++i) {
    found.anything |= load(cells + i) != 0;
    found.records |= is_record(load(cells + i));
  }
  return found;
}

inline void fill_cells(Cell* cells, unsigned count, Cell value) {
  if (count < 4) {
    for (unsigned i = 0; i < count; ++i) store(cells + i, value);
    return;
  }
  const __m128i four = four_of(value);
  for (unsigned i = 0; i + 4 <= count; i += 4) _mm_storeu_si128(reinterpret_cast<__m128i*>(cells + i), four);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(cells + count - 4), four);
}

inline void fill_cells(OriginId* cells, unsigned count, OriginId value) {
  fill_cells(reinterpret_cast<Cell*>(cells), count, number_of(value));
}

}  // namespace deadheat::live
