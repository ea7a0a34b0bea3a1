// Epoch ids: 31 bits that stand for an epoch c@t in a shadow cell.
//
// Threads draw chunks of 256 ids; the table says which epoch a chunk begins with and which thread drew it, so an id is
// decoded by one load and one addition. Id 0 is the epoch before everything.
//
//   id   30           8 7      0         epoch = chunk_epoch[id >> 8] + (id & 255)
//       +--------------+--------+
//       |    chunk     | offset |
//       +--------------+--------+
#pragma once

#include <atomic>
#include <cstdint>

#include "base/epoch.h"

namespace deadheat::live {

using EpochId = uint32_t;
using ThreadUid = uint32_t;

inline constexpr uint32_t kChunkBits = 8;
inline constexpr uint32_t kChunkIds = 1u << kChunkBits;
inline constexpr uint32_t kMaxChunks = 1u << (31 - kChunkBits);

struct EpochTable {
  uint64_t* chunk_epoch = nullptr;  // bits of the first epoch; written before the chunk's first id is used
  ThreadUid* chunk_owner = nullptr;
  std::atomic<uint32_t> next_chunk{0};
};
extern EpochTable epochs __attribute__((visibility("hidden")));

inline Epoch epoch_of(EpochId id) {
  return Epoch::from_bits(epochs.chunk_epoch[id >> kChunkBits] + (id & (kChunkIds - 1)));
}
inline ThreadUid owner_of(EpochId id) { return epochs.chunk_owner[id >> kChunkBits]; }

void epochs_start();
// The first id of a new chunk whose first epoch is `first`; 0 if all are in use.
EpochId epochs_draw_chunk(Epoch first, ThreadUid owner);

}  // namespace deadheat::live
