// A fork while other threads create threads, set handlers, throw, look up names and change large atomic objects: the
// child can do all of that, a thousand times over.
// EXPECT none
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace {

struct Large {
  long values[5];
};
std::atomic<Large> large;
std::atomic<bool> stop;

void* nothing(void*) { return nullptr; }
void create_thread() {
  pthread_t thread;
  if (pthread_create(&thread, nullptr, nothing, nullptr) == 0) pthread_join(thread, nullptr);
}
void set_handler() {
  struct sigaction action = {};
  action.sa_handler = [](int) {};
  sigaction(SIGUSR1, &action, nullptr);
}
void throw_something() {
  try {
    throw std::runtime_error("thrown");
  } catch (const std::exception&) {
  }
}
void look_up() {
  if (dlsym(RTLD_DEFAULT, "qsort") == nullptr) abort();
}
void change_large() { large.store(Large{}); }
void (*const actions[])() = {create_thread, set_handler, throw_something, look_up, change_large};

void* repeat(void* action) {
  while (!stop.load(std::memory_order_relaxed)) {
    for (int i = 0; i < 10; ++i) (*static_cast<void (*const*)()>(action))();
    sched_yield();
  }
  return nullptr;
}

}  // namespace

int main() {
  pthread_t threads[5];
  for (int i = 0; i < 5; ++i) pthread_create(&threads[i], nullptr, repeat, const_cast<void (**)()>(&actions[i]));
  for (int i = 0; i < 1000; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(500);  // a child that hangs ends by it
      for (auto action : actions) action();
      _exit(0);
    }
    int status = 1;
    if (waitpid(child, &status, 0) != child || status != 0) {
      fprintf(stderr, "child %d ended with status %x\n", i, static_cast<unsigned>(status));
      stop = true;
      _exit(1);
    }
  }
  stop = true;
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
}
