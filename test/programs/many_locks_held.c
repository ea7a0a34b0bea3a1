// Eighty locks at a time.
// EXPECT none
// HASNOT WARNING
#include "order.h"
int x;
static pthread_mutex_t mutexes[80];
static void body(void) {
  for (int i = 0; i < 80; ++i) pthread_mutex_lock(&mutexes[i]);
  x++;
  for (int i = 79; i >= 0; --i) pthread_mutex_unlock(&mutexes[i]);
}
int main(void) {
  for (int i = 0; i < 80; ++i) pthread_mutex_init(&mutexes[i], NULL);
  RUN(body, body);
}
