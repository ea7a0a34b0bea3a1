// EXPECT none
// OPTIONS coverage=1
// HAS deadheat: suppressed: 1 report by race:quiet_writer
// HAS deadheat: suppression not used: race:other_writer
// HASNOT suppressed: nothing
// HASNOT by race:other_writer
// A report that a suppression hides is still told as hidden, with the rule that hid it.
#include "order.h"

const char* __tsan_default_suppressions(void) { return "race:quiet_writer\nrace:other_writer\n"; }

int data;

static void* quiet_writer(void* unused) {
  data = 1;
  reach(1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, quiet_writer, 0);
  await(1);
  data = 2;
  pthread_join(thread, 0);
  return 0;
}
