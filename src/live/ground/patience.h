// How a thread waits for a lock that is held for a few instructions.
//
// The holder runs on another processor, and is done at once; or it has lost its processor, or waits for a page of memory.
// Then trying on would only use up time, and it would be counted as the program's. So a thread tries for a while, then lets
// others run, then sleeps.
#pragma once

#include "live/ground/sys.h"

namespace deadheat::live {

class Patience {
 public:
  void wait() {
    if (++tries_ % kTries != 0)
      __builtin_ia32_pause();
    else if (tries_ <= kYields * kTries)
      sys::yield();
    else
      sys::sleep_us(50);
  }

 private:
  static constexpr unsigned kTries = 128, kYields = 8;
  unsigned tries_ = 0;
};

}  // namespace deadheat::live
