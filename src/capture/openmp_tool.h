// The part of OpenMP's tool interface (OMPT, chapter 20 of OpenMP 5.2) that openmp_tool.cpp uses.
#pragma once

#include <cstddef>
#include <cstdint>

namespace deadheat::live::ompt {

// What a tool hangs on a region, a task or itself.
union Data {
  uint64_t value;
  void* pointer;
};

enum class Event : int {
  kParallelBegin = 3,
  kParallelEnd = 4,
  kTaskCreate = 5,
  kTaskSchedule = 6,
  kImplicitTask = 7,
  kSyncRegionWait = 16,
  kDependences = 18,
  kSyncRegion = 23,
  kReduction = 31,
};
enum class Endpoint : int { kBegin = 1, kEnd = 2, kBeginEnd = 3 };
enum class SyncRegion : int { kTaskWait = 5, kTaskGroup = 6, kReduction = 7 };  // all others are barriers
enum class TaskStatus : int { kComplete = 1, kCancel = 3, kDetach, kEarlyFulfill, kLateFulfill, kTaskWaitComplete = 8 };
// All others: of a task that writes the variable.
enum class DependenceType : int { kIn = 1, kMutexInOutSet = 4, kSource, kSink, kInOutSet };
struct Dependence {
  Data variable;
  DependenceType type;
};

using Callback = void (*)();
using SetCallback = int (*)(int event, Callback callback);
using GetTaskMemory = int (*)(void** address, size_t* bytes, int block);
using GetTaskInfo = int (*)(int level, int* flags, Data** task, void** frame, Data** region, int* thread_number);
using Lookup = Callback (*)(const char* name);

struct StartResult {
  int (*initialize)(Lookup lookup, int device, Data* tool);
  void (*finalize)(Data* tool);
  Data tool;
};

}  // namespace deadheat::live::ompt
