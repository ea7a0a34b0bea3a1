// A status that says something already stays.
// EXPECT race
// MARKS race.h
// EXIT 3
#include "race.h"
int main(void) {
  race();
  quick_exit(3);
}
