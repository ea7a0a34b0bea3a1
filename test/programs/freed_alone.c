// A program with one thread uses memory after its free: reads and writes of words, bytes and ranges.
// EXPECT race
// HAS Write of size 8 at 0x[0-9a-f]+ by main thread:
// HAS Previous write of size 8 at 0x[0-9a-f]+ by main thread:
// HASNOT race with free
// FLAGS -fno-builtin
#include <string.h>

#include "order.h"
static long* volatile a, * volatile b;
static char* volatile c, * volatile d, * volatile e;
int main(void) {
  a = malloc(40);
  b = malloc(60);
  c = malloc(80);
  d = malloc(100);
  e = malloc(120);
  char to[100];
  free(a);                 // race a
  free(b);                 // race b
  free(c);                 // race c
  free(d);                 // race d
  free(e);                 // race e
  a[2] = 1;                // race a
  USE(b[3]);               // race b
  USE(c[19]);              // race c
  d[33] = 1;               // race d
  memcpy(to, e + 20, 99);  // race e
  USE(to);
}
