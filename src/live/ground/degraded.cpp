#include "live/ground/degraded.h"

#include <atomic>

#include "live/ground/message.h"
#include "live/ground/sys.h"

namespace deadheat::live {
namespace {

constexpr const char* kTexts[] = {
#define DEADHEAT_TEXT(name, what) what,
    DEADHEAT_DEGRADATIONS(DEADHEAT_TEXT)
#undef DEADHEAT_TEXT
};
constexpr unsigned kKinds = sizeof kTexts / sizeof kTexts[0];

struct Degraded {
  std::atomic<uint64_t> amount{0};
  std::atomic<int64_t> first_ms{0};
};
constinit Degraded kinds[kKinds];
int64_t start_ms;

int64_t now_ms() {
  struct {
    int64_t seconds, nanoseconds;
  } time{};
  sys::call(SYS_clock_gettime, 1 /* CLOCK_MONOTONIC */, reinterpret_cast<long>(&time));
  return time.seconds * 1000 + time.nanoseconds / 1'000'000;
}

}  // namespace

void degraded_start() { start_ms = now_ms(); }

bool note_degraded(Degradation what, uint64_t amount) {
  Degraded& kind = kinds[static_cast<unsigned>(what)];
  if (kind.amount.fetch_add(amount, std::memory_order_relaxed) != 0) return false;
  kind.first_ms.store(now_ms() - start_ms, std::memory_order_relaxed);
  return true;
}

bool list_degraded() {
  bool any = false;
  for (unsigned i = 0; i < kKinds; ++i) {
    const uint64_t amount = kinds[i].amount.load(std::memory_order_relaxed);
    if (amount == 0) continue;
    any = true;
    const uint64_t ms = static_cast<uint64_t>(kinds[i].first_ms.load(std::memory_order_relaxed));
    char line[256];
    Text text(line, sizeof line);
    text.add("deadheat: degraded from %lu.%03lu s on: %lu %s\n", ms / 1000, ms % 1000, amount, kTexts[i]);
    write_log(text.data(), text.size());
  }
  return any;
}

}  // namespace deadheat::live
