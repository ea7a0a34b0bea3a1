// What a worker has found so far: every race, or the first of each variable.
//
// Ranges are told apart byte by byte: a byte that was reported is not reported again, its neighbours are.
#pragma once

#include <bitset>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/worker.h"

namespace deadheat {

class RaceLog {
 public:
  explicit RaceLog(bool all) : all_(all) {}

  void add(FoundRace race) {
    if (all_) {
      races_.push_back(std::move(race));
    } else if (race.what == FoundRace::What::kRange) {
      add_new_bytes(race);
    } else if (reported_.insert(race.target).second) {  // a worker reports variables or objects, never both
      races_.push_back(std::move(race));
    }
  }
  std::vector<FoundRace>& races() { return races_; }

 private:
  static constexpr uint64_t kPage = 4096;

  void add_new_bytes(FoundRace& race) {
    FoundRace piece = race;
    piece.bytes = 0;
    for (uint64_t byte = race.target; byte < race.target + race.bytes; ++byte) {
      std::bitset<kPage>& page = reported_bytes_[byte / kPage];
      if (!page[byte % kPage]) {
        page.set(byte % kPage);
        if (piece.bytes == 0) piece.target = byte;
        ++piece.bytes;
      } else if (piece.bytes > 0) {
        races_.push_back(piece);
        piece.bytes = 0;
      }
    }
    if (piece.bytes > 0) races_.push_back(piece);
  }

  const bool all_;
  std::vector<FoundRace> races_;
  std::unordered_set<uint64_t> reported_;
  std::unordered_map<uint64_t, std::bitset<kPage>> reported_bytes_;
};

}  // namespace deadheat
