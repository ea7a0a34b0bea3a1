// Sets of locks come and go, and their ids are used again: what words were written under long ago is shown as it was.
// EXPECT none
// OPTIONS exitcode=0:suppress_equal_stacks=0:suppress_equal_addresses=0
// OPTIONS detect_deadlocks=0:path_nodes=100:log_path=@TMP@/sets
// HAS 200 sets were right, 100 of them kept
#include <stdio.h>

#include "order.h"
enum { kLocks = 120,
       kKept = 100 };
static pthread_mutex_t outer[kLocks], inner[kLocks];
static int kept[kKept], changing[kKept], last_row[kKept], last_column[kKept];
static volatile int row, column;
static int right, right_kept;

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

static void write_under(int i, int j, int* at) {
  pthread_mutex_lock(&outer[i]);
  pthread_mutex_lock(&inner[j]);
  *at = 1;
  pthread_mutex_unlock(&inner[j]);
  pthread_mutex_unlock(&outer[i]);
}
static void writer(void) {
  for (int i = 0; i < kKept; ++i) write_under(i, kLocks - 1 - i, &kept[i]);
  for (int i = 0, n = 0; i < kLocks; ++i)
    for (int j = 0; j < kLocks; ++j, ++n) {
      write_under(i, j, &changing[n % kKept]);
      last_row[n % kKept] = i;
      last_column[n % kKept] = j;
    }
  reach(1);
}
static void reader(void) {
  await(1);
  for (int i = 0; i < kKept; ++i) {
    row = i;
    column = kLocks - 1 - i;
    USE(kept[i]);
  }
  right_kept = right;
  for (int i = 0; i < kKept; ++i) {
    // What the writer noted races, too, but under no locks.
    __asm__ volatile("movl %1, %%eax; movl %%eax, %0" : "=m"(row) : "m"(last_row[i]) : "eax");
    __asm__ volatile("movl %1, %%eax; movl %%eax, %0" : "=m"(column) : "m"(last_column[i]) : "eax");
    USE(changing[i]);
  }
}
int main(void) {
  for (int i = 0; i < kLocks; ++i) {
    pthread_mutex_init(&outer[i], NULL);
    pthread_mutex_init(&inner[i], NULL);
  }
  RUN(writer, reader);
  fprintf(stderr, "%d sets were right, %d of them kept\n", right, right_kept);
}
