// Programs at random, from a seed.
//
// Many threads that touch the same bytes without any rule race at once and teach little: what happens after the first
// race of a byte is hardly checked. So most blocks have a discipline (a mutex, a reader-writer lock, an atomic token,
// an owner) which is broken now and then, and memory that comes and goes begins new histories.
#pragma once

#include <cstdint>

#include "live_oracle/program.h"

namespace deadheat::test {

enum class Sites {
  kOneEach,  // every step has a site of its own: a report names its two steps
  kShared,   // steps share a few sites, as loops do
};

inline constexpr int kMostSites = 1024;

Program random_program(uint64_t seed, Sites sites);

}  // namespace deadheat::test
