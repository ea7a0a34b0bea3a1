// What a report shows: the records of any number of runs, merged, grouped and ranked. Every format is a pure function of
// this (report/formats.h).
//
// Group    One bug. Its records come from different runs, threads, callers and objects; how they are put together is
//          in merge.h. A group is shown by its examples, of which the first stands for it.
// Tracking A fingerprint names a bug over rebuilds (fingerprint.h). A group may have several; it is the same bug as an
//          old one if they share one.
// Views    Texts of findings and runs live in `store`. Text that is not known is empty. All names come from the
//          watched program or from files: they may have any bytes, and every writer must escape them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "race/findings.h"
#include "race/run_facts.h"

namespace deadheat {

struct ReportRun {
  RunFacts facts;        // only `id` and `process` if the line that begins a run is missing
  bool ended = false;    // else it was killed, is still running, or its last line is missing
  RunEnd end;            // if it ended
  uint64_t records = 0;  // that were read
};

struct Example {
  Finding finding;       // with both accesses, stacks, threads, locks, memory, and the explanation where known
  size_t run = 0;        // index into ReportModel::runs of the first record like this one
  uint64_t records = 0;  // with these stacks
};

// Why a group stands where it does: a sentence, and what it adds to or takes from the rank.
struct RankReason {
  int points = 0;
  std::string why;
};

// What a database of runs knows of a group (cli: --database). Zero and empty where there is no database.
struct GroupHistory {
  uint64_t first_seen = 0, last_seen = 0;  // start times of runs, seconds since 1970
  std::string first_run, first_label;      // of the run where it was seen first
  std::string last_run, last_label;
  uint64_t runs_seen = 0, runs_since = 0;  // runs with it, and all runs of the same program since it was first seen
  // new: first seen by the runs of this report; flaky: some runs since have it and others do not; gone: the last runs
  // do not have it; "" without a database
  std::string state;
};

struct Group {
  std::string fingerprint;                // 16 hex digits; the smallest of:
  std::vector<std::string> fingerprints;  // ascending
  FindingKind kind = FindingKind::kRace;  // of the first example
  std::string title;                      // one line: "write-write race on 'total'"
  std::string pair;                       // "write-write", "write-read", "free-read", ...; empty for other kinds
  int rank = 0;                           // higher is more serious or more likely real; the sum of:
  std::vector<RankReason> reasons;
  std::vector<Example> examples;    // the best first; never empty
  uint64_t records = 0;             // how many records the group stands for
  uint64_t races = 0;               // the same, counting what was folded before it was recorded
  uint64_t objects = 0;             // how many different addresses raced
  uint64_t variants = 0;            // how many different pairs of stacks
  std::map<size_t, uint64_t> runs;  // index of the run -> records
  // Pairs of places ("file:line" or "module+0xoffset"), each with its count, most frequent first; at most 20.
  std::vector<std::pair<std::string, uint64_t>> places;
  std::string foreign_module;             // a module without instrumentation that a stack runs through; or empty
  std::vector<std::string> suppressions;  // lines that would hide the group, the narrowest first
  bool known = false;                     // it is in the baseline
  GroupHistory history;

  const Finding& finding() const { return examples.front().finding; }
};

struct ReportModel {
  std::vector<ReportRun> runs;  // by start time, then by id
  std::vector<Group> groups;    // best rank first; equal ranks by fingerprint
  uint64_t records = 0;         // that were read and not suppressed
  uint64_t suppressed = 0;      // hidden by suppressions of the report
  uint64_t hidden_known = 0;    // groups that are not among `groups`, because they are in the baseline
  bool has_baseline = false;
  bool has_database = false;
  std::vector<Group> gone;                       // with a database: groups that the last runs do not have
  std::vector<std::string> notes;                // what is missing or was left out, a sentence each
  std::vector<std::string> unused_suppressions;  // lines that hid nothing
  std::string command;                           // that made this report, for people who want to repeat it
  std::shared_ptr<FindingStore> store = std::make_shared<FindingStore>();
  std::vector<std::shared_ptr<FindingStore>> further_stores;  // of groups that came from elsewhere
};

}  // namespace deadheat
