// What capture needs for itself: memory, tables, other people's functions.
#include "live/entry.h"
#include "live/ground/heap.h"
#include "live/ground/inside.h"
#include "live/ground/message.h"
#include "live/ground/tables.h"
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
struct OwnTable {
  SpinLock lock{Lock::kTables};
  Chains<Element, 10> elements;

  Element* find(uintptr_t key) {
    return elements.find(key, [key](const Element& e) { return e.key == key; });
  }
  void remove(Element* gone) {
    elements.remove(gone->key, gone);
    heap_free(gone, sizeof(Element));
  }
};
constinit OwnTable tables[static_cast<unsigned>(Table::kCount)];

// Calls `use` with the table and the element of the key, which may be null.
template <class Use>
auto in_table(Table table, uintptr_t key, Use use) {
  OwnTable& of = tables[static_cast<unsigned>(table)];
  const BusyGuard held(of.lock);
  return use(of, of.find(key));
}

void put(Table table, uintptr_t key, uint64_t value, bool replaces_greater) {
  in_table(table, key, [&](OwnTable& of, Element* at) {
    if (at == nullptr)
      of.elements.add(key, new (heap_allocate(sizeof(Element))) Element{nullptr, key, value});
    else if (replaces_greater || at->value < value)
      at->value = value;
  });
}

}  // namespace

DEADHEAT_ARRAY_TAKEN_AT_FORK(kTables, tables)

void table_put(Table table, uintptr_t key, uint64_t value) { put(table, key, value, true); }
void table_raise(Table table, uintptr_t key, uint64_t value) { put(table, key, value, false); }

bool table_find(Table table, uintptr_t key, uint64_t& value) {
  return in_table(table, key, [&](OwnTable&, const Element* at) {
    if (at != nullptr) value = at->value;
    return at != nullptr;
  });
}
bool table_take(Table table, uintptr_t key, uint64_t& value) {
  return in_table(table, key, [&](OwnTable& of, Element* at) {
    if (at == nullptr) return false;
    value = at->value;
    of.remove(at);
    return true;
  });
}
void table_remove_if(Table table, uintptr_t key, uint64_t value) {
  in_table(table, key, [&](OwnTable& of, Element* at) {
    if (at != nullptr && at->value == value) of.remove(at);
  });
}

void wrong_interface(uint32_t of_program, uint32_t of_run_time) {
  die("a part of this program was compiled for version %u of the compiler pass's interface, and this libdeadheat.so "
      "has "
      "version %u; compile it again with the deadheat-cc or deadheat-c++ of this installation",
      of_program, of_run_time);
}

void* next_definition(const char* name) {
  const Inside inside;
  void* const found = find_definition(name);
  if (found == nullptr) die("no library of this program has the function %s", name);
  return found;
}

}  // namespace deadheat::live
