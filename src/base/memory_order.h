// The memory orders of C++20, numbered as compilers number them, and what each of them does.
#pragma once

#include <cstdint>

namespace deadheat {

enum class MemoryOrder : uint8_t { kRelaxed, kConsume, kAcquire, kRelease, kAcqRel, kSeqCst };

// consume counts as acquire.
constexpr bool acquires(MemoryOrder order) { return order != MemoryOrder::kRelaxed && order != MemoryOrder::kRelease; }
constexpr bool releases(MemoryOrder order) { return order >= MemoryOrder::kRelease; }

}  // namespace deadheat
