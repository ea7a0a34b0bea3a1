// Chase: a table of linked lists with a lock for each bucket; every visit walks a few nodes under a fresh lock.
#include <mutex>

#include "kernel.h"

namespace {
struct Node {
  uint64_t key;
  uint64_t count;
  Node* next;
};
struct Bucket {
  std::mutex mutex;
  Node* head = nullptr;
};
}  // namespace

int main(int argc, char** argv) {
  constexpr int kThreads = 4, kBuckets = 1024, kKeys = 8192;
  const int visits = 250000 * kernel::scale(argc, argv);
  std::vector<Bucket> buckets(kBuckets);
  kernel::run_threads(kThreads, [&](int me) {
    kernel::Random random(static_cast<uint64_t>(me) + 7);
    for (int i = 0; i < visits; ++i) {
      const uint64_t key = random() % kKeys;
      Bucket& bucket = buckets[key % kBuckets];
      std::lock_guard guard(bucket.mutex);
      Node* node = bucket.head;
      while (node != nullptr && node->key != key) node = node->next;
      if (node == nullptr) bucket.head = node = new Node{key, 0, bucket.head};
      node->count += 1;
    }
  });
  uint64_t sum = 0;
  for (const Bucket& bucket : buckets)
    for (const Node* node = bucket.head; node != nullptr; node = node->next) sum += node->key * 31 + node->count;
  kernel::print_checksum(sum);
}
