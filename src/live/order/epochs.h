// Epoch ids: 27 bits that stand for an epoch c@t in a shadow cell.
//
// Threads draw chunks of 64 ids; the table says which epoch a chunk begins with and which thread drew it, so an id is
// decoded by one load and one addition. Id 0 is the epoch before everything.
//
//   id   26           6 5      0         epoch = chunk_epoch[id >> 6] + (id & 63)
//       +--------------+--------+
//       |    chunk     | offset |
//       +--------------+--------+
//
// When the chunks allowed so far are drawn, a collection runs (epochs.cpp says how many are allowed). It holds every
// stripe of the shadow and frees the chunks that no cell, no record in use and no live thread names. Threads forget
// what they remembered about ids. No record changes, so nothing is lost or invented. Code that looks at ids without a
// lock compares the number of collections before and after.
//
// Races are missed only if every chunk is in use; option coverage says so. A thread that has had an id then keeps its
// last one. A thread that begins without an id has kNoEpoch, which is ordered before everything: its accesses are
// compared with earlier ones of other threads, but later ones of other threads are not compared with them. All clocks
// stay exact, so everything that such a thread orders is ordered.
// Tested by test/programs/epochs_*.c
#pragma once

#include <atomic>
#include <cstdint>

#include "base/epoch.h"
#include "live/ground/ids.h"
#include "live/ground/limits.h"

namespace deadheat::live {

struct Thread;

inline constexpr uint32_t kIdBits = 27;
inline constexpr uint32_t kChunkBits = limit(6, 1);
inline constexpr uint32_t kChunkIds = 1u << kChunkBits;
inline constexpr uint32_t kMaxChunks = 1u << (kIdBits - kChunkBits);

enum class Chunk : uint32_t {};

// The first id of chunk 1, which no thread draws and whose entry in the table stays 0.
inline constexpr EpochId kNoEpoch{kChunkIds};
inline constexpr Chunk kNoChunk{}, kFirstChunk{2};
constexpr EpochId first_id(Chunk chunk) { return EpochId{number_of(chunk) << kChunkBits}; }
constexpr Chunk chunk_of(EpochId id) { return Chunk{number_of(id) >> kChunkBits}; }

struct EpochTable {
  uint64_t* chunk_epoch = nullptr;  // bits of the first epoch; written before the chunk's first id is used
  ThreadUid* chunk_owner = nullptr;
};
extern EpochTable epochs __attribute__((visibility("hidden")));

inline Epoch epoch_of(EpochId id) {
  return Epoch::from_bits(epochs.chunk_epoch[number_of(chunk_of(id))] + (number_of(id) & (kChunkIds - 1)));
}
inline ThreadUid owner_of(EpochId id) { return epochs.chunk_owner[number_of(chunk_of(id))]; }

void epochs_start();
// Gives the thread a new chunk whose first epoch is `first`; its ids are chunk_next up to chunk_end. The caller holds
// no lock. Collects if none is left; false if that did not help.
bool epochs_draw_chunk(Thread& t, Epoch first);
// During a collection: this id is in use.
void epochs_mark(EpochId id);
// Calls it for every id that any word of memory names, with all stripes held. Defined where the words are
// (live/shadow).
void shadow_mark_ids();
extern std::atomic<uint64_t> epochs_collections __attribute__((visibility("hidden")));

}  // namespace deadheat::live
