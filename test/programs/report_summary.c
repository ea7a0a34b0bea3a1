// The lines that other tools look for.
// EXPECT race
// HAS ^==================$
// HAS ^WARNING: ThreadSanitizer: data race \(pid=[0-9]+\)$
// HAS ^  Write of size 4 at 0x[0-9a-f]+ by thread T[0-9]+:$
// HAS ^  Previous write of size 4 at 0x[0-9a-f]+ by thread T[0-9]+:$
// HAS ^SUMMARY: ThreadSanitizer: data race .*report_summary.c:[0-9]+(:[0-9]+)? in second
// HAS ^ThreadSanitizer: reported 1 warnings$
// HAS ^Found by Deadheat [0-9.]+; `deadheat run --format html --output FILE -- PROGRAM` shows more$
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
int main(void) { RUN(first, second); }
