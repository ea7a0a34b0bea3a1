// What an interceptor may ask of the run time. The only header that src/capture/intercept_*.cpp need.
//
// The inside rules (everything in src/live and src/capture lives in somebody else's program):
//   - no heap but InsideHeap, no exceptions, no RTTI, no iostreams, no static constructors;
//   - nothing that we intercept is called by its plain name: system calls go through `sys::`, functions of libc through
//     REAL(name); implicit memcpy/memset/memmove are bound to ours by the linker (--wrap);
//   - errno is as before when we return (interceptors: as the real function left it);
//   - every entry works before our start (constructors of other libraries), in signal handlers, during exit and in
//     threads nobody told us of; whoever holds one of our locks runs no code of the program;
//   - an access of the program is never made by us outside the real operation.
//
// An interceptor looks like this:
//
//   DEADHEAT_INTERCEPT(int, pthread_mutex_lock, pthread_mutex_t* mutex) {
//     Entry entry(DEADHEAT_CALLER);
//     const int result = REAL(pthread_mutex_lock)(mutex);
//     if (result == 0 || result == EOWNERDEAD) mutex_lock(entry, mutex);
//     return result;
//   }
//
// An exported function of that name is defined and REAL(name) is the next definition in search order (libc's default
// version). Names that the program's compiler would mangle or that headers declare `noexcept` are no problem: the
// C++ name of the interceptor is intercept_NAME. Rules for orders of calls: a release comes before the real operation
// that lets others proceed, an acquire after the real operation that waited.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "live/ground/locks.h"
#include "live/paths/called.h"

namespace deadheat::live {

struct Thread;

// Pushes the caller's frame onto the shadow stack, so that reports show who called, and pops it at the end. `thread()`
// is null where detection must stay out (inside the run time itself); every function below accepts that. `pc()` is a
// place in the interceptor itself: reports show its name as the innermost frame. Where calls are frequent, the name
// goes into bits of the caller's address instead (called.h), and no frame is pushed.
class Entry {
 public:
  __attribute__((always_inline)) explicit Entry(void* caller) : thread_(enter(caller)), framed_(thread_ != nullptr) {
    __asm__("lea 0(%%rip), %0" : "=r"(pc_));
  }
  Entry(Called function, void* caller) : thread_(enter()), pc_(pc_in(function, caller)), framed_(false) {}
  ~Entry() {
    if (framed_) leave();
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
  Thread* thread() const { return thread_; }
  uintptr_t pc() const { return pc_; }
  uintptr_t caller() const;  // only if there is a thread

 private:
  static Thread* enter();
  static Thread* enter(void* caller);
  void leave() const;

  Thread* thread_;
  uintptr_t pc_;
  bool framed_;
};
#define DEADHEAT_CALLER __builtin_return_address(0)

// ---- memory
// ---------------------------------------------------------------------------------------------------------- The
// function called reads or writes these bytes on behalf of the caller.
void read_range(const Entry& entry, const void* begin, size_t bytes);
void write_range(const Entry& entry, const void* begin, size_t bytes);
// The object there is used, in a way that does not conflict with other uses; only with its memory going away.
void use_object(const Entry& entry, const void* object);
// The bytes are new to the program (mmap, a fresh block): no history, no clocks of sync objects in them.
void fresh_range(const void* begin, size_t bytes);
// The bytes go away (munmap): a write of all of them, then no history.
void unmap_range(const Entry& entry, const void* begin, size_t bytes);

// The bytes are at another place now (mremap), with their history.
void move_range(const void* from, const void* to, size_t bytes);

// ---- locks: `lock` is the address of the object
// ----------------------------------------------------------------------
enum class LockMode : uint8_t { kWrite, kRead };
struct LockTraits {
  bool reentrant = true;        // false: a second lock by the holder is a bug that nothing else would show
  bool static_storage = false;  // made by its first use; destroying it says nothing
  bool not_static = false;      // the one who destroys it will say so, too
};
struct LockEvent {
  bool owner_died = false;  // who held it is gone (robust mutexes)
  bool annotated = false;   // by a program's own kind of lock: nothing else would show a second lock by its holder
};
void mutex_create(const Entry& entry, const void* lock, LockTraits traits = {});  // init: all clocks forgotten
// Before the real destruction: tells if it is locked.
void mutex_destroying(const Entry& entry, const void* lock);
void mutex_destroy(const Entry& entry, const void* lock);
// Before a real lock that may wait without limit.
void mutex_locking(const Entry& entry, const void* lock, LockMode mode = LockMode::kWrite);
// After the real lock succeeded. Recursion is counted here: only the outermost pair has an effect.
void mutex_lock(const Entry& entry, const void* lock, LockMode mode = LockMode::kWrite, LockEvent event = {});
// Whether its destruction says nothing.
bool mutex_is_static(const void* lock, bool destroyed_as_not_static);
// Before the real unlock. For a reader-writer lock the mode is found out: the holder's.
void mutex_unlock(const Entry& entry, const void* lock);
// The same where the caller says which mode it ends.
void mutex_unlock_as(const Entry& entry, const void* lock, LockMode mode);
// Both for a mutex that the system keeps exclusive, whose holder therefore has our clock of it for itself.
void pthread_lock(const Entry& entry, const void* mutex);
void pthread_unlock(const Entry& entry, const void* mutex);
// The lock function said that there is no such lock.
void mutex_invalid(const Entry& entry, const void* lock);
// For condition variables: gives up all levels of a recursive mutex and takes them again.
uint32_t mutex_unlock_all(const Entry& entry, const void* lock);
void mutex_lock_again(const Entry& entry, const void* lock, uint32_t levels);

// ---- clocks at addresses
// ---------------------------------------------------------------------------------------------
void acquire(const Entry& entry, const void* object);        // C := C join S
void release(const Entry& entry, const void* object);        // S := S join C   (semaphore post, latch, once, ...)
void release_store(const Entry& entry, const void* object);  // S := C
void forget(const void* object);                             // destroy, init
// The same as a program says it by annotations: beside what atomic operations on the object do, which may be its flag.
void told_acquire(const Entry& entry, const void* object);
void told_release(const Entry& entry, const void* object, bool anew = false);  // anew: S := C
void join_clock(const void* from, const void* to);                             // the clock of `to` takes that of `from`
// File descriptors: live/order/descriptors.h.

// ---- barriers: one clock per generation --------------------------------------------------------------------------
void barrier_init(const Entry& entry, const void* barrier, uint32_t count);
void barrier_destroy(const Entry& entry, const void* barrier);
// What a thread waits for in a barrier; lives until all that entered have left, also when the barrier is gone before.
struct BarrierGeneration;
// Before the real wait: the generation. `count` is given where nobody initialised the barrier.
BarrierGeneration* barrier_enter(const Entry& entry, const void* barrier, uint32_t count = 0);
// While waiting: learns what those did that have entered, tells what was done since.
void barrier_look(const Entry& entry, BarrierGeneration* generation);
void barrier_tell(const Entry& entry, BarrierGeneration* generation);
void barrier_leave(const Entry& entry, BarrierGeneration* generation);  // after it

// ---- REAL and DEADHEAT_INTERCEPT ------------------------------------------------------------------------------------
void* next_definition(const char* name);  // stops the program with a clear line if there is none

template <class Function>
struct Real {
  std::atomic<Function*> function;
  const char* name;
  Function* get() {
    calling_out(Runs::kLibrary);
    Function* found = function.load(std::memory_order_relaxed);
    if (__builtin_expect(found == nullptr, 0)) {
      found = reinterpret_cast<Function*>(next_definition(name));
      function.store(found, std::memory_order_relaxed);
    }
    return found;
  }
};

}  // namespace deadheat::live

// The real function, where another file intercepts it.
#define DEADHEAT_REAL_OF(result, name, ...)                                    \
  namespace deadheat::live {                                                   \
  inline constinit Real<result(__VA_ARGS__)> real_##name = {{nullptr}, #name}; \
  }
#define REAL(name) (::deadheat::live::real_##name.get())

// Programs with an own function of the name reach ours as __interceptor_NAME.
#define DEADHEAT_ALSO_AS(name)                                                                                  \
  __asm__(".globl __interceptor_" #name "\n.type __interceptor_" #name ", @function\n.set __interceptor_" #name \
          ", " #name);

#define DEADHEAT_INTERCEPT(result, name, ...)                                                            \
  DEADHEAT_REAL_OF(result, name, __VA_ARGS__)                                                            \
  extern "C" __attribute__((visibility("default"))) result intercept_##name(__VA_ARGS__) __asm__(#name); \
  DEADHEAT_ALSO_AS(name)                                                                                 \
  extern "C" __attribute__((visibility("default"))) result intercept_##name(__VA_ARGS__)
