// A multiset of integers in a table of buckets with a lock each; threads insert, delete and query.
// The Multiset microbenchmark of Goldilocks
//
// Planted: with --race a thread asks for the size, at first, without its lock.
#include <algorithm>
#include <array>

#include "program.h"

namespace {

class Multiset {
 public:
  void insert(int value) {
    {
      std::scoped_lock lock(bucket(value).mutex);
      bucket(value).values.push_back(value);
    }
    change_size(1);
  }
  bool erase(int value) {
    {
      std::scoped_lock lock(bucket(value).mutex);
      std::vector<int>& values = bucket(value).values;
      const auto found = std::ranges::find(values, value);
      if (found == values.end()) return false;
      *found = values.back();
      values.pop_back();
    }
    change_size(-1);
    return true;
  }
  long count(int value) {
    std::scoped_lock lock(bucket(value).mutex);
    return std::ranges::count(bucket(value).values, value);
  }
  long size() {
    std::scoped_lock lock(size_mutex_);
    return size_;
  }
  OWN_LINES long size_unlocked() const {
    return size_;  // race size
  }

 private:
  struct Bucket {
    std::mutex mutex;
    std::vector<int> values;
  };
  Bucket& bucket(int value) { return buckets_[static_cast<std::size_t>(value) % buckets_.size()]; }
  OWN_LINES void change_size(long by) {
    std::scoped_lock lock(size_mutex_);
    size_ += by;  // race size
  }

  std::array<Bucket, 256> buckets_;
  std::mutex size_mutex_;
  long size_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const program::Arguments given = program::arguments("multiset", argc, argv);
  const int operations = std::max(10, 6500 * given.size / given.threads);
  Multiset set;
  std::vector<long> inserted(static_cast<std::size_t>(given.threads));
  std::vector<int> mistakes(static_cast<std::size_t>(given.threads));
  program::run_threads(given.threads, [&](int me) {
    program::Random random(static_cast<uint64_t>(me) + 12);
    if (given.race && set.size_unlocked() < 0) ++mistakes[me];
    set.insert(me);
    ++inserted[me];
    // Own values are residues of the number of threads, so that the answers are known; a count of any value may be asked.
    std::array<long, 50> mine{};
    mine[0] = 1;
    for (int i = 0; i < operations; ++i) {
      const int slot = random.below(static_cast<int>(mine.size())), value = slot * given.threads + me;
      switch (random.below(3)) {
        case 0:
          set.insert(value);
          ++mine[slot];
          ++inserted[me];
          break;
        case 1:
          if (set.erase(value) != (mine[slot] > 0)) ++mistakes[me];
          if (mine[slot] > 0) {
            --mine[slot];
            --inserted[me];
          }
          break;
        default:
          if (set.count(value) != mine[slot]) ++mistakes[me];
      }
    }
  });

  long expected = 0;
  bool right = true;
  for (long count : inserted) expected += count;
  for (int count : mistakes) right = right && count == 0;
  return program::verdict("multiset", given, right && set.size() == expected);
}
