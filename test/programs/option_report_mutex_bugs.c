// EXPECT none
// OPTIONS report_mutex_bugs=0
#include "order.h"
int main(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_unlock(&mutex);
}
