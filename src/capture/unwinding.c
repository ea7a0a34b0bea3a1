#include "capture/unwinding.h"

struct End {
  void (*function)(void*);
  void* argument;
};

static void run(struct End* end) { end->function(end->argument); }

void deadheat_call_then(void (*function)(void), void (*end)(void*), void* argument) {
  __attribute__((cleanup(run))) struct End at_end = {end, argument};
  function();
}
