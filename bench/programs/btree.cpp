// A B-tree with fine-grained locking: threads insert, delete and look up random keys, taking locks hand over hand.
// After Boxwood, as used by RaceTrack
//
// Deletion only removes keys from leaves; nodes that are full are split on the way down, so that a lock of the parent is
// enough. Planted, after RaceTrack's category C (counters for performance): with --race operations are
// counted without a lock.
#include <algorithm>
#include <array>
#include <memory>

#include "program.h"

namespace {

constexpr int kOrder = 16;

class Tree {
 public:
  explicit Tree(bool race) : race_(race), root_(std::make_unique<Node>()) {}

  bool insert(int key) {
    count_operation();
    std::unique_lock root_lock(root_mutex_);
    std::unique_lock lock(root_->mutex);
    if (root_->is_full()) {
      auto grown = std::make_unique<Node>();
      grown->leaf = false;
      lock.unlock();  // nobody else can reach the root while its pointer is locked
      grown->children[0] = std::move(root_);
      root_ = std::move(grown);
      lock = std::unique_lock(root_->mutex);
      std::scoped_lock child_lock(root_->children[0]->mutex);
      root_->split_child(0);
    }
    Node* node = root_.get();
    root_lock.unlock();
    while (!node->leaf) {
      int at = node->place(key);
      std::unique_lock child_lock(node->children[at]->mutex);
      if (node->children[at]->is_full()) {
        node->split_child(at);
        if (key >= node->keys[at]) {
          child_lock = std::unique_lock(node->children[++at]->mutex);
        }
      }
      node = node->children[at].get();
      lock = std::move(child_lock);
    }
    return node->insert(key);
  }

  bool erase(int key) {
    count_operation();
    const auto [node, lock] = find_leaf(key);
    return node->erase(key);
  }

  bool contains(int key) {
    count_operation();
    const auto [node, lock] = find_leaf(key);
    return node->contains(key);
  }

  // All keys in order; false if the tree is not one. No other thread may work on it.
  bool collect(std::vector<int>& keys) const {
    collect(*root_, keys);
    return std::ranges::is_sorted(keys) && std::ranges::adjacent_find(keys) == keys.end();
  }
  long operations() const { return operations_; }

 private:
  // Inner nodes: children[i] has the keys below keys[i] and from keys[i - 1] on.
  struct Node {
    std::mutex mutex;
    bool leaf = true;
    int count = 0;
    std::array<int, kOrder> keys{};
    std::array<std::unique_ptr<Node>, kOrder + 1> children;

    bool is_full() const { return count == kOrder; }
    int place(int key) const {
      return static_cast<int>(std::upper_bound(keys.begin(), keys.begin() + count, key) - keys.begin());
    }
    bool contains(int key) const {
      const int at = place(key);
      return at > 0 && keys[at - 1] == key;
    }
    bool insert(int key) {
      if (contains(key)) return false;
      const int at = place(key);
      std::copy_backward(keys.begin() + at, keys.begin() + count, keys.begin() + count + 1);
      keys[at] = key;
      ++count;
      return true;
    }
    bool erase(int key) {
      if (!contains(key)) return false;
      const int at = place(key);
      std::copy(keys.begin() + at, keys.begin() + count, keys.begin() + at - 1);
      --count;
      return true;
    }
    // The child at `at` is full and locked, this node is locked and not full.
    void split_child(int at) {
      Node& left = *children[at];
      auto right = std::make_unique<Node>();
      const int half = kOrder / 2, first = left.leaf ? half : half + 1;
      right->leaf = left.leaf;
      right->count = kOrder - first;
      std::copy(left.keys.begin() + first, left.keys.end(), right->keys.begin());
      if (!left.leaf) std::move(left.children.begin() + first, left.children.end(), right->children.begin());
      left.count = half;
      std::copy_backward(keys.begin() + at, keys.begin() + count, keys.begin() + count + 1);
      std::move_backward(children.begin() + at + 1, children.begin() + count + 1, children.begin() + count + 2);
      keys[at] = left.keys[half];
      children[at + 1] = std::move(right);
      ++count;
    }
  };

  std::pair<Node*, std::unique_lock<std::mutex>> find_leaf(int key) {
    std::unique_lock root_lock(root_mutex_);
    Node* node = root_.get();
    std::unique_lock lock(node->mutex);
    root_lock.unlock();
    while (!node->leaf) {
      Node* child = node->children[node->place(key)].get();
      lock = std::unique_lock(child->mutex);  // the child's lock is taken before the parent's is let go
      node = child;
    }
    return {node, std::move(lock)};
  }

  static void collect(const Node& node, std::vector<int>& keys) {
    for (int i = 0; i <= node.count; ++i) {
      if (!node.leaf) collect(*node.children[i], keys);
      if (node.leaf && i < node.count) keys.push_back(node.keys[i]);
    }
  }

  void count_operation() {
    if (race_) {
      count_unlocked();
    } else {
      std::scoped_lock lock(operations_mutex_);
      ++operations_;
    }
  }
  OWN_LINES void count_unlocked() {
    ++operations_;  // race counter
  }

  const bool race_;
  std::mutex root_mutex_;
  std::unique_ptr<Node> root_;
  std::mutex operations_mutex_;
  long operations_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const program::Arguments given = program::arguments("btree", argc, argv);
  const int operations = std::max(1, 1500 * given.size / given.threads);
  const int keys_of_each = operations;
  Tree tree(given.race);
  std::vector<std::vector<bool>> present(static_cast<std::size_t>(given.threads),
                                         std::vector<bool>(static_cast<std::size_t>(keys_of_each)));
  std::vector<int> mistakes(static_cast<std::size_t>(given.threads));
  // Every thread has keys of its own, which lie between those of the others in the tree.
  program::run_threads(given.threads, [&](int me) {
    program::Random random(static_cast<uint64_t>(me) + 9);
    std::vector<bool>& mine = present[me];
    for (int i = 0; i < operations; ++i) {
      const int number = random.below(keys_of_each), key = number * given.threads + me;
      const int kind = random.below(10);
      bool right = false;
      if (kind < 5) {
        right = tree.insert(key) == !mine[number];
        mine[number] = true;
      } else if (kind < 8) {
        right = tree.erase(key) == mine[number];
        mine[number] = false;
      } else {
        right = tree.contains(key) == mine[number];
      }
      if (!right) ++mistakes[me];
    }
  });

  std::vector<int> keys;
  bool right = tree.collect(keys) && tree.operations() == static_cast<long>(operations) * given.threads;
  std::size_t expected = 0;
  for (const std::vector<bool>& mine : present)
    expected += static_cast<std::size_t>(std::count(mine.begin(), mine.end(), true));
  for (int count : mistakes) right = right && count == 0;
  return program::verdict("btree", given, right && keys.size() == expected);
}
