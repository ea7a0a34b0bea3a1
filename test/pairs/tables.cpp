// Much of everything that the run time has tables for.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vector>

#include "pairs.h"

namespace pairs {
namespace {

// ---- locks: many at once, and many one after the other

void locks_round(Side&) {
  constexpr int kHeld = 70, kUsed = 400;
  std::vector<pthread_mutex_t> mutexes(kUsed);
  for (auto& mutex : mutexes) must(pthread_mutex_init(&mutex, nullptr) == 0);
  int protected_value = 0;
  const auto use = [&] {
    for (int i = 0; i < kHeld; ++i) must(pthread_mutex_lock(&mutexes[static_cast<size_t>(i)]) == 0);
    ++protected_value;
    for (int i = kHeld; i-- > 0;) must(pthread_mutex_unlock(&mutexes[static_cast<size_t>(i)]) == 0);
    for (auto& mutex : mutexes) {
      must(pthread_mutex_lock(&mutex) == 0);
      must(pthread_mutex_unlock(&mutex) == 0);
    }
  };
  {
    Running first(use);
    Running second(use);
  }
  must(protected_value == 2);
  for (auto& mutex : mutexes) must(pthread_mutex_destroy(&mutex) == 0);
}

// ---- threads: many that are alive at once, and storms of short ones

void threads_round(Side&) {
  constexpr size_t kThreads = 40;
  struct Shared {
    std::atomic<int> here{0}, go{0};
  } shared;
  std::vector<pthread_t> threads(kThreads);
  for (pthread_t& thread : threads)
    must(create(
             &thread, nullptr,
             [](void* data) -> void* {
               Shared& all = *static_cast<Shared*>(data);
               all.here.fetch_add(1, std::memory_order_relaxed);
               await(all.go, 1);
               return nullptr;
             },
             &shared) == 0);
  await(shared.here, kThreads);
  shared.go.store(1, std::memory_order_relaxed);
  for (pthread_t thread : threads) must(pthread_join(thread, nullptr) == 0);
}

std::atomic<int> detached_alive;
void storm_round(Side&) {
  pthread_attr_t detached;
  must(pthread_attr_init(&detached) == 0 && pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED) == 0);
  for (int i = 0; i < 10; ++i) {
    detached_alive.fetch_add(1, std::memory_order_relaxed);
    pthread_t thread;
    must(create(
             &thread, &detached,
             [](void*) -> void* {
               detached_alive.fetch_sub(1, std::memory_order_relaxed);
               return nullptr;
             },
             nullptr) == 0);
    Running joined([] {});
  }
  must(pthread_attr_destroy(&detached) == 0);
  while (detached_alive.load(std::memory_order_relaxed) > 50) sched_yield();
}

// ---- descriptors

void descriptors_round(Side&) {
  std::vector<int> open;
  for (int i = 0; i < 40; ++i) {
    int ends[2];
    must(pipe(ends) == 0);
    const int copy = dup(ends[0]);
    must(copy >= 0);
    must(write(ends[1], "x", 1) == 1);
    char byte = 0;
    must(read(copy, &byte, 1) == 1 && byte == 'x');
    open.insert(open.end(), {ends[0], ends[1], copy});
  }
  for (const int descriptor : open) must(close(descriptor) == 0);
}

// ---- memory

void mappings_round(Side& side) {
  constexpr size_t kPage = 4096;
  for (int i = 0; i < 10; ++i) {
    char* memory =
        static_cast<char*>(mmap(nullptr, 16 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    must(memory != MAP_FAILED);
    for (size_t at = 0; at < 16 * kPage; at += 512) memory[at] = static_cast<char>(at / 512 + 1);
    memory = static_cast<char*>(mremap(memory, 16 * kPage, 64 * kPage, MREMAP_MAYMOVE));
    must(memory != MAP_FAILED && memory[512] == 2);
    Running thread([&] { memory[0] = static_cast<char>(side.index); });
    must(munmap(memory + 32 * kPage, 32 * kPage) == 0);
    memory[16 * kPage] = 1;
    thread.join();
    must(munmap(memory, 32 * kPage) == 0);
  }
}

void heap_round(Side&) {
  const auto use = [] {
    std::vector<void*> blocks;
    for (size_t i = 1; i < 150; ++i) {
      char* block = static_cast<char*>(malloc(i * 24));
      block[0] = block[i * 24 - 1] = 1;
      if (i % 5 == 0) block = static_cast<char*>(realloc(block, i * 100));
      must(block != nullptr && block[0] == 1);
      blocks.push_back(block);
    }
    for (void* block : blocks) free(block);
  };
  Running other(use);
  use();
}

constexpr Feature kFeatures[] = {
    {.name = "many-locks", .round = locks_round, .rounds = 3},
    {.name = "many-threads", .round = threads_round, .rounds = 3},
    {.name = "thread-storm", .round = storm_round},
    {.name = "descriptors", .round = descriptors_round},
    {.name = "mappings", .round = mappings_round},
    {.name = "heap", .round = heap_round},
};

}  // namespace

std::span<const Feature> table_features() { return kFeatures; }

}  // namespace pairs
