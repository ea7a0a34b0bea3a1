// Counters for `--stats`: an ordered list of paths and values, rendered as a tree by the report.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace deadheat {

class Stats {
 public:
  using Value = std::variant<uint64_t, double, std::string>;

  // `path` is written with slashes: "rules/read same epoch/count".
  void add(std::string path, Value value) { entries_.emplace_back(std::move(path), std::move(value)); }
  const std::vector<std::pair<std::string, Value>>& entries() const { return entries_; }

 private:
  std::vector<std::pair<std::string, Value>> entries_;
};

// a of b in per cent; 0 if there is nothing to divide.
inline double percent(uint64_t a, uint64_t b) {
  return b == 0 ? 0 : 100.0 * static_cast<double>(a) / static_cast<double>(b);
}

}  // namespace deadheat
