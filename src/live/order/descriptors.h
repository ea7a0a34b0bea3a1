// The file descriptor that an address stands for, for reports.
//
// Deadheat keeps bytes of its own for each descriptor: using it reads them, closing it writes them. The answer to
// live/api.h has them (live/descriptors.cpp), above the rooms that ask.
#pragma once

#include <cstdint>

#include "live/ground/ids.h"

namespace deadheat::live {

struct DescriptorInfo {
  int fd;
  ThreadUid thread;
  NodeId opened_at;
  bool closed;
};
bool descriptor_of(uintptr_t address, DescriptorInfo& info);

}  // namespace deadheat::live
