// Locks: almost nothing but lock and unlock, mostly without contention, with a reader-writer lock now and then.
#include <mutex>
#include <shared_mutex>

#include "kernel.h"

int main(int argc, char** argv) {
  constexpr int kThreads = 4, kAccounts = 64;
  const int transfers = 400000 * kernel::scale(argc, argv);
  struct alignas(64) Account {
    std::mutex mutex;
    int64_t balance = 1000;
  };
  std::vector<Account> accounts(kAccounts);
  std::shared_mutex settings_mutex;
  int64_t limit = 10;
  kernel::run_threads(kThreads, [&](int me) {
    kernel::Random random(static_cast<uint64_t>(me) + 5);
    for (int i = 0; i < transfers; ++i) {
      const uint64_t number = random();
      Account& account = accounts[number % kAccounts];
      if (i % 16 == 0) {
        std::shared_lock guard(settings_mutex);
        if (limit > 1000000) return;
      }
      std::lock_guard guard(account.mutex);
      account.balance += static_cast<int64_t>(number >> 32 & 7);
    }
  });
  int64_t sum = 0;
  for (const Account& account : accounts) sum += account.balance;
  kernel::print_checksum(static_cast<uint64_t>(sum));
}
