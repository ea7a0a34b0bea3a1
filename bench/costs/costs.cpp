// What single operations cost in a watched program: nanoseconds of CPU time each, the least of many passes.
//
//   costs [PATTERN]      those whose name has it
//
// One thread works, another waits for a condition, so that the first is not alone. Before each pass the thread takes and
// leaves a lock, and begins a new epoch by that: what a pass touches first is not recorded yet. The name of a case says what is
// touched; "again" is what the same epoch has touched before. Numbers mean something beside those of another tool in
// the same minute (bench/costs/run).
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>
#include <thread>

namespace {

constexpr size_t kBytes = 65536, kBlock = 64;
alignas(64) unsigned char memory[kBytes + kBlock], other_memory[kBytes + kBlock];
alignas(64) std::atomic<uint64_t> atomics[kBytes / 8];
volatile uint64_t sink;
std::mutex lock;

double cpu_nanoseconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

const char* pattern = "";

// `pass(number)` makes so many operations.
template <class Pass>
__attribute__((noinline)) void measure(const char* name, size_t operations, Pass pass) {
  if (std::strstr(name, pattern) == nullptr) return;
  constexpr int kWarm = 6, kPasses = 60;
  double least = 1e18;
  for (int number = 0; number < kPasses; ++number) {
    {
      const std::lock_guard<std::mutex> epoch(lock);
    }
    const double begin = cpu_nanoseconds();
    pass(number);
    const double took = cpu_nanoseconds() - begin;
    if (number >= kWarm && took < least) least = took;
  }
  std::printf("%s\t%.2f\n", name, least / static_cast<double>(operations));
}

template <class T>
void read_all(int) {
  uint64_t sum = 0;
  for (size_t i = 0; i < kBytes; i += sizeof(T)) sum += *reinterpret_cast<volatile T*>(memory + i);
  sink = sum;
}
template <class T>
void write_all(int number) {
  for (size_t i = 0; i < kBytes; i += sizeof(T)) *reinterpret_cast<volatile T*>(memory + i) = static_cast<T>(number);
}

void words() {
  measure("read 4 bytes", kBytes / 4, read_all<uint32_t>);
  measure("read 8 bytes", kBytes / 8, read_all<uint64_t>);
  measure("write 4 bytes", kBytes / 4, write_all<uint32_t>);
  measure("write 8 bytes", kBytes / 8, write_all<uint64_t>);
  measure("read 8 bytes again", 64 * 64, [](int) {
    uint64_t sum = 0;
    for (int times = 0; times < 64; ++times)
      for (size_t i = 0; i < 64 * 8; i += 8) sum += *reinterpret_cast<volatile uint64_t*>(memory + i);
    sink = sum;
  });
  measure("read 8 bytes, 3 off", kBytes / 8 - 2, [](int) {
    uint64_t sum = 0;
    for (size_t i = 0; i + 16 < kBytes; i += 8) {
      uint64_t value;
      __builtin_memcpy(&value, memory + i + 3, 8);
      sum += value;
      asm volatile("" ::: "memory");
    }
    sink = sum;
  });
}

// Of each word of 4 bytes.
void bytes() {
  measure("read bytes in order", kBytes, read_all<uint8_t>);
  measure("write bytes in order", kBytes, write_all<uint8_t>);
  measure("read one byte of a word", kBytes / 4, [](int) {
    uint64_t sum = 0;
    for (size_t i = 0; i < kBytes; i += 4) sum += *static_cast<volatile unsigned char*>(memory + i);
    sink = sum;
  });
  measure("write one byte of a word", kBytes / 4, [](int number) {
    for (size_t i = 0; i < kBytes; i += 4)
      *static_cast<volatile unsigned char*>(memory + i) = static_cast<unsigned char>(number);
  });
  measure("read another byte in each epoch", kBytes / 4, [](int number) {
    uint64_t sum = 0;
    for (size_t i = 0; i < kBytes; i += 4) sum += *static_cast<volatile unsigned char*>(memory + i + (number & 3));
    sink = sum;
  });
  measure("write another byte in each epoch", kBytes / 4, [](int number) {
    for (size_t i = 0; i < kBytes; i += 4)
      *static_cast<volatile unsigned char*>(other_memory + i + (number & 3)) = static_cast<unsigned char>(number);
  });
  measure("read two bytes from two places", kBytes / 2, [](int) {
    uint64_t sum = 0;
    for (size_t i = 0; i < kBytes; i += 4) {
      sum += *static_cast<volatile unsigned char*>(memory + i) * 256u;
      sum += *static_cast<volatile unsigned char*>(memory + i + 1);
    }
    sink = sum;
  });
  measure("write two bytes from two places", kBytes / 2, [](int number) {
    for (size_t i = 0; i < kBytes; i += 4) {
      *static_cast<volatile unsigned char*>(memory + i) = static_cast<unsigned char>(number);
      *static_cast<volatile unsigned char*>(memory + i + 1) = static_cast<unsigned char>(number);
    }
  });
}

void atomic_operations() {
  measure("atomic load", kBytes / 8, [](int) {
    uint64_t sum = 0;
    for (auto& one : atomics) sum += one.load(std::memory_order_acquire);
    sink = sum;
  });
  measure("atomic load again", 64 * 64, [](int) {
    uint64_t sum = 0;
    for (int times = 0; times < 64; ++times)
      for (size_t i = 0; i < 64; ++i) sum += atomics[8 * i].load(std::memory_order_acquire);
    sink = sum;
  });
  measure("atomic store, relaxed", kBytes / 8, [](int number) {
    for (auto& one : atomics) one.store(static_cast<uint64_t>(number), std::memory_order_relaxed);
  });
  measure("atomic add again, relaxed", 4096, [](int) {
    for (int i = 0; i < 4096; ++i) atomics[0].fetch_add(1, std::memory_order_relaxed);
  });
  measure("atomic store again, release", 4096, [](int) {
    for (uint64_t i = 0; i < 4096; ++i) atomics[1].store(i, std::memory_order_release);
  });
}

void clear() {
  std::memset(memory, 0, kBytes);
  std::memset(other_memory, 0, kBytes);
}

size_t volatile length;
void library() {
  constexpr size_t kBlocks = kBytes / kBlock;
  for (const size_t wanted : {size_t{8}, size_t{24}, size_t{60}}) {
    clear();
    length = wanted;
    measure(("memcpy of " + std::to_string(wanted) + " bytes").c_str(), kBlocks, [](int) {
      for (size_t i = 0; i < kBytes; i += kBlock) std::memcpy(memory + i, other_memory + i, length);
    });
    measure(("memset of " + std::to_string(wanted) + " bytes").c_str(), kBlocks, [](int number) {
      for (size_t i = 0; i < kBytes; i += kBlock) std::memset(memory + i, number, length);
    });
  }
  clear();
  for (size_t i = 0; i < kBytes; i += kBlock) {
    std::strcpy(reinterpret_cast<char*>(memory) + i, "hello world");
    std::strcpy(reinterpret_cast<char*>(other_memory) + i, "hello world");
  }
  measure("strcmp of 11 characters", kBlocks, [](int) {
    int sum = 0;
    for (size_t i = 0; i < kBytes; i += kBlock)
      sum += std::strcmp(reinterpret_cast<char*>(memory) + i, reinterpret_cast<char*>(other_memory) + i);
    sink = static_cast<uint64_t>(sum);
  });
  for (const size_t wanted : {size_t{24}, size_t{1000}}) {
    length = wanted;
    measure(("malloc and free of " + std::to_string(wanted) + " bytes").c_str(), 2000, [](int) {
      for (int i = 0; i < 2000; ++i) {
        void* block = std::malloc(length);
        asm volatile("" : "+r"(block));
        std::free(block);
      }
    });
  }
  measure("std::string of 30 characters", 500, [](int) {
    for (int i = 0; i < 500; ++i) {
      std::string text(30, 'x');
      text += "abc";
      sink = text.size();
    }
  });
  measure("lock and unlock", 2000, [](int) {
    for (int i = 0; i < 2000; ++i) const std::lock_guard<std::mutex> held(lock);
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) pattern = argv[1];
  std::mutex waiting;
  bool done = false;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  std::thread other([&] {
    const std::lock_guard<std::mutex> held(waiting);
    while (!done) pthread_cond_wait(&changed, waiting.native_handle());
  });
  words();
  bytes();
  atomic_operations();
  library();
  {
    const std::lock_guard<std::mutex> held(waiting);
    done = true;
  }
  pthread_cond_signal(&changed);
  other.join();
}
