// Two tellers and one account. The balance is changed under a lock; the log is not.
//
//   deadheat run examples/bank.cpp
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex lock;
int balance = 100;
int log_entries = 0;

void pay_in(int amount) {
  {
    const std::lock_guard<std::mutex> guard(lock);
    balance += amount;
  }
  ++log_entries;
}

int main() {
  std::thread alice(pay_in, 10);
  std::thread bob(pay_in, 20);
  alice.join();
  bob.join();
  std::printf("balance %d\n", balance);
}
