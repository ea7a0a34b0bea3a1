// Two threads meet at one word after the other, at the same time as nearly as processors allow: however their updates
// of the shadow interleave, one of them sees the other. Each word must be reported.
// EXPECT none
// OPTIONS exitcode=0:suppress_equal_stacks=0:suppress_equal_addresses=0:log_path=@TMP@/stress
// HAS every race was seen
// LEVELS 1 2 3
#include <cstdio>

#include "order.h"

namespace {
constexpr int kWords = 600;
alignas(64) uint64_t words[kWords];
bool reported[kWords];
int arrived[2];

// Both threads pass at the same moment, and nothing is ordered by it.
void meet(int me, int round) {
  __atomic_store_n(&arrived[me], round, __ATOMIC_RELAXED);
  for (int looks = 0; __atomic_load_n(&arrived[1 - me], __ATOMIC_RELAXED) < round; ++looks)
    if (looks > 1000) sched_yield();
}

void access(int how, uint64_t* word) {
  const auto bytes = reinterpret_cast<volatile uint8_t*>(word);
  const auto halves = reinterpret_cast<volatile uint32_t*>(word);
  const auto whole = static_cast<volatile uint64_t*>(word);
  switch (how) {
    case 0:
      USE(*whole);
      break;
    case 1:
      *whole = 1;
      break;
    case 2:
      USE(halves[1]);
      break;
    case 3:
      halves[1] = 1;
      break;
    case 4:
      USE(bytes[5]);
      break;
    default:
      bytes[5] = 1;
  }
}

// All pairs of ways of which one writes, in turn.
void body(int me) {
  for (int i = 0; i < kWords; ++i) {
    const int write = 1 + i / 6 % 3 * 2, other = i % 6;
    meet(me, i + 1);
    access((i / 18 + me) % 2 == 0 ? write : other, &words[i]);
  }
}
void first() { body(0); }
void second() { body(1); }
}  // namespace

extern "C" int __tsan_get_report_mop(void* report, unsigned long index, int* thread, void** address, int* size,
                                     int* write, int* atomic, void** trace, unsigned long trace_size);
extern "C" void __tsan_on_report(void* report) {
  int number;
  void* address = nullptr;
  void* trace[1];
  if (!__tsan_get_report_mop(report, 0, &number, &address, &number, &number, &number, trace, 1)) return;
  const uintptr_t offset = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(words);
  if (offset < sizeof words) reported[offset / sizeof words[0]] = true;
}

int main() {
  RUN(first, second);
  int missed = 0;
  for (const bool seen : reported) missed += !seen;
  if (missed == 0)
    std::fprintf(stderr, "every race was seen\n");
  else
    std::fprintf(stderr, "%d of %d races were missed\n", missed, kWords);
}
