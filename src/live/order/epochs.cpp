#include "live/order/epochs.h"

#include "live/ground/message.h"
#include "live/ground/options.h"
#include "live/ground/spin_lock.h"
#include "live/order/thread.h"
#include "live/paths/path_collection.h"

namespace deadheat::live {

constinit EpochTable epochs;
constinit std::atomic<uint64_t> epochs_collections{0};

namespace {

constinit SpinLock draw_lock(Lock::kEpochs);  // guards all below
uint32_t chunk_limit = kMaxChunks - 1;        // a cell of the last id, freed, would be all ones: what no cell may be
// The chunks allowed so far. A collection runs when all of them are drawn, so the tables (1.5 MiB) do not grow with the
// length of the run. If more than half of them are in use, the number doubles: the cost of collecting stays in
// proportion to the number of chunks drawn.
uint32_t chunks_for_now = 1u << 17;
uint32_t drawn = 0;              // since the last collection, if the option asks for one by number
Chunk next_chunk = kFirstChunk;  // the search for a free chunk goes on here
uint64_t* used = nullptr;        // a bit for each chunk in use, from the last collection on; null before the first

// While every chunk is in use, each thread asks at every tick. A collection walks all memory, so it runs only once per
// this many requests.
constexpr uint32_t kRefusals = 1u << 16;
uint32_t refused = 0;

bool is_used(Chunk chunk) {
  return used != nullptr && (used[number_of(chunk) / 64] >> (number_of(chunk) % 64) & 1) != 0;
}

bool collect() {
  if (used == nullptr) used = static_cast<uint64_t*>(sys::reserve(kMaxChunks / 8));
  if (used == nullptr) return false;
  const HoldAll<Lock::kThreads> threads;
  const HoldAll<Lock::kStripes> shadow;
  // From here on no thread relies on what it found out about ids before.
  epochs_collections.fetch_add(1, std::memory_order_seq_cst);
  for (uint32_t i = 0; i < (chunks_for_now + 63) / 64; ++i) used[i] = 0;
  threads_forget_ids();
  shadow_mark_ids();
  next_chunk = kFirstChunk;
  return true;
}

// A chunk that is not in use; kNoChunk if there is none from `next_chunk` on.
Chunk find_chunk() {
  while (number_of(next_chunk) < chunks_for_now) {
    const Chunk chunk = next_chunk;
    next_chunk = Chunk{number_of(chunk) + 1};
    if (!is_used(chunk)) return chunk;
  }
  return kNoChunk;
}

void allow_more_if_crowded() {
  uint32_t in_use = 0;
  for (uint32_t i = 0; i < chunks_for_now / 64; ++i) in_use += static_cast<uint32_t>(__builtin_popcountll(used[i]));
  if (in_use > chunks_for_now / 2) chunks_for_now = chunks_for_now > chunk_limit / 2 ? chunk_limit : 2 * chunks_for_now;
}

}  // namespace

void epochs_start() {
  epochs.chunk_epoch = static_cast<uint64_t*>(sys::reserve(kMaxChunks * sizeof(uint64_t)));
  epochs.chunk_owner = static_cast<ThreadUid*>(sys::reserve(kMaxChunks * sizeof(ThreadUid)));
  if (epochs.chunk_epoch == nullptr || epochs.chunk_owner == nullptr) die("no address space for epochs");
  if (options.epoch_chunks > 1 && static_cast<uint32_t>(options.epoch_chunks) < kMaxChunks)
    chunk_limit = static_cast<uint32_t>(options.epoch_chunks);
  if (chunks_for_now > chunk_limit) chunks_for_now = chunk_limit;
}

bool epochs_draw_chunk(Thread& t, Epoch first) {
  SpinGuard guard(draw_lock);
  collect_paths_if_crowded();
  if (options.epoch_draws > 0 && ++drawn >= static_cast<uint32_t>(options.epoch_draws) && collect()) drawn = 0;
  Chunk chunk = find_chunk();
  if (chunk == kNoChunk && refused == 0 && collect()) {
    allow_more_if_crowded();
    chunk = find_chunk();
  }
  if (chunk == kNoChunk) {
    refused = (refused + 1) % kRefusals;
    return false;
  }
  refused = 0;
  epochs.chunk_epoch[number_of(chunk)] = first.bits();
  epochs.chunk_owner[number_of(chunk)] = t.uid;
  t.chunk_next = first_id(chunk);
  t.chunk_end = first_id(Chunk{number_of(chunk) + 1});
  return true;
}

void epochs_mark(EpochId id) {
  const uint32_t chunk = number_of(chunk_of(id));
  used[chunk / 64] |= uint64_t{1} << (chunk % 64);
}

DEADHEAT_TAKEN_AT_FORK(kEpochs, draw_lock)

}  // namespace deadheat::live
