// Whatever can name a set of locks keeps its id from being used for another: a write, a read, an earlier write of other
// bytes, an earlier read, a record, the summary of an array.
// EXPECT none
// OPTIONS exitcode=0:suppress_equal_stacks=0:suppress_equal_addresses=0
// OPTIONS detect_deadlocks=0:path_nodes=100:log_path=@TMP@/names
// HAS right: 20 writes, 20 reads, 20 earlier writes, 20 earlier reads, 20 records, 20 summaries
#include <stdio.h>

#include "order.h"
enum { kLocks = 120,
       kKept = 20,
       kKinds = 6 };
static pthread_mutex_t outer[kLocks], inner[kLocks];
static volatile int written[kKept], read_only[kKept], changing;
static volatile unsigned char earlier[kKept][4] __attribute__((aligned(4)));
static volatile unsigned char earlier_read[kKept][4] __attribute__((aligned(4)));
static volatile unsigned char several[kKept][4] __attribute__((aligned(4)));
static volatile int arrays[kKept][256] __attribute__((aligned(1024)));
static volatile int row, kind;
static int right[kKinds];

int __tsan_get_report_mutex(void* report, unsigned long index, uint64_t* id, void** address, int* destroyed,
                            void** trace, unsigned long capacity);
void __tsan_on_report(void* report) {
  uint64_t id;
  void *first = NULL, *second = NULL, *third = NULL;
  int destroyed;
  __tsan_get_report_mutex(report, 0, &id, &first, &destroyed, NULL, 0);
  __tsan_get_report_mutex(report, 1, &id, &second, &destroyed, NULL, 0);
  __tsan_get_report_mutex(report, 2, &id, &third, &destroyed, NULL, 0);
  right[kind] += first == &outer[row] && second == &inner[kind] && third == NULL;
}

static void lock(int i, int j) {
  pthread_mutex_lock(&outer[i]);
  pthread_mutex_lock(&inner[j]);
}
static void unlock(int i, int j) {
  pthread_mutex_unlock(&inner[j]);
  pthread_mutex_unlock(&outer[i]);
}
static void keep(int i) {
  lock(i, 0);
  written[i] = 1;
  unlock(i, 0);
  lock(i, 1);
  USE(read_only[i]);
  unlock(i, 1);
  lock(i, 2);
  earlier[i][0] = 1;
  unlock(i, 2);
  lock(i, 3);
  several[i][0] = 1;
  unlock(i, 3);
  lock(i, 4);
  for (int k = 0; k < 256; ++k) arrays[i][k] = 1;
  unlock(i, 4);
  lock(i, 5);
  USE(earlier_read[i][0]);
  unlock(i, 5);
  USE(earlier_read[i][1]);
  earlier[i][1] = several[i][1] = 1;
  pthread_mutex_lock(&outer[i]);
  pthread_mutex_unlock(&outer[i]);
  several[i][2] = 1;
}
static void writer(void) {
  for (int i = 0; i < kKept; ++i) keep(i);
  for (int i = 0; i < kLocks; ++i)
    for (int j = 0; j < kLocks; ++j) {
      lock(i, j);
      changing = 1;
      unlock(i, j);
    }
  reach(1);
}
static void reader(void) {
  await(1);
  for (row = 0; row < kKept; ++row) {
    kind = 0;
    USE(written[row]);
    kind = 1;
    read_only[row] = 1;
    kind = 2;
    USE(earlier[row][0]);
    kind = 3;
    USE(several[row][0]);
    kind = 4;
    USE(arrays[row][200]);
    kind = 5;
    earlier_read[row][0] = 1;
  }
}
int main(void) {
  for (int i = 0; i < kLocks; ++i) {
    pthread_mutex_init(&outer[i], NULL);
    pthread_mutex_init(&inner[i], NULL);
  }
  RUN(writer, reader);
  fprintf(stderr, "right: %d writes, %d reads, %d earlier writes, %d earlier reads, %d records, %d summaries\n",
          right[0], right[1], right[2], right[5], right[3], right[4]);
}
