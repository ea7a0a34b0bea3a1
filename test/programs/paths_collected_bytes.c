// The bytes of words are written from different places, in ever new combinations, whose ids are used again: every byte
// is shown with the place where it was written last.
// EXPECT none
// OPTIONS exitcode=0:suppress_equal_stacks=0:suppress_equal_addresses=0:path_nodes=200:log_path=@TMP@/bytes
// HAS 400 bytes were right
#include <stdio.h>

#include "order.h"
enum { kPlaces = 16,
       kWords = 50,
       kRounds = 60000 };
typedef void (*Write)(volatile unsigned char*);
#define PLACE(k) \
  static __attribute__((noinline)) void write_##k(volatile unsigned char* byte) { *byte = k; }
PLACE(0)
PLACE(1)
PLACE(2)
PLACE(3)
PLACE(4)
PLACE(5)
PLACE(6)
PLACE(7)
PLACE(8)
PLACE(9)
PLACE(10)
PLACE(11)
PLACE(12)
PLACE(13)
PLACE(14)
PLACE(15)
static const Write places[kPlaces] = {write_0, write_1, write_2, write_3, write_4, write_5, write_6, write_7,
                                      write_8, write_9, write_10, write_11, write_12, write_13, write_14, write_15};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned char kept[kWords][4] __attribute__((aligned(4))), changing[kWords][4] __attribute__((aligned(4)));
static int right;
static volatile Write expected;

int __tsan_get_report_mop(void* report, unsigned long index, int* tid, void** address, int* size, int* write,
                          int* atomic, void** trace, unsigned long capacity);
void __tsan_on_report(void* report) {
  int tid, size, write, atomic;
  void *address, *trace[4] = {NULL};
  __tsan_get_report_mop(report, 1, &tid, &address, &size, &write, &atomic, trace, 4);
  // The function that begins last before the place.
  Write function = NULL;
  for (int k = 0; k < kPlaces; ++k)
    if ((uintptr_t)places[k] <= (uintptr_t)trace[0] && (uintptr_t)places[k] > (uintptr_t)function) function = places[k];
  right += function == expected;
}

static Write place_of(int n, int byte) { return places[(n >> 4 * byte) % kPlaces]; }
static void write_word(unsigned char* word, int n) {
  for (int byte = 0; byte < 4; ++byte) place_of(n, byte)(word + byte);
  pthread_mutex_lock(&mutex);  // the next one is another epoch
  pthread_mutex_unlock(&mutex);
}
static void writer(void) {
  for (int i = 0; i < kWords; ++i) write_word(kept[i], i * 1237);
  for (int n = 0; n < kRounds; ++n) write_word(changing[n % kWords], n);
  reach(1);
}
static void look_at(unsigned char* word, int n) {
  for (int byte = 0; byte < 4; ++byte) {
    expected = place_of(n, byte);
    USE(word[byte]);
  }
}
static void reader(void) {
  await(1);
  for (int i = 0; i < kWords; ++i) look_at(kept[i], i * 1237);
  for (int n = kRounds - kWords; n < kRounds; ++n) look_at(changing[n % kWords], n);
}
int main(void) {
  RUN(writer, reader);
  fprintf(stderr, "%d bytes were right\n", right);
}
