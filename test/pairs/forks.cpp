// New processes: children that use everything, that exit as programs do, that have children, that become other
// programs.
#include <dlfcn.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "pairs.h"

extern char** environ;

namespace pairs {

// Not within this file alone: a compiler leaves out writes that nobody could read.
int child_raced[2];
int exits_raced[2];

namespace {

struct Large {
  long values[5];
};
std::atomic<Large> large;

int status_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) != child) must(errno == EINTR);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void race_in_child(int side) {
  one_after_the_other(
      [=] {
        child_raced[side] = 1;  // race child
      },
      [=] {
        child_raced[side] = 2;  // race child
      });
}

void use_everything() {
  {
    Running thread([] { large.store(Large{{1, 2, 3, 4, 5}}); });
  }
  struct sigaction action = {};
  static std::atomic<int> handled;
  action.sa_handler = [](int) { handled.store(1, std::memory_order_relaxed); };
  must(sigaction(SIGURG, &action, nullptr) == 0);
  must(raise(SIGURG) == 0 && handled.load(std::memory_order_relaxed) == 1);
  try {
    throw std::runtime_error("thrown in a child");
  } catch (const std::exception& e) {
    must(std::strstr(e.what(), "child") != nullptr);
  }
  must(dlsym(RTLD_DEFAULT, "qsort") != nullptr);
  void* blocks[50];
  for (size_t i = 0; i < 50; ++i) blocks[i] = std::malloc(i * 40 + 1);
  for (void* block : blocks) std::free(block);
  const Large value = large.load();
  must(value.values[0] == 0 || value.values[0] == 1);
}

void everything_round(Side& side) {
  const pid_t child = fork();
  must(child >= 0);
  if (child == 0) {
    use_everything();
    if (side.round == 0) race_in_child(side.index);
    _exit(0);
  }
  use_everything();
  must(status_of(child) == (side.round == 0 ? status_if_told() : 0));
}

void exits_round(Side& side) {
  const pid_t child = fork();
  must(child >= 0);
  if (child == 0) {
    if (side.round == 0)
      one_after_the_other(
          [&] {
            exits_raced[side.index] = 1;  // race exits
          },
          [&] {
            exits_raced[side.index] = 2;  // race exits
          });
    if (side.round % 2 == 0) std::exit(0);
    pthread_exit(nullptr);  // the last thread of the child
  }
  must(status_of(child) == (side.round == 0 ? status_if_told() : 0));
}

void generations_round(Side& side) {
  const pid_t child = fork();
  must(child >= 0);
  if (child == 0) {
    Running thread([&] {
      const int wanted = 5 + side.round % 2;
      const pid_t grandchild = fork();
      must(grandchild >= 0);
      if (grandchild == 0) {  // without the stack of the other thread
        use_everything();
        _exit(wanted);
      }
      must(status_of(grandchild) == wanted);
    });
    thread.join();
    _exit(0);
  }
  must(status_of(child) == 0);
}

void spawn_round(Side& side) {
  char program[] = "/bin/true";
  char* arguments[] = {program, nullptr};
  pid_t child = 0;
  switch (side.round % 3) {
    case 0:
      must(posix_spawn(&child, program, nullptr, nullptr, arguments, environ) == 0);
      must(status_of(child) == 0);
      break;
    case 1:
      child = vfork();
      if (child == 0) {
        execve(program, arguments, environ);
        _exit(9);
      }
      must(child > 0 && status_of(child) == 0);
      break;
    default:
      child = vfork();
      if (child == 0) _exit(4);
      must(child > 0 && status_of(child) == 4);
  }
}

constexpr Feature kFeatures[] = {
    {.name = "fork-everything", .round = everything_round, .rounds = 3, .tells = "child/each"},
    {.name = "fork-exits", .round = exits_round, .rounds = 3, .tells = "exits/each"},
    {.name = "fork-generations", .round = generations_round, .rounds = 2},
    {.name = "spawn", .round = spawn_round, .rounds = 3},
};

}  // namespace

std::span<const Feature> fork_features() { return kFeatures; }

}  // namespace pairs
