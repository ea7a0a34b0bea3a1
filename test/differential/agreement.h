// Whether the engine's precise detectors say what the oracle says.
//
// For every precise detector of the registry, with one job, with several, and with `all`: the same racy places, the
// same first racing access, and an earlier side that really races with it, told with its own thread, operation and
// location. What a detector promises less is stated in one table, in agreement.cpp.
#pragma once

#include <functional>
#include <string>

#include "detect/detector.h"
#include "support/test_trace.h"

namespace deadheat::test {

// What the engine is asked beyond the races themselves.
struct Questions {
  bool coarse = false;           // objects instead of variables; no bytes then
  bool all = true;               // --all lists at least as much, and only races
  bool jobs = false;             // several workers find and count the same; starting them costs more than a short trace
  size_t batch = 4096;           // events that the engine is handed at a time
  std::string_view filter = {};  // in front of the detectors
  DetectorOptions options = {};  // of detectors and filter
};

// What is wrong, one line for each thing; empty if all agree. Also wrong: a well-formed trace that is turned away.
std::string disagreement(const TestTrace& trace, const Questions& questions);

// As few events of `trace` as still fail: events are dropped while the rest is well-formed and `fails`.
TestTrace shrink(TestTrace trace, const std::function<bool(const TestTrace&)>& fails);

// The whole check for a test: nothing if all agree; else a message with the shrunk trace in text form, what is wrong
// with it, and the command that repeats it.
std::string check(const TestTrace& trace, const Questions& questions, const std::string& repeat);

}  // namespace deadheat::test
