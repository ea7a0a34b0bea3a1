// What a worker has found so far: every race, or the first of each variable.
//
// Ranges are told apart byte by byte: a byte that was reported is not reported again, its neighbours are. With
// `fresh_is_new` a fresh block's bytes may be reported again: a recorded program uses the same memory for many things. The
// same two places are reported once at each address even so, or a loop that allocates would fill the log. Ranked
// warnings on one variable (detect/detector.h) are one warning, also if every race is asked for.
#pragma once

#include <algorithm>
#include <bitset>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/worker.h"

namespace deadheat {

class RaceLog {
 public:
  explicit RaceLog(bool all, bool fresh_is_new = false) : all_(all), fresh_is_new_(fresh_is_new) {}

  void add(FoundRace race) {
    if (race.rank > 0) return add_ranked(std::move(race));
    if (!all_ && race.what == FoundRace::What::kRange) return add_new_bytes(race);
    // Unranked: variables or objects, never both.
    if (all_ || reported_.insert(race.target).second) races_.push_back(std::move(race));
  }
  void allocate(uint64_t begin, uint64_t bytes) {
    if (!fresh_is_new_ || bytes == 0 || reported_bytes_.empty()) return;
    const uint64_t last = begin + bytes - 1, first_page = begin / kPage, last_page = last / kPage;
    const auto forget = [&](uint64_t number, std::bitset<kPage>& page) {
      const uint64_t from = number == first_page ? begin % kPage : 0,
                     to = number == last_page ? last % kPage : kPage - 1;
      for (uint64_t byte = from; byte <= to; ++byte) page.reset(byte);
    };
    if (last_page - first_page < reported_bytes_.size()) {
      for (uint64_t number = first_page; number <= last_page; ++number)
        if (const auto at = reported_bytes_.find(number); at != reported_bytes_.end()) forget(number, at->second);
    } else {
      for (auto& [number, page] : reported_bytes_)
        if (number >= first_page && number <= last_page) forget(number, page);
    }
  }
  std::vector<FoundRace>& races() { return races_; }

 private:
  static constexpr uint64_t kPage = 4096;
  static constexpr size_t kMore = 3;  // further accesses that one warning keeps

  void add_ranked(FoundRace race) {
    // A block as a whole and bytes of it are different things, although both are ranges.
    const bool is_whole = race.rank < rank::kVariableLevel;
    auto& known = ranked_[is_whole][static_cast<size_t>(race.what)];
    auto at = known.upper_bound(race.target);
    if (at != known.begin()) {
      FoundRace& before = races_[std::prev(at)->second];
      if (race.target == before.target || race.target - before.target < before.bytes) {
        correlate(before, race);
        return;
      }
    }
    known.emplace(race.target, races_.size());
    races_.push_back(std::move(race));
  }
  static void correlate(FoundRace& known, const FoundRace& race) {
    known.rank = std::max(known.rank, race.rank);
    const auto is_same = [&race](const Access& a) {
      return a.thread == race.second.thread && a.location == race.second.location;
    };
    if (known.more.size() < kMore && !is_same(known.second) &&
        std::none_of(known.more.begin(), known.more.end(), is_same))
      known.more.push_back(race.second);
  }

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
        add_piece(piece);
        piece.bytes = 0;
      }
    }
    if (piece.bytes > 0) add_piece(piece);
  }

  void add_piece(const FoundRace& piece) {
    if (fresh_is_new_) {
      const LocationId first = piece.conflict.known ? piece.conflict.first.location : kNoLocation;
      const uint64_t pair = uint64_t{index(first)} << 32 | index(piece.second.location);
      if (!reported_pairs_.insert({piece.target, pair}).second) return;
    }
    races_.push_back(piece);
  }

  const bool all_;
  const bool fresh_is_new_;
  std::vector<FoundRace> races_;
  std::unordered_set<uint64_t> reported_;
  std::map<uint64_t, size_t>
      ranked_[2][3];  // by level and What: from the first address, or the id, to the place in races_
  std::unordered_map<uint64_t, std::bitset<kPage>> reported_bytes_;
  std::set<std::pair<uint64_t, uint64_t>> reported_pairs_;  // first byte, and the two locations
};

}  // namespace deadheat
