#include "live/shadow/byte_reads.h"

#include <emmintrin.h>

#include "live/ground/limits.h"
#include "live/ground/message.h"

namespace deadheat::live {

ByteReads* byte_reads_pool;

namespace {

constexpr uint32_t kMost = limit(1u << kIdBits, 64u);
constexpr uint32_t kMostSpares = limit(64u, 2u);
// Block 0 is none.
constinit struct {
  SpinLock lock{Lock::kFreeByteReads};
  uint32_t free = 0;
  uint32_t used = 1;
} blocks;

}  // namespace

void byte_reads_start() {
  byte_reads_pool = static_cast<ByteReads*>(sys::reserve(uint64_t{kMost} * sizeof(ByteReads)));
  if (byte_reads_pool == nullptr) die("no address space for reads of bytes (is there a limit by ulimit -v?)");
}

OriginId take_byte_reads(Thread& t) {
  uint32_t taken = t.spare_byte_reads;
  if (taken != 0) {
    t.spare_byte_reads = number_of(byte_reads_pool[taken].origin[0]);
    --t.spare_byte_reads_count;
  } else {
    SpinGuard guard(blocks.lock);
    taken = blocks.free;
    if (taken != 0)
      blocks.free = number_of(byte_reads_pool[taken].origin[0]);
    else if (blocks.used < kMost)
      taken = blocks.used++;
    else
      return kNoOrigin;
  }
  return OriginId{taken};
}

void give_byte_reads(Thread* t, OriginId number) {
  ByteReads& reads = byte_reads_of(number);
  for (Cell& id : reads.id) store(&id, 0);
  if (t != nullptr && t->spare_byte_reads_count < kMostSpares) {
    reads.origin[0] = OriginId{t->spare_byte_reads};
    t->spare_byte_reads = number_of(number);
    ++t->spare_byte_reads_count;
    return;
  }
  SpinGuard guard(blocks.lock);
  reads.origin[0] = OriginId{blocks.free};
  blocks.free = number_of(number);
}

void give_all_blocks(const Cell* r, const OriginId* origins, const Cell* w, unsigned count) {
  const auto give = [&](unsigned i) {
    if (const Cell cell = load(r + i); names_block(cell, load(w + i))) give_block(tls.thread, cell, load(origins + i));
  };
  unsigned i = 0;
  for (; i + 4 <= count; i += 4) {
    const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(r + i));
    if (__builtin_expect(_mm_movemask_ps(_mm_castsi128_ps(four)) == 0, 1)) continue;
    for (unsigned j = i; j < i + 4; ++j) give(j);
  }
  for (; i < count; ++i) give(i);
}

void byte_reads_return_spares(Thread& t) {
  while (t.spare_byte_reads != 0) {
    const uint32_t spare = t.spare_byte_reads;
    t.spare_byte_reads = number_of(byte_reads_pool[spare].origin[0]);
    give_byte_reads(nullptr, OriginId{spare});
  }
  t.spare_byte_reads_count = 0;
}

DEADHEAT_TAKEN_AT_FORK(kFreeByteReads, blocks.lock)

}  // namespace deadheat::live
