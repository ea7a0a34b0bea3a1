// What a program may do when it is called back from a report.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "pairs.h"

namespace pairs {

// Not within this file alone: a compiler leaves out writes that nobody could read.
int first_raced[2];
int fork_raced[2];
int here_raced[2];
int joins_raced[2];

namespace {

std::atomic<int> printed;

// So that there is something to be called back for before the known race.
void told_round(Side& side) {
  if (side.round != 0) return;
  one_after_the_other(
      [&] {
        first_raced[side.index] = 1;  // race told
      },
      [&] {
        first_raced[side.index] = 2;  // race told
      });
}

void forks(Side& side) {
  const pid_t child = fork();
  must(child >= 0);
  if (child == 0) {
    one_after_the_other(
        [&] {
          fork_raced[side.index] = 1;  // race calledfork
        },
        [&] {
          fork_raced[side.index] = 2;  // race calledfork
        });
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) != child) must(errno == EINTR);
  must(WIFEXITED(status) && WEXITSTATUS(status) == 66);
}

void reports(Side& side) {
  std::atomic<int> step{0};
  Running other([&] {
    here_raced[side.index] = 1;  // race calledhere
    step.store(1, std::memory_order_relaxed);
  });
  await(step, 1);
  here_raced[side.index] = 2;  // race calledhere
}

void joins(Side& side) {
  one_after_the_other(
      [&] {
        joins_raced[side.index] = 1;  // race calledjoin
      },
      [&] {
        joins_raced[side.index] = 2;  // race calledjoin
      });
}

void loads(Side&) {
  const std::string path = std::string(folder()) + "/plugin2.so";
  void* const library = dlopen(path.c_str(), RTLD_NOW);
  must(library != nullptr && dlsym(library, "plugin_call") != nullptr && dlclose(library) == 0);
}

void throws(Side&) {
  try {
    throw 42;
  } catch (int value) {
    must(value == 42);
  }
}

void prints(Side& side) {
  told_round(side);
  if (watched()) await(printed, 1);
}

constexpr Feature kFeatures[] = {
    {.name = "called-forks", .round = told_round, .tells = "told calledfork/each", .called_back = forks},
    {.name = "called-reports", .round = told_round, .tells = "told calledhere", .called_back = reports},
    {.name = "called-joins", .round = told_round, .tells = "told calledjoin", .called_back = joins},
    {.name = "called-loads", .round = told_round, .tells = "told", .called_back = loads},
    {.name = "called-throws", .round = told_round, .tells = "told", .called_back = throws},
    {.name = "called-to-print", .round = prints, .tells = "told"},
};

}  // namespace

std::span<const Feature> callback_features() { return kFeatures; }

}  // namespace pairs

extern "C" void __sanitizer_on_print(const char* text) {
  if (std::strstr(text, "WARNING: ThreadSanitizer: ") != nullptr)
    pairs::printed.fetch_add(1, std::memory_order_relaxed);
}
