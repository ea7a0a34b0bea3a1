// What capture needs for itself: memory, tables, other people's functions.
#include "live/entry.h"
#include "live/ground/hash.h"
#include "live/ground/heap.h"
#include "live/ground/inside.h"
#include "live/ground/message.h"
#include "live/modules/definitions.h"

namespace deadheat::live {

StayOut::StayOut() { Inside::enter(); }
StayOut::~StayOut() { Inside::leave(); }
bool is_staying_out() { return stays_out(); }
bool has_started() { return started.load(std::memory_order_relaxed); }

void* own_allocate(size_t bytes) {
  const Inside inside;
  return heap_allocate(bytes);
}
void own_free(void* block, size_t bytes) {
  const Inside inside;
  heap_free(block, bytes);
}

namespace {

struct Element {
  Element* next;
  uintptr_t key;
  uint64_t value;
};
struct ChainedTable {
  static constexpr unsigned kBits = 10;
  SpinLock lock{Lock::kTables};
  Element* buckets[1u << kBits] = {};

  // The link to the element of that key, or the null at the end of its chain.
  Element** find(uintptr_t key) {
    Element** at = &buckets[spread<kBits>(key)];
    while (*at != nullptr && (*at)->key != key) at = &(*at)->next;
    return at;
  }
  static void remove(Element** at) {
    Element* const gone = *at;
    *at = gone->next;
    heap_free(gone, sizeof(Element));
  }
};
constinit ChainedTable tables[static_cast<unsigned>(Table::kCount)];

// Calls `use` with the link to the element.
template <class Use>
auto in_table(Table table, uintptr_t key, Use use) {
  ChainedTable& of = tables[static_cast<unsigned>(table)];
  const BusyGuard held(of.lock);
  return use(of.find(key));
}

void put(Table table, uintptr_t key, uint64_t value, bool replaces_greater) {
  in_table(table, key, [&](Element** at) {
    if (*at == nullptr)
      *at = new (heap_allocate(sizeof(Element))) Element{nullptr, key, value};
    else if (replaces_greater || (*at)->value < value)
      (*at)->value = value;
  });
}

}  // namespace

DEADHEAT_ARRAY_TAKEN_AT_FORK(kTables, tables)

void table_put(Table table, uintptr_t key, uint64_t value) { put(table, key, value, true); }
void table_raise(Table table, uintptr_t key, uint64_t value) { put(table, key, value, false); }

bool table_find(Table table, uintptr_t key, uint64_t& value) {
  return in_table(table, key, [&](Element** at) {
    if (*at != nullptr) value = (*at)->value;
    return *at != nullptr;
  });
}
bool table_take(Table table, uintptr_t key, uint64_t& value) {
  return in_table(table, key, [&](Element** at) {
    if (*at == nullptr) return false;
    value = (*at)->value;
    ChainedTable::remove(at);
    return true;
  });
}
void table_remove_if(Table table, uintptr_t key, uint64_t value) {
  in_table(table, key, [&](Element** at) {
    if (*at != nullptr && (*at)->value == value) ChainedTable::remove(at);
  });
}

void* next_definition(const char* name) {
  const Inside inside;
  void* const found = find_definition(name);
  if (found == nullptr) die("no library of this program has the function %s", name);
  return found;
}

}  // namespace deadheat::live
