// A wholesale company: each thread is a terminal of a warehouse and runs a mix of orders, payments, deliveries and stock checks;
// some orders and payments reach into other warehouses.     After SpecJBB, as used by FastTrack and RaceTrack
//
// Known races of the original: a manager changes the mode of the run, and terminals count transactions, without a lock.
#include <algorithm>
#include <array>
#include <deque>
#include <memory>

#include "program.h"

namespace {

constexpr int kItems = 200;
constexpr int kCustomers = 50;
constexpr int kLines = 5;
constexpr long kInitialStock = 1000;

enum class Mode { kRampUp, kRecording };

struct OrderLine {
  int item = 0;
  long quantity = 0;
};

struct Order {
  int customer = 0;
  std::array<OrderLine, kLines> lines;
  long total = 0;
};

class Warehouse {
 public:
  Warehouse() : stock_(kItems, kInitialStock), balance_(kCustomers) {}

  // Takes from the stock of one warehouse for an order of another.
  long take(int item, long quantity) {
    std::scoped_lock lock(mutex_);
    stock_[item] -= quantity;
    sold_ += quantity;
    return quantity * (item % 10 + 1);
  }
  void add_order(std::unique_ptr<Order> order) {
    std::scoped_lock lock(mutex_);
    balance_[order->customer] -= order->total;
    billed_ += order->total;
    waiting_.push_back(std::move(order));
  }
  void pay(int customer, long amount) {
    std::scoped_lock lock(mutex_);
    balance_[customer] += amount;
    paid_ += amount;
  }
  long deliver() {
    std::scoped_lock lock(mutex_);
    long quantity = 0;
    for (int i = 0; i < 10 && !waiting_.empty(); ++i) {
      for (const OrderLine& line : waiting_.front()->lines) quantity += line.quantity;
      waiting_.pop_front();
    }
    delivered_ += quantity;
    return quantity;
  }
  int low_stock(long below) {
    std::scoped_lock lock(mutex_);
    return static_cast<int>(std::ranges::count_if(stock_, [&](long count) { return count < below; }));
  }

  // What must hold at the end, in all warehouses together.
  struct Sums {
    long stock = 0, sold = 0, billed = 0, paid = 0, balance = 0, delivered = 0, waiting = 0;
  };
  void add_to(Sums& sums) {
    std::scoped_lock lock(mutex_);
    for (long count : stock_) sums.stock += count;
    for (long amount : balance_) sums.balance += amount;
    for (const auto& order : waiting_) {
      for (const OrderLine& line : order->lines) sums.waiting += line.quantity;
    }
    sums.sold += sold_;
    sums.billed += billed_;
    sums.paid += paid_;
    sums.delivered += delivered_;
  }

 private:
  std::mutex mutex_;
  std::vector<long> stock_, balance_;
  std::deque<std::unique_ptr<Order>> waiting_;
  long sold_ = 0, billed_ = 0, paid_ = 0, delivered_ = 0;
};

class Company {
 public:
  Company(int warehouses, bool race) : race_(race), warehouses_(static_cast<std::size_t>(warehouses)) {}

  OWN_LINES void set_mode_unlocked(Mode mode) {
    mode_ = mode;  // race mode
  }
  void set_mode(Mode mode) {
    if (race_) return set_mode_unlocked(mode);
    std::scoped_lock lock(mutex_);
    mode_ = mode;
  }
  OWN_LINES Mode mode_unlocked() const {
    return mode_;  // race mode
  }
  OWN_LINES void count_unlocked() {
    ++transactions_;  // race count
  }
  // Says whether the transaction counts.
  bool begin_transaction() {
    if (race_) {
      count_unlocked();
      return mode_unlocked() == Mode::kRecording;
    }
    std::scoped_lock lock(mutex_);
    ++transactions_;
    return mode_ == Mode::kRecording;
  }

  bool transact(int home, program::Random& random) {
    const bool counts = begin_transaction();
    const int warehouses = static_cast<int>(warehouses_.size());
    const int kind = random.below(100), customer = random.below(kCustomers);
    const int remote = random.below(10) == 0 ? random.below(warehouses) : home;
    if (kind < 45) {
      auto order = std::make_unique<Order>();
      order->customer = customer;
      for (OrderLine& line : order->lines) {
        line = {random.below(kItems), random.below(5) + 1};
        order->total += warehouses_[remote].take(line.item, line.quantity);
      }
      warehouses_[home].add_order(std::move(order));
    } else if (kind < 88) {
      warehouses_[remote].pay(customer, random.below(100));
    } else if (kind < 96) {
      warehouses_[home].deliver();
    } else {
      warehouses_[home].low_stock(kInitialStock / 2);
    }
    return counts;
  }

  bool is_right(long transactions) {
    Warehouse::Sums sums;
    for (Warehouse& warehouse : warehouses_) warehouse.add_to(sums);
    return transactions_ == transactions &&
           sums.stock + sums.sold == static_cast<long>(warehouses_.size()) * kItems * kInitialStock &&
           sums.balance == sums.paid - sums.billed && sums.delivered + sums.waiting == sums.sold;
  }

 private:
  const bool race_;
  std::mutex mutex_;
  Mode mode_ = Mode::kRampUp;
  long transactions_ = 0;
  std::vector<Warehouse> warehouses_;
};

}  // namespace

int main(int argc, char** argv) {
  const program::Arguments given = program::arguments("transactions", argc, argv);
  const int each = std::max(1, 2200 * given.size / given.threads);
  Company company(given.threads, given.race);
  std::thread manager([&] { company.set_mode(Mode::kRecording); });
  std::vector<int> recorded(static_cast<std::size_t>(given.threads));
  program::run_threads(given.threads, [&](int me) {
    program::Random random(static_cast<uint64_t>(me) + 11);
    for (int i = 0; i < each; ++i) recorded[me] += company.transact(me, random);
  });
  manager.join();
  bool right = company.is_right(static_cast<long>(each) * given.threads);
  for (int count : recorded) right = right && count <= each;
  return program::verdict("transactions", given, right);
}
