// What the kernels share: threads with a number, a barrier, and a checksum that must not depend on the tool that watches.
//
// A kernel is a program `NAME [SCALE]` that works about a tenth of a second without instrumentation at scale 1 and
// prints a checksum. None has a race.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace kernel {

inline int scale(int argc, char** argv) { return argc > 1 ? std::atoi(argv[1]) : 1; }

template <class Body>
void run_threads(int count, const Body& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : threads) thread.join();
}

// xorshift64*: the same numbers everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) {}
  uint64_t operator()() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1d;
  }

 private:
  uint64_t state_;
};

inline void print_checksum(uint64_t sum) { std::printf("%016llx\n", static_cast<unsigned long long>(sum)); }

}  // namespace kernel
