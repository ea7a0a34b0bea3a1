#include "shadow/partition.h"

#include <algorithm>
#include <numeric>

namespace deadheat {

uint32_t Partition::parts() const {
  switch (mode_) {
    case Mode::kCoarse:
      return 1;
    case Mode::kFine:
      return n_;
    case Mode::kBlock:
      return n_ / parameter_;
    case Mode::kStride:
      return parameter_;
    case Mode::kSplit:
      return 2;
    case Mode::kPrefix:
      return parameter_ + 1;
  }
  return 0;
}

uint32_t Partition::part_of(uint32_t index) const {
  switch (mode_) {
    case Mode::kCoarse:
      return 0;
    case Mode::kFine:
      return index;
    case Mode::kBlock:
      return index / parameter_;
    case Mode::kStride:
      return index % parameter_;
    case Mode::kSplit:
      return index >= parameter_;
    case Mode::kPrefix:
      return std::min(index, parameter_);
  }
  return 0;
}

StridedRange Partition::part(uint32_t p) const {
  switch (mode_) {
    case Mode::kCoarse:
      return {0, n_ - 1, 1};
    case Mode::kFine:
      return {p, p, 1};
    case Mode::kBlock:
      return {p * parameter_, (p + 1) * parameter_ - 1, 1};
    case Mode::kStride:
      return {p, n_ - parameter_ + p, n_ == parameter_ ? 1 : parameter_};
    case Mode::kSplit:
      return p == 0 ? StridedRange{0, parameter_ - 1, 1} : StridedRange{parameter_, n_ - 1, 1};
    case Mode::kPrefix:
      return p < parameter_ ? StridedRange{p, p, 1} : StridedRange{parameter_, n_ - 1, 1};
  }
  return {};
}

Partition refine(const Partition& P, const StridedRange& f) {
  using Mode = Partition::Mode;
  const uint32_t n = P.length(), b = f.b, e = f.e, k = f.k, i = P.parameter();
  const auto is = [&](uint32_t low, uint32_t high) { return f == StridedRange{low, high, 1}; };
  const bool is_residue_class = b < k && n - 1 < e + k;
  switch (P.mode()) {
    case Mode::kCoarse: {
      if (is(0, n - 1)) return P;
      if (is(0, e)) return Partition::split(e + 1, n);
      if (is(b, n - 1)) return Partition::split(b, n);
      const uint32_t d = std::gcd(n, std::gcd(b, e + 1));
      if (d > 1 && k == 1) return Partition::block(d, n);
      if (is_residue_class && k > 1 && n % k == 0) return Partition::stride(k, n);
      if (4 * uint64_t{e} < n) return Partition::prefix(e + 1, n);
      break;
    }
    case Mode::kBlock: {
      const uint32_t d = std::gcd(i, std::gcd(b, e + 1));
      if (d > 1 && k == 1) return Partition::block(d, n);
      break;
    }
    case Mode::kSplit: {
      if (is(0, i - 1) || is(i, n - 1) || is(0, n - 1)) return P;
      const uint32_t d = std::gcd(std::gcd(n, i), std::gcd(b, e + 1));
      if (d > 1 && k == 1) return Partition::block(d, n);
      const uint32_t last = std::max(i, e);
      if (4 * uint64_t{last} < n) return Partition::prefix(last + 1, n);
      break;
    }
    case Mode::kStride: {
      const uint64_t s = std::lcm(uint64_t{k}, uint64_t{i});
      if (s > 1 && n % s == 0 && is_residue_class) return Partition::stride(static_cast<uint32_t>(s), n);
      break;
    }
    case Mode::kPrefix:
      if (is(i, n - 1) || e < i) return P;
      if (2 * uint64_t{e} < n - 1) return Partition::prefix(2 * e, n);
      break;
    case Mode::kFine:
      break;
  }
  return Partition::fine(n);
}

}  // namespace deadheat
