// The part of api.h that must be in line: what a compiled access costs when it is already recorded, the frames of
// functions, and atomic operations.
//
// Each access begins with the hit test: a cell equal to the thread's current id means that this access is already
// recorded. One load and one compare, no frame; a miss leaves by a jump to the slow path (live/shadow/access.cpp). Only
// the entry points of compilers include this header. Tested by test/codegen, which keeps the disassembly: a slower hit
// shows up in its diff.
#pragma once

#include <emmintrin.h>

#include <cstddef>
#include <cstdint>

#include "live/api.h"
#include "live/ground/inside.h"
#include "live/ground/options.h"
#include "live/order/party.h"
#include "live/order/steps.h"
#include "live/order/sync.h"
#include "live/order/thread.h"
#include "live/report/report.h"
#include "live/shadow/word_cells.h"

namespace deadheat::live {

enum Access : bool { kReading, kWriting };
constexpr AccessKind kind_of(Access access) { return access == kWriting ? AccessKind::kWrite : AccessKind::kRead; }

// Whether so many cells are all the thread's current id.
template <unsigned kWords>
inline bool are_current(const Cell* cells) {
  if constexpr (kWords == 1) {
    uint32_t one;
    __builtin_memcpy(&one, cells, 4);
    return __builtin_expect(one == static_cast<uint32_t>(tls.current_twice), 1);
  } else if constexpr (kWords == 2) {
    uint64_t both;
    __builtin_memcpy(&both, cells, 8);
    return __builtin_expect(both == tls.current_twice, 1);
  } else {
    const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(cells));
    const __m128i mine = _mm_set1_epi32(static_cast<int>(tls.current_twice));
    return __builtin_expect(_mm_movemask_epi8(_mm_cmpeq_epi32(four, mine)) == 0xffff, 1);
  }
}

// Whether the current id stands in a cell for the bytes of the access, if not for the whole word. Of R, bit 31 is no matter.
template <size_t kBytes, Access access>
inline bool has_bytes(Cell cell, uintptr_t address) {
  const uint32_t other = cell ^ static_cast<uint32_t>(tls.current_twice), bytes = other >> kIdBits;
  constexpr uint32_t kAll = (1u << kBytes) - 1;
  const bool plain = access == kReading ? bytes != 15 : bytes < 15;
  return (other & kIdMask) == 0 && plain && (bytes >> (address & 3) & kAll) == kAll;
}

// Whether an access that begins at a word, or lies in one, is recorded already. Programs let the compiler believe that
// an address is aligned where it is not: then it is no hit, and the slow path sorts it out.
template <size_t kBytes, Access access>
inline bool is_recorded(uintptr_t at) {
  constexpr unsigned kWords = kBytes < 4 ? 1 : kBytes / 4;
  if (record::kOn && record::full) return false;
  if (kBytes > 1 && __builtin_expect((at & (kBytes == 2 ? 1 : 3)) != 0, 0)) return false;
  if (access == kReading && are_current<kWords>(own_read_cell(at))) return true;
  if (are_current<kWords>(cell_of(kPlaneW, at))) return true;
  if constexpr (kBytes >= 4) return false;
  // A thread that is alone looks at W for R, where bit 31 means something else.
  if (access == kReading && tls.current_twice != 0 && has_bytes<kBytes, kReading>(load(own_read_cell(at)), at))
    return true;
  return has_bytes<kBytes, kWriting>(load(cell_of(kPlaneW, at)), at);
}
template <size_t kBytes, Access access>
inline bool is_hit(const void* address) {
  const uintptr_t at = reinterpret_cast<uintptr_t>(address);
  if (!is_recorded<kBytes, access>(at)) return false;
  check_hit(at, kBytes, kind_of(access), [at] { return is_recorded<kBytes, access>(at); });
  return true;
}
// The access is recorded, and told if it races.
template <size_t kBytes, Access access>
inline void miss(const void* address, uintptr_t pc) {
  const uintptr_t at = reinterpret_cast<uintptr_t>(address);
  if constexpr (kBytes < 4)
    bytes_slow<kBytes, kind_of(access)>(at, pc);
  else if constexpr (access == kWriting)
    write_words_slow<kBytes / 4>(at, pc);
  else
    read_words_slow<kBytes / 4>(at, pc);
}

// The words of the first and the last byte, and those between.
template <size_t kBytes, Access access>
__attribute__((noinline)) void across_words(uintptr_t begin, uintptr_t pc) {
  const auto is_current = [](const Cell* first, const Cell* last) -> bool {
    uint32_t different = 0;
    for (const Cell* cell = first; cell <= last; ++cell)
      different |= load(cell) ^ static_cast<uint32_t>(tls.current_twice);
    return __builtin_expect(different == 0, 1);
  };
  const uintptr_t last = begin + kBytes - 1;
  const auto are_recorded = [&] {
    return (access == kReading && is_current(own_read_cell(begin), own_read_cell(last))) ||
           is_current(cell_of(kPlaneW, begin), cell_of(kPlaneW, last));
  };
  if ((record::kOn && record::full) || !are_recorded()) return access_slow(begin, kBytes, kind_of(access), pc);
  check_hit(begin, kBytes, kind_of(access), are_recorded);
}

// An access that may cross words. Most begin at a word all the same (vectorised loops over 4-byte elements).
template <size_t kBytes, Access access>
inline void unaligned(const void* address, uintptr_t pc) {
  const uintptr_t at = reinterpret_cast<uintptr_t>(address);
  if (kBytes < 4 || __builtin_expect((at & 3) != 0, 0)) return across_words<kBytes, access>(at, pc);
  if (!is_hit<kBytes, access>(address)) miss<kBytes, access>(address, pc);
}

// Any address, also hits that the code in line does not know.
template <size_t kBytes, Access access>
inline void checked(const void* address, uintptr_t pc) {
  if (kBytes < 4 && reinterpret_cast<uintptr_t>(address) % kBytes == 0) {
    if (!is_hit<kBytes, access>(address)) miss<kBytes, access>(address, pc);
  } else {
    unaligned<kBytes, access>(address, pc);
  }
}

// Any address, after the code in line and its entry have asked R and W. Some bytes of a word may be a hit that they do not know.
template <size_t kBytes, Access access>
inline void missed(const void* address, uintptr_t pc) {
  if (kBytes >= 4 && reinterpret_cast<uintptr_t>(address) % 4 == 0) return miss<kBytes, access>(address, pc);
  checked<kBytes, access>(address, pc);
}

// Any number of bytes.
inline void range(const void* address, size_t bytes, AccessKind kind, uintptr_t pc) {
  access_range(reinterpret_cast<uintptr_t>(address), bytes, kind, pc);
}

// `count` elements of `kBytes`, each `step` bytes after the one before. What is reported is an element, as if each had been
// checked by itself; so all have the origin of one. Elements with gaps between them share a lock for each part. A range
// finds the lowest race first: downwards, each is checked by itself. A recording has events of single accesses, which
// one record stands for.
template <size_t kBytes, Access access>
inline void sweep(const char* begin, ptrdiff_t step, size_t count, uintptr_t pc) {
  constexpr AccessKind kind = kind_of(access);
  const uintptr_t first = reinterpret_cast<uintptr_t>(begin);
  if constexpr (record::kOn) {
    constexpr size_t kLeastOfARow = 16;
    if (count >= kLeastOfARow && step != 0 && step % ptrdiff_t{kBytes} == 0 && first % kBytes == 0 &&
        record_row<kBytes, kind>(first, step, count, pc))
      return;
  }
  if (!record::kOn && step == ptrdiff_t{kBytes})
    return access_range(first, count * kBytes, kind,
                        access_key(pc, what_code(first, kBytes, static_cast<unsigned>(kind))));
  if constexpr (!record::kOn && kBytes >= 4) {
    // A thread that is alone has nothing but hits.
    const bool upwards = step > 0 && step % ptrdiff_t{kBytes} == 0 && first % 4 == 0;
    if (upwards && tls.current_twice != 0)
      return sweep_words < kBytes / 4, access == kWriting > (first, static_cast<size_t>(step), count, pc);
  }
  for (; count != 0; --count, begin += step) checked<kBytes, access>(begin, pc);
}

// The program enters a function, called from `pc`, and leaves the innermost one.
__attribute__((always_inline)) inline void function_entered(uintptr_t pc) { push_frame(pc); }
inline void function_left() { pop_frame(); }
// A function that has no frame yet enters where it turns out to need one; `stack` is where it would be after the call.
__attribute__((always_inline)) inline void function_entered_at(uintptr_t pc, uintptr_t stack) {
  push_frame_at(pc, stack);
}

// ---- atomic operations ---------------------------------------------------------------------------------------------
//
// The real operation, its record in the shadow and the change of S are one step: the lock of the object's chain is held
// over them. While the thread is alone nothing of this can matter to anybody, and only the real operation is done; but
// freed memory is freed.

// The thread, if the operation has to be modelled at all.
inline Thread* modelled() {
  if (tls.busy != 0 || tls.ignoring_sync != 0) return nullptr;
  Thread* t = current_thread();
  return t == nullptr || is_left_alone(*t) ? nullptr : t;
}

// The same for an operation on an object. It is always an access: a use of freed memory is reported.
inline Thread* modelled(const volatile void* object, size_t bytes, AccessKind kind, uintptr_t pc) {
  if (Thread* t = modelled()) return t;
  const uintptr_t address = reinterpret_cast<uintptr_t>(object);
  if (tls.current_twice == 0 && is_freed_at(address)) access_slow(address, bytes, kind, pc);
  return nullptr;
}

inline MemoryOrder in_force(MemoryOrder order) { return options.force_seq_cst_atomics ? MemoryOrder::kSeqCst : order; }

// Of objects that no instruction can change; the thread must be inside.
SpinLock& large_atomic_lock(const volatile void* object);

// For explanations, after the operation was carried out as `kind`.
void note_atomic_slow(Thread& t, AccessKind kind, const AtomicOperation& of) __attribute__((cold));

template <class Perform>
inline AtomicDid perform_large(const AtomicOperation& of, Perform perform) {
  const BusyGuard held(large_atomic_lock(of.object));
  return perform();
}
template <class Perform>
inline AtomicDid perform_alone(const AtomicOperation& of, Perform perform) {
  return of.size == AtomicSize::kOneInstruction ? perform() : perform_large(of, perform);
}
template <class Perform>
inline AtomicDid perform_under(SyncLock& lock, const AtomicOperation& of, Perform perform) {
  if (of.size != AtomicSize::kOneInstruction) return perform_large(of, perform);
  const Performing instruction(&lock);
  return perform();
}

// Where it has to be modelled.
template <class Perform>
inline void model_atomic(Thread& t, const AtomicOperation& of, Perform perform) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(of.object);
  RaceFound race;
  AccessKind kind = AccessKind::kAtomicRead;
  Inside::enter();
  {
    Party party(t);
    SyncLock lock(address);
    const AtomicDid did = perform_under(lock, of, perform);
    const MemoryOrder order = in_force(did == AtomicDid::kLoad ? of.failure : of.order);
    if (did != AtomicDid::kLoad) kind = AccessKind::kAtomicWrite;
    // What the operation acquires is ordered before it; what it releases, it does not race with any more.
    if (did != AtomicDid::kStore) order::atomic_read(party, lock, order);
    access_atomic(t, address, of.bytes, kind, of.pc, race);
    if (did == AtomicDid::kStore) order::atomic_store(party, lock, order);
    if (did == AtomicDid::kExchange) order::atomic_modify(party, lock, order);
    if constexpr (record::kOn) {
      const auto what = did == AtomicDid::kLoad    ? record::What::kLoad
                        : did == AtomicDid::kStore ? record::What::kStore
                                                   : record::What::kExchange;
      record::atomic(t, lock, what, address, of.bytes, order, of.pc);
    }
  }
  if (__builtin_expect(explaining, 0)) note_atomic_slow(t, kind, of);
  Inside::leave();
  if (__builtin_expect(race.any(), 0)) report_race(t, address, of.bytes, kind, of.pc, race);
}

template <class Perform>
inline void atomic_step(const AtomicOperation& of, Perform perform) {
  Thread* const t = modelled(of.object, of.bytes, of.kind, of.pc);
  if (t == nullptr)
    perform_alone(of, perform);
  else
    model_atomic(*t, of, perform);
}

// A load that is recorded already and finds nothing to learn changes nothing: spin loops and lists that many threads read
// stay out of the way.
template <class Load>
inline bool load_again(const Thread& t, uintptr_t address, size_t bytes, Load load_value) {
  const SyncChain& chain = sync_chain_of(address);
  const uint32_t sequence = chain.sequence.load(std::memory_order_acquire);
  if (!is_atomic_read_recorded(t, address, bytes)) return false;
  const bool known = t.nothing_at.address == address && t.nothing_at.sequence == sequence;
  if (!known && ((sequence & 1) != 0 || !sync_nothing_to_learn(chain, address, t.C))) return false;
  load_value();
  std::atomic_thread_fence(std::memory_order_acquire);
  if (chain.sequence.load(std::memory_order_relaxed) != sequence) return false;
  check_hit(address, bytes, AccessKind::kAtomicRead, [&] { return is_atomic_read_recorded(t, address, bytes); });
  check_nothing_to_learn(t.C, address, sequence);
  return true;
}

// One that finds nothing to learn takes no lock.
template <class Load>
inline bool load_without_lock(Thread& t, uintptr_t address, size_t bytes, uintptr_t pc, Load load_value) {
  const SyncChain& chain = sync_chain_of(address);
  const uint32_t sequence = chain.sequence.load(std::memory_order_acquire);
  if ((sequence & 1) != 0) return false;
  prefetch_atomic_read(t, address);
  Inside::enter();
  const bool nothing = sync_nothing_to_learn(chain, address, t.C);
  if (nothing) {
    const Performing instruction(nullptr);
    load_value();
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  const bool done = nothing && chain.sequence.load(std::memory_order_relaxed) == sequence;
  if (done) check_nothing_to_learn(t.C, address, sequence);
  if (done && shadow_covers(address)) t.nothing_at = {address, sequence};
  if (done && !record_atomic_read(t, address, bytes, pc)) {
    atomic_read_slow(t, address, bytes, pc);  // leaves the run time
    return true;
  }
  Inside::leave();
  return done;
}

template <class Load>
inline void atomic_load(const AtomicOperation& of, Load load_value) {
  Thread* const t = modelled(of.object, of.bytes, AccessKind::kAtomicRead, of.pc);
  if (t == nullptr) return load_value();
  const uintptr_t address = reinterpret_cast<uintptr_t>(of.object);
  if (!(record::kOn && record::full) && load_again(*t, address, of.bytes, load_value)) return;
  // In a recording it has a ticket, drawn while the object is held.
  if (!record::kOn && load_without_lock(*t, address, of.bytes, of.pc, load_value)) return;
  model_atomic(*t, of, [&] {
    load_value();
    return AtomicDid::kLoad;
  });
}

}  // namespace deadheat::live
