// What the programs of the evaluation share: arguments, threads, a barrier, random numbers, and the verdict of the self-check.
//
// A program is `NAME [--threads N] [--size N] [--race]`. Size 1 makes about a hundred thousand accesses of memory, size N
// about N times as many, whatever the number of threads. The program checks its own result: it exits with 0 and prints
// "NAME: right", or exits with 1 and prints "NAME: wrong". Without --race it has no race, by construction.
//
// --race switches known races on. Each has a name. Every line that takes part in one carries a comment `// race NAME`, which
// bench/evaluation reads: a reported pair of lines is the known race NAME if both lines carry that name. Each known race is in
// every run, however the threads are scheduled: its accesses come before their threads have acquired anything from each
// other, or one of them is in a thread that takes no locks. A racy run may compute something wrong and still exits with 0.
//
// The barrier is made of a mutex and a condition variable, not std::barrier, because Helgrind and DRD understand only the
// functions of POSIX threads: they would report every std::barrier, and the table would say nothing else.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

// A function whose accesses stay in its own lines: not inlined, and (`used`) no access is moved into its callers.
#define OWN_LINES __attribute__((noinline, used))

namespace program {

struct Arguments {
  int threads = 4;
  int size = 1;
  bool race = false;
};

[[noreturn]] inline void refuse(const char* name, const char* why) {
  std::fprintf(stderr, "%s: %s; usage: %s [--threads N] [--size N] [--race]\n", name, why, name);
  std::exit(2);
}

inline Arguments arguments(const char* name, int argc, char** argv) {
  Arguments result;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--race") {
      result.race = true;
      continue;
    }
    if (word != "--threads" && word != "--size") refuse(name, "an argument that is not known");
    if (i + 1 == argc) refuse(name, "a number is missing");
    char* end = nullptr;
    const long number = std::strtol(argv[++i], &end, 10);
    if (*end != '\0' || number < 1 || number > 100'000) refuse(name, "a number must be from 1 to 100000");
    (word == "--size" ? result.size : result.threads) = static_cast<int>(number);
  }
  if (result.race && result.threads < 2) refuse(name, "a race needs two threads");
  return result;
}

// The exit status of main.
inline int verdict(const char* name, const Arguments& given, bool right) {
  std::printf("%s: %s\n", name, right ? "right" : given.race ? "wrong, as a race may cause" : "wrong");
  return right || given.race ? 0 : 1;
}

template <class Body>
void run_threads(int count, const Body& body) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) threads.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : threads) thread.join();
}

// The part of 0..count that is thread number `index`'s.
struct Share {
  int first = 0;
  int last = 0;
};
inline Share share_of(int count, int threads, int index) {
  const auto border = [&](int i) { return static_cast<int>(int64_t{count} * i / threads); };
  return {border(index), border(index + 1)};
}

class Barrier {
 public:
  explicit Barrier(int parties) : parties_(parties) {}
  void wait() {
    std::unique_lock lock(mutex_);
    const unsigned generation = generation_;
    if (++arrived_ == parties_) {
      arrived_ = 0;
      ++generation_;
      all_here_.notify_all();
    } else {
      all_here_.wait(lock, [&] { return generation_ != generation; });
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  const int parties_;
  int arrived_ = 0;
  unsigned generation_ = 0;
};

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
  int below(int limit) { return static_cast<int>(((*this)() >> 33) % static_cast<uint64_t>(limit)); }
  double unit() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }  // [0, 1)

 private:
  uint64_t state_;
};

}  // namespace program
