// The record of a report has the function, the variable and its declaration.
// EXPECT race
// OPTIONS record_path=@TMP@/record
// COMMAND rm -f record; @PROGRAM@; code=$?; grep '"type":"race"' record >&2; exit $code
// HAS "location":\{"kind":"stack",.*,"function":"main"
// HAS ,"variable":"counters\[2\]","file":"[^"]*/stack_record.c","line":20\}\}$
#include "order.h"
static void* first(void* x) {
  await(1);
  *(int*)x = 1;  // race
  reach(2);
  return NULL;
}
static void* second(void* x) {
  await(2);
  *(int*)x = 2;  // race
  return NULL;
}
int main(void) {
  int counters[4];
  pthread_t one, two;
  MUST(pthread_create(&one, NULL, first, &counters[2]) == 0);
  MUST(pthread_create(&two, NULL, second, &counters[2]) == 0);
  reach(1);
  MUST(pthread_join(one, NULL) == 0);
  MUST(pthread_join(two, NULL) == 0);
  USE(counters);
}
