// More sets of locks than there are short ids for: of 160,000 sets every one that is looked at is shown as it was.
// EXPECT none
// OPTIONS exitcode=0:suppress_equal_stacks=0:suppress_equal_addresses=0:detect_deadlocks=0:log_path=@TMP@/sets
// HAS 400 sets were right
#include <stdio.h>

#include "order.h"
enum { kLocks = 400 };
static pthread_mutex_t outer[kLocks], inner[kLocks];
static int x[kLocks][kLocks];
static volatile int row, column;
static int right;

int __tsan_get_report_mutex(void* report, unsigned long index, uint64_t* id, void** address, int* destroyed,
                            void** trace, unsigned long capacity);
void __tsan_on_report(void* report) {
  uint64_t id;
  void *first = NULL, *second = NULL, *third = NULL;
  int destroyed;
  __tsan_get_report_mutex(report, 0, &id, &first, &destroyed, NULL, 0);
  __tsan_get_report_mutex(report, 1, &id, &second, &destroyed, NULL, 0);
  __tsan_get_report_mutex(report, 2, &id, &third, &destroyed, NULL, 0);
  right += first == &outer[row] && second == &inner[column] && third == NULL;
}

static void writer(void) {
  for (int i = 0; i < kLocks; ++i) {
    pthread_mutex_lock(&outer[i]);
    for (int j = 0; j < kLocks; ++j) {
      pthread_mutex_lock(&inner[j]);
      x[i][j] = 1;
      pthread_mutex_unlock(&inner[j]);
    }
    pthread_mutex_unlock(&outer[i]);
  }
  reach(1);
}
static void reader(void) {
  await(1);
  for (int i = 0; i < kLocks; ++i) {
    row = i;
    column = i * 7 % kLocks;
    USE(x[row][column]);
  }
}
int main(void) {
  for (int i = 0; i < kLocks; ++i) {
    pthread_mutex_init(&outer[i], NULL);
    pthread_mutex_init(&inner[i], NULL);
  }
  RUN(writer, reader);
  fprintf(stderr, "%d sets were right\n", right);
}
