#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "pairs.h"

extern "C" __attribute__((weak)) void __tsan_func_exit();

namespace pairs {

// Not within this file alone: a compiler leaves out writes that nobody could read.
int known;

namespace {

constexpr std::span<const Feature> (*kAll[])() = {signal_features, fork_features,   loader_features,
                                                  end_features,    cancel_features, callback_features,
                                                  report_features, table_features,  other_features};

const Feature* find(const char* name) {
  for (const auto all : kAll)
    for (const Feature& feature : all())
      if (std::strcmp(feature.name, name) == 0) return &feature;
  return nullptr;
}

const Feature* features[2];
Side sides[2] = {{0, 0}, {1, 0}};
std::atomic<int> rounds_done[2];
std::atomic<int> known_is_told;
std::atomic<int> ending;
std::atomic<int> called_back;
pid_t first_process;
char program_folder[4096];  // no string: its destructor would run while features do

void known_race() {
  one_after_the_other(
      [] {
        known = 1;  // race known
      },
      [] {
        known = 2;  // race known
      });
}

bool ends(int side) { return features[side]->ends != Ends::kNot; }
bool goes_on_for_ever(int side) {
  return ends(1 - side) && features[1 - side]->ends != Ends::kMainAfterOthers && !ends(side);
}

[[noreturn]] void stay() {
  for (;;) pause();
}
// One of two features that end the program does it; the other one stays until it is gone.
[[noreturn]] void end_program(int side) {
  if (ending.exchange(1, std::memory_order_relaxed) == 0) features[side]->end(sides[side]);
  stay();
}

void run_side(int side) {
  const Feature& feature = *features[side];
  for (int round = 0;
       goes_on_for_ever(side) || round < feature.rounds || known_is_told.load(std::memory_order_relaxed) == 0;
       ++round) {
    sides[side].round = round;
    feature.round(sides[side]);
    rounds_done[side].store(round + 1, std::memory_order_relaxed);
    sched_yield();
  }
  if (feature.ends == Ends::kThread) end_program(side);
  if (feature.ends == Ends::kMain) stay();
}

void list() {
  for (const auto all : kAll)
    for (const Feature& f : all())
      std::printf("%s %c %d %s %s\n", f.name, f.ends == Ends::kNot ? '-' : 'e', f.status,
                  *f.options != 0 ? f.options : "-", f.tells);
}

}  // namespace

void broken(const char* what, const char* file, int line) {
  char text[512];
  const int length = std::snprintf(text, sizeof text, "BROKEN: %s:%d: %s (errno %d)\n", file, line, what, errno);
  if (write(2, text, static_cast<size_t>(length)) < 0) abort();
  signal(SIGABRT, SIG_DFL);
  abort();
}

thread_local bool in_handler;
bool watched() { return __tsan_func_exit != nullptr; }
bool in_first_process() { return getpid() == first_process; }
const char* folder() { return program_folder; }

}  // namespace pairs

using namespace pairs;

extern "C" void __tsan_on_report(void*) {
  if (features[0] == nullptr || !in_first_process() || in_handler) return;
  if (called_back.exchange(1, std::memory_order_relaxed) != 0) return;
  for (int side = 0; side < 2; ++side)
    if (features[side]->called_back != nullptr) features[side]->called_back(sides[side]);
}

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    list();
    return 0;
  }
  if (argc != 3) return 2;
  if (std::strcmp(argv[1], "--became") == 0) return std::atoi(argv[2]);
  must(readlink("/proc/self/exe", program_folder, sizeof program_folder - 1) > 0);
  *std::strrchr(program_folder, '/') = 0;
  first_process = getpid();
  const Feature* const wanted[2] = {find(argv[1]), find(argv[2])};
  if (wanted[0] == nullptr || wanted[1] == nullptr) return 2;
  features[0] = wanted[0];
  features[1] = wanted[1];
  pthread_t threads[2];
  for (int side = 0; side < 2; ++side)
    must(create(
             &threads[side], nullptr,
             [](void* side_index) -> void* {
               run_side(static_cast<int>(reinterpret_cast<intptr_t>(side_index)));
               return nullptr;
             },
             reinterpret_cast<void*>(intptr_t{side})) == 0);
  if (ends(0) || ends(1))
    for (pthread_t thread : threads) must(pthread_detach(thread) == 0);
  await(rounds_done[0], 1);
  await(rounds_done[1], 1);
  known_race();
  known_is_told.store(1, std::memory_order_relaxed);
  for (int side = 0; side < 2; ++side)
    if (features[side]->ends == Ends::kMain && ending.exchange(1, std::memory_order_relaxed) == 0) {
      features[side]->end(sides[side]);
      return 0;  // an end by returning
    }
  for (int side = 0; side < 2; ++side)
    if (features[side]->ends == Ends::kMainAfterOthers) features[side]->end(sides[side]);
  if (ends(0) || ends(1)) stay();
  for (pthread_t thread : threads) must(pthread_join(thread, nullptr) == 0);
}
