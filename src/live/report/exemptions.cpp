#include "live/report/exemptions.h"

#include "live/ground/heap.h"
#include "live/ground/inside.h"
#include "live/ground/spin_lock.h"
#include "live/ground/tables.h"
#include "live/order/thread.h"

namespace deadheat::live {
namespace {

struct Range {
  Range* next;
  uintptr_t begin, end;
};
struct Tag {
  const char* type;
  const char* header;
};
constinit SpinLock exemptions_lock(Lock::kExemptions);
Range* benign;
KeyMap tagged(1u << 24);  // object -> Tag*

}  // namespace

DEADHEAT_TAKEN_AT_FORK(kExemptions, exemptions_lock)

void add_benign(uintptr_t begin, size_t bytes) {
  const BusyGuard held(exemptions_lock);
  Range* range = static_cast<Range*>(heap_allocate(sizeof(Range)));
  *range = {benign, begin, begin + bytes};
  benign = range;
}

bool is_benign(uintptr_t begin, uintptr_t end) {
  if (benign == nullptr) return false;
  const BusyGuard held(exemptions_lock);
  for (const Range* range = benign; range != nullptr; range = range->next)
    if (begin >= range->begin && end <= range->end) return true;
  return false;
}

void benign_each(void (*visit)(uintptr_t begin, size_t bytes)) {
  const BusyGuard held(exemptions_lock);
  for (const Range* range = benign; range != nullptr; range = range->next)
    visit(range->begin, range->end - range->begin);
}

void* external_register(const char* type) {
  const BusyGuard held(exemptions_lock);
  Tag* tag = static_cast<Tag*>(heap_allocate(sizeof(Tag)));
  *tag = {type, type};
  return tag;
}

void external_header(void* tag, const char* header) {
  if (tag != nullptr) static_cast<Tag*>(tag)->header = header;
}

void external_assign(uintptr_t object, void* tag) {
  if (tag == nullptr) return;
  const BusyGuard held(exemptions_lock);
  tagged.put(object, reinterpret_cast<uintptr_t>(tag));
}

const char* external_type_of(uintptr_t object) {
  const BusyGuard held(exemptions_lock);
  const uint64_t* const tag = tagged.find(object);
  return tag != nullptr ? reinterpret_cast<const Tag*>(*tag)->header : nullptr;
}

}  // namespace deadheat::live
