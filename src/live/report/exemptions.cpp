#include "live/report/exemptions.h"

#include "live/ground/hash.h"
#include "live/ground/heap.h"
#include "live/ground/inside.h"
#include "live/ground/spin_lock.h"
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
struct Tagged {
  Tagged* next;
  uintptr_t object;
  const Tag* tag;
};

constinit SpinLock exemptions_lock(Lock::kExemptions);
Range* benign;
constexpr unsigned kBuckets = 256;
Tagged* tagged[kBuckets];

Tagged*& bucket_of(uintptr_t object) { return tagged[spread<8>(object)]; }

class Locked : BusyGuard {
 public:
  Locked() : BusyGuard(exemptions_lock) {}
};

}  // namespace

DEADHEAT_TAKEN_AT_FORK(kExemptions, exemptions_lock)

void add_benign(uintptr_t begin, size_t bytes) {
  Locked locked;
  Range* range = static_cast<Range*>(heap_allocate(sizeof(Range)));
  *range = {benign, begin, begin + bytes};
  benign = range;
}

bool is_benign(uintptr_t begin, uintptr_t end) {
  if (benign == nullptr) return false;
  Locked locked;
  for (const Range* range = benign; range != nullptr; range = range->next)
    if (begin >= range->begin && end <= range->end) return true;
  return false;
}

void* external_register(const char* type) {
  Locked locked;
  Tag* tag = static_cast<Tag*>(heap_allocate(sizeof(Tag)));
  *tag = {type, type};
  return tag;
}

void external_header(void* tag, const char* header) {
  if (tag != nullptr) static_cast<Tag*>(tag)->header = header;
}

void external_assign(uintptr_t object, void* tag) {
  if (tag == nullptr) return;
  Locked locked;
  for (Tagged* at = bucket_of(object); at != nullptr; at = at->next) {
    if (at->object != object) continue;
    at->tag = static_cast<Tag*>(tag);
    return;
  }
  Tagged* entry = static_cast<Tagged*>(heap_allocate(sizeof(Tagged)));
  *entry = {bucket_of(object), object, static_cast<Tag*>(tag)};
  bucket_of(object) = entry;
}

const char* external_type_of(uintptr_t object) {
  Locked locked;
  for (const Tagged* at = bucket_of(object); at != nullptr; at = at->next)
    if (at->object == object) return at->tag->header;
  return nullptr;
}

}  // namespace deadheat::live
