// A history of runs in one SQLite file: which group was seen in which run.
//
// Tables   runs      one row for each run: start, program, host, label, build
//          groups    one row for each bug, with its best example as a race record
//          names     fingerprint -> group: groups that turn out to be one are joined
//          seen      group, run, records
// Promises Adding the same records again changes nothing. All changes of one report are made in one transaction: a
//          program that is killed leaves the file as it was. Several processes may use the file at the same time.
// Tested by test/golden/report.transcript
#pragma once

#include <memory>
#include <set>
#include <string>

#include "race/report_model.h"

struct sqlite3;

namespace deadheat::cli {

class Database {
 public:
  // Opens the file or makes it. Throws UsageError for one that is not a database of ours.
  explicit Database(const std::string& path);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Adds the runs and groups of a report. `label` is for runs that have none.
  void add(const ReportModel& model, const std::string& label);
  // All that is kept, as a report; for one without records.
  ReportModel all(const std::set<std::string>* known = nullptr);
  // Fills the history of the model's groups, and `gone`. Groups are judged by the runs of the model; of one that is all
  // that the database has, by the last run of each program.
  void tell_history(ReportModel& model, bool is_all);

 private:
  class Statement;
  void execute(const char* sql);
  int64_t group_number(const Group& group, bool make);
  [[noreturn]] void fail() const;

  std::string path_;
  sqlite3* database_ = nullptr;
};

}  // namespace deadheat::cli
