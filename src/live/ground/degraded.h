// What the run time could not keep: counted where it happens, and listed at exit by the option coverage.
//
// These are limits that only a very large program reaches. Detection goes on. Reports stay true, but some may be
// missing.
#pragma once

#include <cstdint>

namespace deadheat::live {

// X(name, what `amount` counts)
#define DEADHEAT_DEGRADATIONS(X)                                                                            \
  X(UnwatchedMemory, "bytes mapped where memory cannot be watched")                                         \
  X(CallPaths, "new call paths cut short: there were 2^29 others")                                          \
  X(Epochs, "synchronisations without an epoch of their own: races with what came after may be missed")     \
  X(LockOrders, "pairs of locks whose order was not kept: deadlocks among them may be missed")              \
  X(Descriptors, "uses of file descriptors above 65535, which were not looked at")                          \
  X(HandlerAccesses, "accesses of signal handlers that came in the midst of the run time and were dropped") \
  X(Reports, "findings that were not told: there was no room to remember more reports")                     \
  X(Races, "races of an access with more than 1024 earlier ones, which were not told")                      \
  X(Modules, "modules beyond the first 512, which count as not instrumented")

enum class Degradation : uint8_t {
#define DEADHEAT_ENUMERATOR(name, what) k##name,
  DEADHEAT_DEGRADATIONS(DEADHEAT_ENUMERATOR)
#undef DEADHEAT_ENUMERATOR
};

// True the first time. Any thread, signal handlers too.
bool note_degraded(Degradation what, uint64_t amount = 1) __attribute__((cold));
void degraded_start();  // the clock that says when

// For `coverage`: a line for each into the log; false if there was none.
bool list_degraded();

}  // namespace deadheat::live
