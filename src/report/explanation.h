// Why the two accesses of a race are not ordered, as sentences.
// Promises Inside rules: libdeadheat.so has the same code.
// Tested by test/unit/explanation_test.cpp, test/report/ways (explained)
#pragma once

#include "report/sink.h"

namespace deadheat {

struct Finding;

// A line for each sentence; nothing for what is no race.
void write_explanation(const Finding& finding, Sink& out);

}  // namespace deadheat
