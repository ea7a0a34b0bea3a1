// A descriptor of ours in the program's table: it does not get in the way of the program's own, and is never mistaken
// for one of them.
//
// Programs count on getting the lowest free numbers (a program that closes 0 to 2 and opens three files, say), so ours
// are high. A program may also close all descriptors and then get our number for a file of its own. So each use first
// checks whether the number still leads to what we opened.
// Tested by test/programs/fd_all_closed_race.c
#pragma once

#include <cstdint>

namespace deadheat::live {

class OwnFile {
 public:
  void take(int fd);  // becomes ours, under another number
  void leave();
  int fd() const;  // -1 if there is none, or none any more

 private:
  int fd_ = -1;
  uint64_t device_ = 0, inode_ = 0;
};

// The descriptor under a high number, closed on exec; under the one it has if there is none.
int out_of_the_way(int fd);

}  // namespace deadheat::live
