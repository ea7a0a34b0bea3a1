// A fork while other threads lock, wait, map, allocate and use descriptors, atomics, barriers, fibers, futures, keys,
// signals and libraries: the child can do all of it but load libraries, which the C library does not promise.
// EXPECT none
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>
extern "C" void* __tsan_create_fiber(unsigned);
extern "C" void __tsan_destroy_fiber(void*);
static std::atomic<bool> stop;
static void lock_all() {
  std::mutex a;
  std::shared_mutex s;
  {
    std::lock_guard g(a);
    s.lock_shared();
    s.unlock_shared();
    s.lock();
    s.unlock();
  }
}
static void wait_all() {
  std::mutex m;
  std::condition_variable c;
  bool r = false;
  std::thread t([&] { std::lock_guard g(m); r = true; c.notify_one(); });
  {
    std::unique_lock l(m);
    c.wait(l, [&] { return r; });
  }
  t.join();
}
static void map_all() {
  void* p = mmap(nullptr, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) abort();
  static_cast<char*>(p)[5] = 1;
  p = mremap(p, 1 << 16, 1 << 18, MREMAP_MAYMOVE);
  if (p == MAP_FAILED) abort();
  munmap(p, 1 << 18);
}
static void descr() {
  int f[2];
  if (pipe(f)) abort();
  char c = 1;
  if (write(f[1], &c, 1) != 1 || read(f[0], &c, 1) != 1) abort();
  int d = dup(f[0]);
  close(d);
  close(f[0]);
  close(f[1]);
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, f)) abort();
  close(f[0]);
  close(f[1]);
}
static void atoms() {
  std::atomic<long> a{1};
  a.fetch_add(3);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  struct L {
    long x[6];
  };
  static std::atomic<L> l;
  L v = l.load();
  v.x[0]++;
  l.store(v);
}
static void heap() {
  std::string s(1000, 'x');
  s += s;
  void* p = malloc(100000);
  p = realloc(p, 300000);
  free(p);
}
static void fib() { __tsan_destroy_fiber(__tsan_create_fiber(0)); }
static void bar() {
  pthread_barrier_t b;
  pthread_barrier_init(&b, nullptr, 1);
  pthread_barrier_wait(&b);
  pthread_barrier_destroy(&b);
  sem_t s;
  sem_init(&s, 0, 1);
  sem_wait(&s);
  sem_post(&s);
  sem_destroy(&s);
}
static void fut() {
  std::promise<int> p;
  auto f = p.get_future();
  std::thread t([&] { p.set_value(1); });
  f.get();
  t.join();
  static std::once_flag o;
  std::call_once(o, [] {});
}
static void keys() {
  pthread_key_t k;
  if (pthread_key_create(&k, free) == 0) {
    pthread_setspecific(k, nullptr);
    pthread_key_delete(k);
  }
}
static void sigs() {
  sigset_t s;
  sigemptyset(&s);
  sigaddset(&s, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &s, nullptr);
  pthread_kill(pthread_self(), SIGUSR2);
  int n;
  sigwait(&s, &n);
}
static void lib() {
  void* h = dlopen("libm.so.6", RTLD_NOW);
  if (h) {
    if (!dlsym(h, "sin")) abort();
    dlclose(h);
  }
}
static void (*const all[])() = {lock_all, wait_all, map_all, descr, atoms, heap, fib, bar, fut, keys, sigs, lib};
int main() {
  std::vector<std::thread> t;
  for (auto f : all) t.emplace_back([f] { while (!stop.load(std::memory_order_relaxed)) { f(); sched_yield(); } });
  for (int i = 0; i < 100; ++i) {
    pid_t c = fork();
    if (c == 0) {
      alarm(500);
      for (auto f : all)
        if (f != lib) f();
      _exit(0);
    }
    int st = 1;
    if (waitpid(c, &st, 0) != c || st != 0) {
      fprintf(stderr, "child %d status %x\n", i, st);
      _exit(1);
    }
  }
  stop = true;
  for (auto& x : t) x.join();
}
