#include "live/ground/locks.h"

#include <cstddef>

#include "live/ground/message.h"
#include "live/ground/tls.h"

#ifndef NDEBUG

namespace deadheat::live {
namespace {

struct Row {
  const char* name;
  Runs runs;
};
constexpr Row kRows[] = {
#define DEADHEAT_ROW(row, may_run, guards) {#row, Runs::may_run},
    DEADHEAT_LOCKS(DEADHEAT_ROW)
#undef DEADHEAT_ROW
};
constexpr size_t kRowCount = sizeof kRows / sizeof kRows[0];

// Of the thread.
struct Held {
  uint16_t count[kRowCount];  // of each row
  uint8_t taking_all;         // the row that is taken as a whole, plus 1
};
__thread Held held __attribute__((tls_model("initial-exec")));

constexpr uint16_t kMostOfRow = 1u << 15;  // the sync chains are the longest array

}  // namespace

void lock_taking(Lock row) {
  const size_t index = static_cast<size_t>(row);
  if (tls.busy == 0) die("the lock %s is taken outside of the run time", kRows[index].name);
  for (size_t later = index + 1; later < kRowCount; ++later)
    if (held.count[later] != 0)
      die("the lock %s is taken under %s, which comes after it in the table", kRows[index].name, kRows[later].name);
  if (held.count[index] != 0 && held.taking_all != index + 1) die("two locks %s are taken at once", kRows[index].name);
  if (held.count[index]++ == kMostOfRow) die("more locks %s than there are", kRows[index].name);
}

void lock_left(Lock row) {
  const size_t index = static_cast<size_t>(row);
  if (held.count[index]-- == 0) die("the lock %s is left and was not taken", kRows[index].name);
}

void calling_out(Runs what) {
  for (size_t i = 0; i < kRowCount; ++i)
    if (held.count[i] != 0 && kRows[i].runs < what)
      die("a call out of the run time while the lock %s is held", kRows[i].name);
}

TakingAll::TakingAll(Lock row) { held.taking_all = static_cast<uint8_t>(static_cast<size_t>(row) + 1); }
TakingAll::~TakingAll() { held.taking_all = 0; }

}  // namespace deadheat::live

#endif
