// Ten threads, more than there are classes of read cells: each writes its own byte of shared words, all read others,
// and some words change hands under a lock. Nothing races, however the updates of the shadow interleave.
// EXPECT none
// LEVELS 1 2 3
#include "order.h"

namespace {
constexpr int kRows = 64, kRounds = 150;
// A row: three words of bytes with an owner each, one word that is only read, two that the lock guards.
struct Row {
  volatile uint8_t own[12];
  volatile uint32_t read_only;
  volatile uint32_t guarded[2];
};
Row rows[kRows];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int next_number;

void body() {
  const int me = __atomic_fetch_add(&next_number, 1, __ATOMIC_RELAXED);
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kRows; ++i) {
      Row& row = rows[(i * 7 + me * 13) % kRows];
      USE(row.own[me]);
      row.own[me] = static_cast<uint8_t>(round);
      USE(row.read_only);
      if (i % 8 != me % 8) continue;
      MUST(pthread_mutex_lock(&mutex) == 0);
      row.guarded[0] = row.guarded[1] + 1;
      const auto bytes = reinterpret_cast<volatile uint8_t*>(&row.guarded[1]);
      bytes[round % 4] = static_cast<uint8_t>(me);
      MUST(pthread_mutex_unlock(&mutex) == 0);
    }
  }
}
}  // namespace

int main() { RUN(body, body, body, body, body, body, body, body, body, body); }
