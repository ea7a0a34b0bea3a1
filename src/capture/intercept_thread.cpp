// Threads: create, join, detach, exit. An edge from create to the child's start, and from its end to a join.
//
// The child says who it is before the program's function runs; its end is noticed in the last round of destructors of
// thread-specific data, so that the program's own destructors are still watched.
#include <pthread.h>
#include <signal.h>

#include <cerrno>

#include "capture/signal_stack.h"
#include "live/api.h"
#include "live/ground/heap.h"
#include "live/ground/inside.h"
#include "live/order/thread.h"
#include "live/paths/call_stack.h"
#include "live/process/signals.h"
#include "live/report/misuse.h"

using namespace deadheat::live;

namespace {

// pthread_t -> uid of threads that were neither joined nor detached.
struct Named {
  Named* next;
  pthread_t handle;
  ThreadUid uid;
};
constexpr uint32_t kBuckets = 1024;
Named* named[kBuckets];
constinit SpinLock named_lock(Lock::kThreadHandles);

uint32_t bucket_of(pthread_t handle) { return static_cast<uint32_t>((handle * 0x9e3779b97f4a7c15u) >> 54); }

// A handle is used again only after its thread is gone, so a younger thread replaces an older one.
void name_thread(pthread_t handle, ThreadUid uid) {
  const BusyGuard held(named_lock);
  Named** at = &named[bucket_of(handle)];
  while (*at != nullptr && (*at)->handle != handle) at = &(*at)->next;
  if (*at == nullptr) {
    *at = static_cast<Named*>(heap_allocate(sizeof(Named)));
    **at = {nullptr, handle, uid};
  } else if ((*at)->uid < uid) {
    (*at)->uid = uid;
  }
}

bool uid_of(pthread_t handle, ThreadUid& uid) {
  const BusyGuard held(named_lock);
  const Named* at = named[bucket_of(handle)];
  while (at != nullptr && at->handle != handle) at = at->next;
  if (at != nullptr) uid = at->uid;
  return at != nullptr;
}

// Unless the handle already names a younger thread.
void forget_name(pthread_t handle, ThreadUid uid) {
  const BusyGuard held(named_lock);
  Named** at = &named[bucket_of(handle)];
  while (*at != nullptr && ((*at)->handle != handle || (*at)->uid != uid)) at = &(*at)->next;
  if (Named* gone = *at) {
    *at = gone->next;
    heap_free(gone, sizeof(Named));
  }
}

struct Start {
  void* (*function)(void*);
  void* argument;
  Birth* birth;
  bool signals_blocked;  // until the child is known
  SignalSet signals;     // blocked from then on
};

pthread_key_t end_key;
pthread_once_t end_key_made = PTHREAD_ONCE_INIT;

// Called in each round of destructors; the last one is ours.
void at_thread_end(void* round) {
  const uintptr_t rounds_left = reinterpret_cast<uintptr_t>(round) - 1;
  if (rounds_left > 0) {
    pthread_setspecific(end_key, reinterpret_cast<void*>(rounds_left));
    return;
  }
  if (Thread* t = tls.thread) {
    if (tls.ignoring != 0) report_ended_ignoring(*t);
    if (thread_infos[t->uid].joined_or_detached) forget_name(pthread_self(), t->uid);
    leave_signal_stack();
    const Inside inside;
    thread_end(*t);
    Inside::stay_for_good();
    run_last_signals();
  }
}

void* run_thread(void* data) {
  Start start = *static_cast<Start*>(data);
  const ThreadUid uid = start.birth->uid;
  {
    const Inside inside;
    heap_free(data, sizeof(Start));
    pthread_setspecific(end_key, reinterpret_cast<void*>(uintptr_t{PTHREAD_DESTRUCTOR_ITERATIONS}));
  }
  thread_begin(start.birth);
  name_thread(pthread_self(), uid);
  if (start.signals_blocked) set_signal_mask(start.signals);
  void* const result = start.function(start.argument);
  __asm__ volatile("");  // no tail call: the outermost frame of a thread is ours, and reports leave it out
  return result;
}

}  // namespace

namespace deadheat::live {
DEADHEAT_TAKEN_AT_FORK(kThreadHandles, named_lock)
}

DEADHEAT_REAL_OF(int, pthread_once, pthread_once_t*, void (*)())
DEADHEAT_REAL_OF(int, pthread_key_create, pthread_key_t*, void (*)(void*))

DEADHEAT_INTERCEPT(int, pthread_create, pthread_t* handle, const pthread_attr_t* attributes, void* (*function)(void*),
                   void* argument) {
  Entry entry(DEADHEAT_CALLER);
  Thread* t = entry.thread();
  if (t == nullptr) return REAL(pthread_create)(handle, attributes, function, argument);
  REAL(pthread_once)(&end_key_made, [] { REAL(pthread_key_create)(&end_key, at_thread_end); });
  int detached = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) pthread_attr_getdetachstate(attributes, &detached);
  Inside::enter();
  Start* start = static_cast<Start*>(heap_allocate(sizeof(Start)));
  Birth* birth = thread_create(*t, call_stack(entry, *t));
  // A handler that ran in the child before we know it would be that of an unknown thread. (Attributes may say which
  // signals the child blocks; then that is so from the beginning.)
  sigset_t wanted;
  *start = {
      function, argument, birth, attributes == nullptr || pthread_attr_getsigmask_np(attributes, &wanted) != 0, {}};
  const bool block = start->signals_blocked;
  const SignalSet before = block ? block_all_signals() : 0;
  start->signals = blocked_by_program(before);
  const ThreadUid uid = birth->uid;
  if (detached == PTHREAD_CREATE_DETACHED) thread_infos[uid].joined_or_detached = true;
  const int result = REAL(pthread_create)(handle, attributes, run_thread, start);
  if (block) set_signal_mask(before);
  if (result != 0) {
    thread_create_failed(*t, birth);
    heap_free(start, sizeof(Start));
  }
  Inside::leave();
  if (result == 0 && detached != PTHREAD_CREATE_DETACHED) name_thread(*handle, uid);
  return result;
}

namespace {

// Whom a join waits for is asked before it: afterwards the handle may already be another thread's.
template <class RealJoin>
int join_by(const Entry& entry, pthread_t handle, void** value, RealJoin real_join) {
  ThreadUid uid;
  const bool known = entry.thread() != nullptr && uid_of(handle, uid);
  const int result = real_join();
  if (result != 0) return result;
  if (known) {
    forget_name(handle, uid);
    const Inside inside;
    thread_join(*entry.thread(), uid);
  }
  if (value != nullptr) write_range(entry, value, sizeof *value);
  return result;
}

}  // namespace

DEADHEAT_INTERCEPT(int, pthread_join, pthread_t handle, void** value) {
  Entry entry(DEADHEAT_CALLER);
  return join_by(entry, handle, value, [&] { return REAL(pthread_join)(handle, value); });
}
DEADHEAT_INTERCEPT(int, pthread_tryjoin_np, pthread_t handle, void** value) {
  Entry entry(DEADHEAT_CALLER);
  return join_by(entry, handle, value, [&] { return REAL(pthread_tryjoin_np)(handle, value); });
}
DEADHEAT_INTERCEPT(int, pthread_timedjoin_np, pthread_t handle, void** value, const timespec* until) {
  Entry entry(DEADHEAT_CALLER);
  return join_by(entry, handle, value, [&] { return REAL(pthread_timedjoin_np)(handle, value, until); });
}
DEADHEAT_INTERCEPT(int, pthread_clockjoin_np, pthread_t handle, void** value, clockid_t clock, const timespec* until) {
  Entry entry(DEADHEAT_CALLER);
  return join_by(entry, handle, value, [&] { return REAL(pthread_clockjoin_np)(handle, value, clock, until); });
}

DEADHEAT_INTERCEPT(int, pthread_detach, pthread_t handle) {
  Entry entry(DEADHEAT_CALLER);
  ThreadUid uid;
  const bool known = entry.thread() != nullptr && uid_of(handle, uid);
  const int result = REAL(pthread_detach)(handle);
  if (known && result == 0) {
    forget_name(handle, uid);
    const Inside inside;
    thread_detach(uid);
  }
  return result;
}

DEADHEAT_INTERCEPT(int, pthread_setname_np, pthread_t handle, const char* name) {
  Entry entry(DEADHEAT_CALLER);
  const int result = REAL(pthread_setname_np)(handle, name);
  ThreadUid uid;
  if (result != 0 || entry.thread() == nullptr) return result;
  if (handle == pthread_self())
    uid = entry.thread()->uid;
  else if (!uid_of(handle, uid))
    return result;
  set_thread_name(uid, name);
  return result;
}
