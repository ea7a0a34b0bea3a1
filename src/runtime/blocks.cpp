#include "runtime/blocks.h"

#include "runtime/shadow.h"
#include "runtime/sync.h"

namespace deadheat::live {
namespace {

// Blocks from here on are freed by unmapping (glibc's largest threshold is 32 MiB, the least 128 KiB): only what was
// touched is looked at and marked.
constexpr size_t kLarge = size_t{128} << 10;

void put_pair(Plane plane, uintptr_t at, uint64_t value) {
  store(cell_of(plane, at), static_cast<Cell>(value));
  store(cell_of(plane, at + 4), static_cast<Cell>(value >> 32));
}
uint64_t get_pair(Plane plane, uintptr_t at) {
  return load(cell_of(plane, at)) | uint64_t{load(cell_of(plane, at + 4))} << 32;
}

}  // namespace

void block_allocated(void* block, size_t bytes, size_t usable, uintptr_t pc) {
  if (block == nullptr || tls.busy != 0) return;
  Thread* t = current_thread();
  const uintptr_t begin = reinterpret_cast<uintptr_t>(block);
  if (t == nullptr || !shadow_covers(begin)) return;
  ++tls.busy;
  shadow_forget(begin, usable);
  sync_forget_range(begin, usable);
  const NodeId where = t->stack_cache.child(context_node(*t), frame_key(pc));
  const uintptr_t mark = begin - 8;
  put_pair(kPlaneR, mark, bytes);
  put_pair(kPlaneWOrigin, mark, where | uint64_t{t->uid} << 32);
  put_pair(kPlaneROrigin, mark, 0);
  put_pair(kPlaneW, mark, kBlockMark | uint64_t{kBlockMark} << 32);
  --tls.busy;
}

void block_freed(void* block, size_t usable, uintptr_t pc) {
  if (block == nullptr || tls.busy != 0) return;
  Thread* t = current_thread();
  const uintptr_t begin = reinterpret_cast<uintptr_t>(block);
  if (t == nullptr || !shadow_covers(begin)) return;
  if (t->current == 0)
    return;  // alone: ordered before everything to come, and what was there is gone with the next owner
  if (usable >= kLarge)
    access_resident(begin, usable, AccessKind::kFree, pc);
  else
    access_range(begin, usable, AccessKind::kFree, pc);
  ++tls.busy;
  put_pair(kPlaneROrigin, begin - 8, 1);
  --tls.busy;
}

void access_resident(uintptr_t begin, size_t bytes, AccessKind kind, uintptr_t pc) {
  constexpr size_t kPage = 4096, kPiece = size_t{4} << 20;
  unsigned char resident[2][kPiece / kPage + 2];
  const uintptr_t end = begin + bytes;
  for (uintptr_t piece = begin; piece < end; piece += kPiece) {
    const uintptr_t piece_end = piece + kPiece < end ? piece + kPiece : end;
    uintptr_t first[2];
    for (unsigned plane = 0; plane < 2; ++plane) {
      first[plane] = reinterpret_cast<uintptr_t>(cell_of(static_cast<Plane>(plane), piece)) & ~(kPage - 1);
      const uintptr_t last =
          reinterpret_cast<uintptr_t>(cell_of(static_cast<Plane>(plane), piece_end - 1)) | (kPage - 1);
      if (sys::failed(sys::call(SYS_mincore, static_cast<long>(first[plane]),
                                static_cast<long>(last + 1 - first[plane]), reinterpret_cast<long>(resident[plane]))))
        for (unsigned char& page : resident[plane]) page = 1;
    }
    for (uintptr_t part = piece; part < piece_end; part += 1024) {
      const uintptr_t part_end = part + 1024 < piece_end ? part + 1024 : piece_end;
      bool any = false;
      for (unsigned plane = 0; plane < 2; ++plane)
        for (const uintptr_t at : {part, part_end - 1})
          any |= (resident[plane][(reinterpret_cast<uintptr_t>(cell_of(static_cast<Plane>(plane), at)) - first[plane]) /
                                  kPage] &
                  1) != 0;
      if (any) access_range(part, part_end - part, kind, pc);
    }
  }
}

bool block_of(uintptr_t address, Block& block) {
  constexpr uintptr_t kFarthest = uintptr_t{4} << 30;
  uintptr_t at = address & ~uintptr_t{15};
  for (uintptr_t walked = 0; walked < kFarthest; walked += 16, at -= 16) {
    const uintptr_t mark = at - 8;
    if (!shadow_covers(mark)) return false;
    if (load(cell_of(kPlaneW, mark)) != kBlockMark) continue;
    const uint64_t who = get_pair(kPlaneWOrigin, mark);
    block = {at, get_pair(kPlaneR, mark), static_cast<NodeId>(who), static_cast<ThreadUid>(who >> 32),
             load(cell_of(kPlaneROrigin, mark)) != 0};
    return address < at + (block.bytes == 0 ? 1 : block.bytes);
  }
  return false;
}

}  // namespace deadheat::live
