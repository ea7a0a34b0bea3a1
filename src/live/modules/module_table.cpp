#include "live/modules/module_table.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/uio.h>

#include "base/text.h"
#include "live/ground/heap.h"
#include "live/ground/inside.h"
#include "live/ground/spin_lock.h"
#include "live/ground/sys.h"

namespace deadheat::live {
namespace {

char program[4096];

void find_program_path() {
  if (program[0] != 0) return;
  sys::call(SYS_readlinkat, AT_FDCWD, reinterpret_cast<long>("/proc/self/exe"), reinterpret_cast<long>(program),
            sizeof program - 1);
}

// Modules that were asked for, the last ones. Guarded by the lock.
struct Known {
  const link_map* map;
  Module module;
};
constexpr unsigned kMost = 64;
constinit SpinLock table_lock(Lock::kModuleTable);
Known known[kMost];
unsigned known_count, next;
uint32_t generation;            // of the table: grows with every dlclose
std::atomic<uint32_t> closing;  // calls of dlclose under way: what is known may be wrong at any moment

// Paths stay for the run, each once: reports and questions of the program point to them.
struct Path {
  Path* next;
  char* text() { return reinterpret_cast<char*>(this + 1); }
};
Path* paths;

const char* keep_path(const char* text) {
  for (Path* p = paths; p != nullptr; p = p->next)
    if (same_text(p->text(), text)) return p->text();
  const size_t length = std::string_view(text).size();
  Path* path = static_cast<Path*>(heap_allocate(sizeof(Path) + length + 1));
  for (size_t i = 0; i <= length; ++i) path->text()[i] = text[i];
  path->next = paths;
  paths = path;
  return path->text();
}

// The text ends where its mapping does at the latest.
bool copy_text_if_there(char* to, size_t capacity, uintptr_t from) {
  constexpr uintptr_t kPage = 4096;
  for (size_t used = 0; used < capacity;) {
    size_t part = kPage - (from + used) % kPage;
    if (part > capacity - used) part = capacity - used;
    if (!copy_if_there(to + used, from + used, part)) return false;
    for (size_t end = used + part; used < end; ++used)
      if (to[used] == 0) return true;
  }
  to[capacity - 1] = 0;
  return true;
}

bool find(uintptr_t address, dl_find_object& found) {
  return _dl_find_object(reinterpret_cast<void*>(address), &found) == 0;
}

bool same(const dl_find_object& a, const dl_find_object& b) {
  return a.dlfo_link_map == b.dlfo_link_map && a.dlfo_map_start == b.dlfo_map_start && a.dlfo_map_end == b.dlfo_map_end;
}

bool remembered(const dl_find_object& object, Module& module, uint32_t& now) {
  const BusyGuard held(table_lock);
  now = generation;
  if (closing.load(std::memory_order_relaxed) != 0) return false;
  for (unsigned i = 0; i < known_count; ++i) {
    if (known[i].map != object.dlfo_link_map || known[i].module.end != reinterpret_cast<uintptr_t>(object.dlfo_map_end))
      continue;
    module = known[i].module;
    return true;
  }
  return false;
}

void remember(const link_map* map, const Module& module, uint32_t at) {
  if (generation != at || closing.load(std::memory_order_relaxed) != 0) return;
  known[next] = {map, module};
  next = (next + 1) % kMost;
  if (known_count < kMost) ++known_count;
}

uintptr_t our_end() {
  static std::atomic<uintptr_t> end;
  if (end.load(std::memory_order_relaxed) == 0) {
    dl_find_object own;
    if (find(reinterpret_cast<uintptr_t>(&our_end), own)) end = reinterpret_cast<uintptr_t>(own.dlfo_map_end);
  }
  return end.load(std::memory_order_relaxed);
}

// False if the object is not there any more.
bool read_module(uintptr_t address, const dl_find_object& object, Module& module, uint32_t at) {
  link_map map;
  char path[1024];
  if (!copy_if_there(&map, reinterpret_cast<uintptr_t>(object.dlfo_link_map), sizeof map)) return false;
  if (!copy_text_if_there(path, sizeof path, reinterpret_cast<uintptr_t>(map.l_name))) return false;
  dl_find_object now;
  if (!find(address, now) || !same(object, now)) return false;
  const uintptr_t end = reinterpret_cast<uintptr_t>(object.dlfo_map_end);
  const BusyGuard held(table_lock);
  module = {keep_path(path[0] != 0 ? path : program_path()),    map.l_addr, end == our_end(),
            reinterpret_cast<uintptr_t>(object.dlfo_map_start), end,        map.l_ld};
  remember(object.dlfo_link_map, module, at);
  return true;
}

}  // namespace

namespace {

long copy_by_system(void* to, uintptr_t from, size_t bytes) {
  const iovec here{to, bytes}, there{reinterpret_cast<void*>(from), bytes};
  // By this thread, not by the process: its first thread may have ended.
  return sys::call(SYS_process_vm_readv, sys::thread_id(), reinterpret_cast<long>(&here), 1,
                   reinterpret_cast<long>(&there), 1, 0);
}

}  // namespace

bool copy_if_readable(void* to, uintptr_t from, size_t bytes) {
  return copy_by_system(to, from, bytes) == static_cast<long>(bytes);
}

bool copy_if_there(void* to, uintptr_t from, size_t bytes) {
  const long copied = copy_by_system(to, from, bytes);
  if (copied != -EPERM && copied != -ENOSYS) return copied == static_cast<long>(bytes);
  __builtin_memcpy(to, reinterpret_cast<const void*>(from), bytes);  // a sandbox that does not allow the call
  return true;
}

bool module_of(uintptr_t address, Module& module) {
  // Each further look is one for an object that was replaced by another meanwhile.
  for (unsigned looks = 0; looks < 8; ++looks) {
    dl_find_object object;
    uint32_t at = 0;
    if (!find(address, object)) return false;
    if (remembered(object, module, at) || read_module(address, object, module, at)) return true;
  }
  return false;
}

void module_closing() { closing.fetch_add(1); }
void module_closed() {
  const BusyGuard held(table_lock);
  known_count = next = 0;
  ++generation;
  closing.fetch_sub(1);
}

bool modules_stable(uint32_t& now) {
  const BusyGuard held(table_lock);
  now = generation;
  return closing.load(std::memory_order_relaxed) == 0;
}

const char* program_path() {
  find_program_path();
  return program;
}

const char* program_folder() {
  static char folder[sizeof program];
  find_program_path();
  char* end = folder;
  for (size_t i = 0; (folder[i] = program[i]) != 0; ++i)
    if (folder[i] == '/') end = folder + i;
  *end = 0;
  return folder;
}

const char* program_name() { return base_name(program_path()).data(); }

DEADHEAT_TAKEN_AT_FORK(kModuleTable, table_lock)

}  // namespace deadheat::live
