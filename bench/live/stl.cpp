// STL: every thread builds maps, strings and vectors of its own and merges them into a shared map under a lock.
#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

#include "kernel.h"

int main(int argc, char** argv) {
  constexpr int kThreads = 4;
  const int rounds = 25 * kernel::scale(argc, argv);
  std::map<std::string, uint64_t> shared;
  std::mutex mutex;
  kernel::run_threads(kThreads, [&](int me) {
    kernel::Random random(static_cast<uint64_t>(me) + 11);
    for (int round = 0; round < rounds; ++round) {
      std::unordered_map<uint64_t, std::vector<std::string>> groups;
      for (int i = 0; i < 400; ++i) {
        const uint64_t number = random() % 997;
        groups[number % 64].push_back("entry number " + std::to_string(number));
      }
      std::map<std::string, uint64_t> counts;
      for (auto& [group, texts] : groups) {
        std::sort(texts.begin(), texts.end());
        for (const std::string& text : texts) counts[text] += group + 1;
      }
      std::lock_guard guard(mutex);
      for (const auto& [text, count] : counts) shared[text] += count;
    }
  });
  uint64_t sum = 0;
  for (const auto& [text, count] : shared) sum = sum * 31 + count + text.size();
  kernel::print_checksum(sum);
}
