// Partitions of an array's indices into parts that share one shadow state.          SlimState, section V-A
//
//   coarse     one part                              block(d)   parts of d neighbours; d divides n
//   fine       every index by itself                 stride(s)  the s residue classes mod s; s divides n
//   split(i)   [0, i) and [i, n)                     prefix(i)  every index of [0, i) by itself, and [i, n)
//
// Every part is a strided range. `refine` is the paper's Table I: the partition that is precise enough for a footprint
// (the footprint is exactly a union of parts) and that every part of the old one is a union of parts of.
// Tested by test/rules/slimstate_test.cpp: every row, and by brute force all of that
#pragma once

#include <string_view>

#include "shadow/strided_range.h"

namespace deadheat {

class Partition {
 public:
  enum class Mode : uint8_t { kCoarse, kFine, kBlock, kStride, kSplit, kPrefix };
  static constexpr int kModes = 6;
  static constexpr std::string_view kNames[kModes] = {"coarse", "fine", "block", "stride", "split", "prefix"};

  constexpr Partition() = default;
  static constexpr Partition coarse(uint32_t n) { return {Mode::kCoarse, n, n}; }
  static constexpr Partition fine(uint32_t n) { return {Mode::kFine, 1, n}; }
  static constexpr Partition block(uint32_t d, uint32_t n) { return {Mode::kBlock, d, n}; }
  static constexpr Partition stride(uint32_t s, uint32_t n) { return {Mode::kStride, s, n}; }
  static constexpr Partition split(uint32_t i, uint32_t n) { return {Mode::kSplit, i, n}; }
  static constexpr Partition prefix(uint32_t i, uint32_t n) { return {Mode::kPrefix, i, n}; }

  constexpr Mode mode() const { return mode_; }
  constexpr uint32_t parameter() const { return parameter_; }  // d, s or i
  constexpr uint32_t length() const { return n_; }
  // In these modes accesses are committed at once: footprints would not pay any more.
  constexpr bool is_immediate() const { return mode_ == Mode::kFine || mode_ == Mode::kPrefix; }

  uint32_t parts() const;
  uint32_t part_of(uint32_t index) const;
  StridedRange part(uint32_t p) const;

  // Calls visit(p) for every part of a footprint that the partition is precise enough for.
  template <class Visit>
  void for_each_part(const StridedRange& f, Visit visit) const {
    switch (mode_) {
      case Mode::kCoarse:
        visit(0u);
        break;
      case Mode::kBlock:
        for (uint32_t p = f.b / parameter_; p <= f.e / parameter_; ++p) visit(p);
        break;
      case Mode::kStride:
        for (uint32_t p = f.b; p < parameter_; p += f.k) visit(p);
        break;
      case Mode::kSplit:
        if (f.b < parameter_) visit(0u);
        if (f.e >= parameter_) visit(1u);
        break;
      case Mode::kFine:
      case Mode::kPrefix:
        for (uint32_t i = f.b; i <= f.e; i += f.k) {
          visit(part_of(i));
          if (mode_ == Mode::kPrefix && i >= parameter_) break;  // the rest is one part
        }
        break;
    }
  }

  friend constexpr bool operator==(const Partition&, const Partition&) = default;

 private:
  constexpr Partition(Mode mode, uint32_t parameter, uint32_t n) : mode_(mode), parameter_(parameter), n_(n) {}

  Mode mode_ = Mode::kCoarse;
  uint32_t parameter_ = 0;
  uint32_t n_ = 0;
};

// Table I, its rows in its order; f must not be empty.
Partition refine(const Partition& P, const StridedRange& f);

}  // namespace deadheat
