// Findings of a recorded program told in full: both stacks with lines, threads and where they were created, locks held,
// and the memory: a global by its name, a block with the stack of its allocation.
//
// Functions and lines are looked up here, outside of the program, and only for what is reported. A module that is gone
// or was built anew since the recording (its build id says so) is not asked: its places are shown as module and offset,
// which is less than a line, but not a wrong one.
//
// Which locks an access held and which block it was in no detector knows. If there is anything to report, the trace is
// read a second time, up to the last event of a report.
// Tested by test/record
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "event/trace.h"
#include "race/findings.h"

namespace deadheat::cli {

// Opens the trace anew; null if it cannot be read twice.
using Reopen = std::function<std::unique_ptr<TraceReader>()>;

void tell_in_full(std::span<Findings* const> findings, const RunInfo& run, const Reopen& reopen);

}  // namespace deadheat::cli
