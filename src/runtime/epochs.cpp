#include "runtime/epochs.h"

#include "runtime/message.h"
#include "runtime/sys.h"

namespace deadheat::live {

constinit EpochTable epochs;

void epochs_start() {
  epochs.chunk_epoch = static_cast<uint64_t*>(sys::reserve(kMaxChunks * sizeof(uint64_t)));
  epochs.chunk_owner = static_cast<ThreadUid*>(sys::reserve(kMaxChunks * sizeof(ThreadUid)));
  if (epochs.chunk_epoch == nullptr || epochs.chunk_owner == nullptr) die("no address space for epochs");
  epochs.next_chunk = 1;
}

EpochId epochs_draw_chunk(Epoch first, ThreadUid owner) {
  const uint32_t chunk = epochs.next_chunk.fetch_add(1, std::memory_order_relaxed);
  if (chunk >= kMaxChunks) return 0;
  epochs.chunk_epoch[chunk] = first.bits();
  epochs.chunk_owner[chunk] = owner;
  return chunk << kChunkBits;
}

}  // namespace deadheat::live
