// Queue: work items through a bounded queue with condition variables, reference-counted payloads, atomic counters.
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

#include "kernel.h"

int main(int argc, char** argv) {
  constexpr int kProducers = 2, kConsumers = 2;
  const int items = 60000 * kernel::scale(argc, argv);
  std::mutex mutex;
  std::condition_variable not_empty, not_full;
  std::deque<std::shared_ptr<std::vector<int>>> queue;
  std::atomic<uint64_t> sum{0};
  int producing = kProducers;
  kernel::run_threads(kProducers + kConsumers, [&](int me) {
    if (me < kProducers) {
      for (int i = 0; i < items; ++i) {
        auto item = std::make_shared<std::vector<int>>(16, i);
        std::unique_lock guard(mutex);
        not_full.wait(guard, [&] { return queue.size() < 256; });
        queue.push_back(std::move(item));
        not_empty.notify_one();
      }
      std::lock_guard guard(mutex);
      if (--producing == 0) not_empty.notify_all();
      return;
    }
    for (;;) {
      std::unique_lock guard(mutex);
      not_empty.wait(guard, [&] { return !queue.empty() || producing == 0; });
      if (queue.empty()) return;
      const std::shared_ptr<std::vector<int>> item = std::move(queue.front());
      queue.pop_front();
      not_full.notify_one();
      guard.unlock();
      uint64_t part = 0;
      for (const int value : *item) part += static_cast<uint64_t>(value);
      sum.fetch_add(part, std::memory_order_relaxed);
    }
  });
  kernel::print_checksum(sum.load());
}
