// The race record of this process (option record_path): a line when it starts, one for each report, one when it ends
// (report/record_format.h).
//
// Every line is written by one system call to a file opened for appending, so that processes may share the file and a
// program that is killed leaves whole lines. The child of a fork is a run of its own; its line comes with its first
// report.
// Tested by test/report/ways (record, killed), test/programs/report_long.c
#pragma once

#include "live/ground/message.h"
#include "race/finding.h"

namespace deadheat::live {

void record_start();
bool is_recorded();  // whether there is a file
// The line of a finding; `text` stays empty without a file. The caller writes it, one at a time.
void describe_for_record(const Finding& finding, Text& text);
void write_record(const Text& text);
void record_end(uint64_t reports, uint64_t suppressed, uint64_t repeated);
void record_after_fork();

}  // namespace deadheat::live
