// What a watched program does, in the program's own terms: the one header between src/capture and the rest of the live
// half.
//
// Idea      Capture translates. An entry point of a compiler, or an interceptor of the C library, says here what the
//           program does: these bytes are read, this mutex is taken, this block is allocated. What follows from that is
//           decided behind this header: src/live detects races while the program runs. The recording library, made of
//           the same sources, writes events down for the detectors outside (live/record). So nothing here speaks of
//           shadow, clocks or the state of threads.
// Promises  Every function can be called at any time: before the start, by constructors of other libraries, in signal
//           handlers, during exit, in threads that we were not told of, and inside the run time itself. Where there is
//           nothing to do, it does nothing. `errno` stays as it was. Code of the program runs only in the callbacks of
//           a report.
// When      Capture calls these before the real operation, because the operation lets other threads go on: release,
//           unlock, free, close, a write to a descriptor, and the bytes that the operation reads. It calls these after
//           the real operation, if that succeeded, because the operation waited for other threads: acquire, lock,
//           allocation, a read from a descriptor, and the bytes that it wrote. Names follow: `freeing` before,
//           `allocated` after.
// Caller    Interceptors make an Entry first, which names their caller, and pass it on. Functions without an Entry are
//           for entry points that know the place themselves (`pc`), or have none. The hit test of compiled accesses is
//           in line: hits.h.
// Cost      A hit is the dozen instructions that test/codegen keeps. An Entry costs a call; with a frame, two stores
//           more. Locking and unlocking a free mutex takes 20 to 25 ns, the real operations included. Everything else
//           is as rare as a system call.
//
// The inside rules (src/live and src/capture run inside somebody else's program; scripts/check-inside checks):
//   - no heap but our own, no exceptions, no RTTI, no iostreams, no static constructors;
//   - nothing that we intercept is called by its plain name: system calls go through `sys::`, functions of libc through
//     REAL(name) (capture/intercept.h); implicit memcpy/memset/memmove are bound to ours by the linker (--wrap);
//   - errno is as before when we return (interceptors: as the real function left it);
//   - every entry works before our start (constructors of other libraries), in signal handlers, during exit and in
//     threads that we were not told of;
//   - a thread that holds one of our locks runs no code of the program;
//   - only the real operation accesses the program's memory.
#pragma once

#include <signal.h>

#include <cstddef>
#include <cstdint>
#include <new>

#include "base/access_kind.h"
#include "base/memory_order.h"
#include "live/ground/hash.h"
#include "live/ground/locks.h"
#include "live/ground/sys.h"
#include "live/paths/called.h"

namespace deadheat::live {

// ---- the caller ----------------------------------------------------------------------------------------------------

struct Thread;  // the answer's

// A call of an interceptor. Pushes the caller's frame onto the shadow stack, so that reports show the caller, and pops
// it at the end. An Entry is not `watched` where detection must stay out (inside the run time itself, in the child of a
// vfork); every function below accepts that. `pc` is a place in the interceptor: reports show its name as the innermost
// frame. Where calls are frequent, the name goes into bits of the caller's address instead (called.h), and no frame is
// pushed.
class Entry {
 public:
  __attribute__((always_inline)) explicit Entry(const void* caller) : thread_(enter(caller)), framed_(watched()) {
    __asm__("lea 0(%%rip), %0" : "=r"(pc_));
  }
  Entry(Called function, void* caller) : thread_(enter()), pc_(pc_in(function, caller)), framed_(false) {}
  ~Entry() {
    if (framed_) leave();
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
  bool watched() const { return thread_ != nullptr; }
  // Nothing that the thread does now can race with anything: no other one runs, or nothing is watched.
  bool is_alone() const;
  uintptr_t pc() const { return pc_; }
  uintptr_t caller() const;                   // only if watched
  Thread* thread() const { return thread_; }  // for the answer only

 private:
  static Thread* enter();
  static Thread* enter(const void* caller);
  void leave() const;

  Thread* thread_;
  uintptr_t pc_;
  bool framed_;
};
#define DEADHEAT_CALLER __builtin_return_address(0)

// ---- accesses ------------------------------------------------------------------------------------------------------

// Compiled code at `pc` accesses these bytes.
void accessed(const void* begin, size_t bytes, AccessKind kind, uintptr_t pc);
// The function called reads or writes these bytes on behalf of the caller.
void read_range(const Entry& entry, const void* begin, size_t bytes);
void write_range(const Entry& entry, const void* begin, size_t bytes);
// The same for the functions that copy and fill, with the name in `pc` (called.h). False where detection stays out;
// then the C library may not be called by its name yet either.
bool copying(uintptr_t pc, const void* to, const void* from, size_t bytes);
bool filling(uintptr_t pc, const void* to, size_t bytes);
// The object there is used, in a way that does not conflict with other uses; only with its memory going away.
void use_object(const Entry& entry, const void* object);

// ---- atomic operations ---------------------------------------------------------------------------------------------

enum class AtomicDid : uint8_t { kLoad, kStore, kExchange };
// kLarge: no instruction can do it, so the step excludes others itself.
enum class AtomicSize : uint8_t { kOneInstruction, kLarge };
struct AtomicOperation {
  const volatile void* object;
  size_t bytes;
  AccessKind kind;  // what it may become: a compare-exchange is a write
  MemoryOrder order;
  MemoryOrder failure;  // of a compare-exchange that only loaded
  uintptr_t pc;
  AtomicSize size = AtomicSize::kOneInstruction;
};
// `perform` does the real operation and says what it was. Both are one step with respect to all others on the object.
// In line (hits.h).
template <class Perform>
void atomic_step(const AtomicOperation& of, Perform perform);
// The same for a load, which may be done more than once: the last one counts. So loops that spin do not disturb others.
template <class Load>
void atomic_load(const AtomicOperation& of, Load load);
void atomic_fence(MemoryOrder order);

// ---- memory that comes, moves and goes -----------------------------------------------------------------------------

// After the real allocation: `usable` bytes at `block` are new to the program, which asked for `bytes`. `pc` has the
// name (called.h).
void allocated(void* block, size_t bytes, size_t usable, uintptr_t pc);
// Before the real free: a write of the whole block.
void freeing(void* block, size_t usable, uintptr_t pc);
// The bytes are new to the program (mmap, an arena of its own): no history, no clocks of sync objects in them.
void fresh_range(const void* begin, size_t bytes);
// The bytes go away (munmap): a write of all of them, then no history.
void unmap_range(const Entry& entry, const void* begin, size_t bytes);
// The bytes are at another place now (mremap), with their history. Whole pages.
void move_range(const void* from, const void* to, size_t bytes);
// Objects were moved by a collector, which stopped the program: what they are used for stays, the history of the bytes
// goes.
void move_objects(const void* from, const void* to, size_t bytes);

// Where memory of the program can be watched. A place that the program insists on, or the system chose:
bool can_watch(const void* begin, size_t bytes);
// Whether a mapping there leaves the best use of the address space to others.
bool is_good_place(const void* begin);
bool cuts_up(const void* begin, size_t bytes);  // a huge one in the midst of where huge ones have their place
// A free place for a huge mapping that can be watched; reserved. Null if there is none.
void* reserve_place(size_t bytes);
void memory_refused(size_t bytes);  // there was none, so that the program does not get it
uint64_t own_address_space();       // how much of the address space the run time has taken

// ---- locks: `lock` is the address of the object --------------------------------------------------------------------

enum class LockMode : uint8_t { kWrite, kRead };
struct LockTraits {
  bool reentrant = true;        // false: a second lock by the holder is a bug that nothing else would show
  bool static_storage = false;  // made by its first use; destroying it says nothing
  bool not_static = false;      // its destruction will say so, too
};
struct LockEvent {
  bool owner_died = false;  // the thread that held it is gone (robust mutexes)
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
// Both for a mutex that the system keeps exclusive: between the two, its holder alone speaks of it.
void pthread_lock(const Entry& entry, const void* mutex);
void pthread_unlock(const Entry& entry, const void* mutex);
// The lock function said that there is no such lock.
void mutex_invalid(const Entry& entry, const void* lock);
// For condition variables: gives up all levels of a recursive mutex and takes them again.
uint32_t mutex_unlock_all(const Entry& entry, const void* lock);
void mutex_lock_again(const Entry& entry, const void* lock, uint32_t levels);
// The program says that the thread holds no lock here.
void expect_no_locks(const Entry& entry);

// ---- acquire and release at any address ----------------------------------------------------------------------------

void acquire(const Entry& entry, const void* object);        // C := C join S
void release(const Entry& entry, const void* object);        // S := S join C   (semaphore post, latch, once, ...)
void release_store(const Entry& entry, const void* object);  // S := C
void forget(const void* object);                             // destroy, init
// The same as a program says it by annotations: beside what atomic operations on the object do, which may be its flag.
void told_acquire(const Entry& entry, const void* object);
void told_release(const Entry& entry, const void* object, bool anew = false);  // anew: S := C
// The thread comes after everything that any thread did up to now (a finalizer).
void acquire_all(const Entry& entry);

// ---- barriers: one clock per generation ----------------------------------------------------------------------------

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

// ---- descriptors ---------------------------------------------------------------------------------------------------

void fd_opened(const Entry& entry, int fd);  // leads to an object of its own
// Both lead to one new object, or (two ways) each to what is written to the other.
void fd_opened_pair(const Entry& entry, int a, int b, bool two_ways = false);
void fd_opened_socket(const Entry& entry, int fd);  // one end of a connection, the other is not known
// A socket that listens under this name (any number that both sides agree on), and before a connection to it is asked
// for.
void fd_listens(const Entry& entry, int fd, uint64_t name);
void fd_connecting(const Entry& entry, uint64_t name);
// The socket is one end of a connection between these addresses, given by any numbers that both ends agree on.
void fd_connected(const Entry& entry, int fd, uint64_t own_end, uint64_t other_end);
void fd_duplicated(const Entry& entry, int from, int to);  // `to` was free, or is replaced
void fd_closed(const Entry& entry, int fd);                // before the real close
void fd_used(const Entry& entry, int fd);
void fd_acquire(const Entry& entry, int fd);           // after a read from it
void fd_release(const Entry& entry, int fd);           // before a write to it
void fd_passes(const Entry& entry, int from, int to);  // before what is read from one is written to the other
void fd_watched(const Entry& entry, int epoll, int fd);
void fd_acquire_watched(const Entry& entry, int epoll);  // after a wait that found something
// A descriptor is sent in a message, and received: under another number it leads to the same object.
void fd_sent(const Entry& entry, int fd);
void fd_received(const Entry& entry, int fd);
// The signals of this set, bit 0 the first, are read from the descriptor.
void fd_takes_signals(const Entry& entry, int fd, uint64_t signals);

// ---- threads -------------------------------------------------------------------------------------------------------

// A thread of the run; the number is never used again.
enum class ThreadId : uint32_t {};
inline constexpr ThreadId kNoThread{~uint32_t{0}};
ThreadId current_thread_id();  // kNoThread before the thread is known
void watch_this_thread();      // makes it known, and starts the run time if nobody has
// From here on the C library may start threads by itself: the calling thread counts as alone no more.
void expect_foreign_threads(const Entry& entry);

struct NewThread {
  bool detached;
  bool masks_signals;  // its attributes say which signals it blocks; else they are held back until it is known
};
struct ThreadStart;  // what a new thread is told by its creator
struct ThreadCreation {
  ThreadStart* start;
  ThreadId thread;
  uint64_t signals_before;
  bool signals_held;
};
// In the creator: around the real creation, which takes place inside the run time. Only if watched.
ThreadCreation thread_creating(const Entry& entry, NewThread as);
void thread_created(const Entry& entry, const ThreadCreation& creation, bool success);
// In the child, first; signals may come when it goes on, which ends `start`.
ThreadId thread_begins(const ThreadStart& start);
void thread_goes_on(ThreadStart* start);
void thread_ends();  // in the child, last
bool is_main_thread();
// The main thread leaves by pthread_exit. If it comes to run functions at exit all the same, then because it is the last.
void main_thread_leaves();
void exit_function_begins(const Entry& entry);
void thread_joined(const Entry& entry, ThreadId thread);
void thread_detached(ThreadId thread);
bool is_detached(ThreadId thread);  // or joined: nobody will ask for it
void thread_named(ThreadId thread, const char* name);
// longjmp leaves the functions below this stack pointer.
void functions_left(uintptr_t stack_pointer);
void slept(const Entry& entry);  // after a real sleep, which orders nothing

// A thread of the program's own making; one at a time runs on a thread of the system. A switch orders what was done
// before it before what the fiber does next, if that is asked for.
struct Fiber;
Fiber* fiber_current();
Fiber* fiber_create(const Entry& entry);
void fiber_destroy(Fiber* fiber);
void fiber_switch(const Entry& entry, Fiber* to, bool orders);  // an Entry without a frame
void fiber_named(Fiber* fiber, const char* name);

// ---- signals -------------------------------------------------------------------------------------------------------

// sigaction: the program's handler is called through ours. `real` is the C library's.
int change_signal_action(const Entry& entry, int signal, const struct sigaction* wanted, struct sigaction* old,
                         int (*real)(int, const struct sigaction*, struct sigaction*));
void signal_sent(const Entry& entry, int signal);      // before it
void signal_received(const Entry& entry, int signal);  // after a wait for it
// After the program changed its mask: signals that waited for it come now.
void signal_mask_changed();
// Before the thread waits for signals, or asks which ones are pending.
void signals_awaited();
// The C library's handler by which it cancels threads at any time is there now: inside the run time it has to wait.
void make_cancellation_wait();

// ---- the process ---------------------------------------------------------------------------------------------------

// Around a real fork that the C library does not tell of.
void forking();
void forked(bool in_child);
void vforking();  // its child runs in the parent's memory and stays out
// Before an end that runs nothing any more: the status to end with.
int ending_at_once(const Entry& entry, int status);
int status_at_end();  // what a program that reports its own end should return

// Around dlclose.
struct OpenLibraries;
OpenLibraries* library_closing();
void library_closed(OpenLibraries* before);
// From now on, what interceptors do for callers in the module with this address is not looked at; one for a run.
void ignore_module_of(const void* address);
// For `coverage`: functions of this kind are understood by other means than interception; a call of syscall().
void note_understood(const char* what);
void system_call_made(long number, const void* caller);

// ---- what the program says by name ---------------------------------------------------------------------------------

// Accesses, or what orders threads, are not looked at until the end is said as often. With an entry: reports of a
// thread that forgets the end show it.
void ignore_accesses_begin(const Entry* entry = nullptr);
void ignore_accesses_end();
void ignore_sync_begin();
void ignore_sync_end();
// How often accesses are ignored now; and another number in its place, for code that the ignored one calls.
uint32_t exchange_ignored_accesses(uint32_t depth);
// A recording leaves out plain accesses while it is stopped.
void recording_stopped(bool on);
void benign_race(const volatile void* begin, size_t bytes);  // races in these bytes are not reported
// Objects that a library guards for its users: their races are told as those of the type.
void* object_type(const char* name);
void object_type_header(void* type, const char* header);
void object_is(const volatile void* object, void* type);
size_t shadow_stack_depth();  // for tests

// ---- questions -----------------------------------------------------------------------------------------------------

// The report that the calling thread is being told of; null outside of callbacks. Questions about another one have no
// answer: false. `trace` gets return addresses, innermost first, and a null if there is room; it may be null.
struct Trace {
  void** to = nullptr;
  size_t capacity = 0;
};
struct ReportSummary {
  const char* kind;
  size_t repeated, stacks, accesses, locations, locks, threads;
};
struct ReportAccess {
  ThreadId thread;
  uintptr_t address;
  size_t bytes;
  AccessKind kind;
};
struct ReportLocation {
  const char* kind;  // "global", "heap", "stack", "tls", "fd", or "" if not known
  const char* name;  // null if it has none
  const char* object_type;
  uintptr_t begin;
  size_t bytes;
  ThreadId thread;
  int fd;
};
struct ReportLock {
  uintptr_t address;
  bool destroyed;
};
struct ReportThread {
  ThreadId thread, parent;
  int os_id;
  bool running;
  const char* name;
};
void* report_being_told();
bool report_summary(void* report, ReportSummary& summary);
bool report_stack(void* report, size_t index, Trace trace);
bool report_access(void* report, size_t index, ReportAccess& access, Trace trace);
bool report_location(void* report, ReportLocation& location, Trace trace);
bool report_lock(void* report, size_t index, ReportLock& lock, Trace trace);
bool report_thread(void* report, size_t index, ReportThread& thread, Trace trace);

// What is at an address; its name into `name`.
ReportLocation locate(const void* address, char* name, size_t capacity);
struct HeapBlock {
  uintptr_t begin;
  size_t bytes;
  ThreadId thread;
  int os_id;  // of the thread
  bool freed;
};
bool heap_block_of(const volatile void* address, HeapBlock& block);
size_t allocation_stack(const volatile void* address, uintptr_t* to, size_t capacity);  // innermost first

void print_call_stack(const Entry& entry);
// The texts of a place in the code, inlined functions included, each ended by a zero and all by an empty one.
void describe_code(const void* pc, const char* format, char* buffer, size_t capacity);
void describe_data(const void* data, const char* format, char* buffer, size_t capacity);
bool module_path(const void* address, char* path, size_t capacity, uintptr_t& offset);

void set_report_file(int fd);
void set_report_path(const char* path);
const char* report_path();
void print_summary(const char* text);
void set_death_callback(void (*callback)());  // called once, before halt_on_error ends the program
using TakenHook = void (*)(const volatile void* block, size_t bytes);
using GivenHook = void (*)(const volatile void* block);
bool add_heap_hooks(TakenHook taken, GivenHook given);  // false: no room

// ---- what capture needs for itself ---------------------------------------------------------------------------------

// What the C library does meanwhile is not the program's; signals wait until the end.
class StayOut {
 public:
  StayOut();
  ~StayOut();
  StayOut(const StayOut&) = delete;
  StayOut& operator=(const StayOut&) = delete;
};
bool is_staying_out();  // also before the start
bool has_started();

// Memory apart from the program's heap.
void* own_allocate(size_t bytes);
void own_free(void* block, size_t bytes);
template <class T, class... Arguments>
T* make(Arguments... arguments) {
  return new (own_allocate(sizeof(T))) T{arguments...};
}
template <class T>
void unmake(T* object) {
  object->~T();
  own_free(object, sizeof(T));
}

// Tables by key, usually an address or a handle of the program.
enum class Table : uint8_t { kThreads, kThrown, kSegments, kJavaObjects, kCount };
void table_put(Table table, uintptr_t key, uint64_t value);
void table_raise(Table table, uintptr_t key, uint64_t value);  // the same, unless there is a greater one
bool table_find(Table table, uintptr_t key, uint64_t& value);
bool table_take(Table table, uintptr_t key, uint64_t& value);      // the same, and removed
void table_remove_if(Table table, uintptr_t key, uint64_t value);  // if it has this value

// A module of the program was compiled for another version of our pass: stops the program with a clear line.
[[noreturn]] void wrong_interface(uint32_t of_program, uint32_t of_run_time);

// The next definition of a function in search order, libc's default version; stops the program with a clear line if
// there is none.
void* next_definition(const char* name);

}  // namespace deadheat::live
