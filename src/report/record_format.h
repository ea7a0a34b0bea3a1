// The race record: what was found in a run, as lines of a file that can be appended to.
//
// Idea     A watched program appends one line when it starts, one for each report and one when it ends, each by one
//          system call, so that a program that is killed leaves whole lines. Many processes may share a file. Every
//          line is a JSON object and makes sense without the lines before it. Everything that reports show is made of
//          such records (record_reader.h, race/merge.h). docs/reports.md and docs/record.schema.json describe the
//          format.
// Frames   A frame has its module by the number in the record's own list, with build id and offset, so that a report
//          can be made elsewhere and later. Names are there if the program looked them up (option symbolize).
// Versions kRecordVersion is in every line. A reader leaves out lines of a version that it does not know and says so;
//          keys that it does not know do no harm.
// Promises Inside rules: libdeadheat.so writes its records with this code. Names may have any bytes.
// Tested by test/unit/record_test.cpp, test/report/ways (record, killed)
#pragma once

#include <string_view>

#include "race/finding.h"
#include "race/run_facts.h"
#include "report/sink.h"

namespace deadheat {

inline constexpr unsigned kRecordVersion = 1;

// Each writes a line, with its end.
void write_run_record(const RunFacts& run, Sink& out);
void write_finding_record(const Finding& finding, std::string_view run, int process, Sink& out);
// The members of such a line that are about the finding, without braces.
void write_finding_members(const Finding& finding, int process, Sink& out);
void write_end_record(std::string_view run, const RunEnd& end, Sink& out);

}  // namespace deadheat
