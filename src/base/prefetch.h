// Asks for memory that will be needed in a moment.
//
// The empty asm statement is there because GCC 12 takes a function that does nothing but prefetch for one without any
// effect, and drops the calls of it.
#pragma once

namespace deadheat {

inline void prefetch(const void* p) {
  __builtin_prefetch(p, 1);
  asm volatile("");
}

}  // namespace deadheat
