// The simplest race there is, for programs that are about something else. Their heads say `// MARKS race.h`.
#ifndef DEADHEAT_TEST_RACE_H
#define DEADHEAT_TEST_RACE_H

#include "order.h"

int x;
static void first(void) {
  x = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;  // race
}
static inline void race(void) { RUN(first, second); }

#endif
