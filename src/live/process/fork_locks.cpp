// All locks at once, for fork: from the first row of the table to the last (ground/locks.h).
#include <cstddef>

#include "live/ground/locks.h"

namespace deadheat::live {
namespace {

struct Row {
  void (*lock)();
  void (*unlock)();
};
constexpr Row kRows[] = {
#define DEADHEAT_ROW(row, may_run, guards) {lock_all<Lock::row>, unlock_all<Lock::row>},
    DEADHEAT_LOCKS(DEADHEAT_ROW)
#undef DEADHEAT_ROW
};

}  // namespace

void lock_all_rows() {
  for (const Row& row : kRows) row.lock();
}
void unlock_all_rows() {
  for (size_t i = sizeof kRows / sizeof kRows[0]; i-- > 0;) kRows[i].unlock();
}

}  // namespace deadheat::live
