#include "cli/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <map>
#include <set>
#include <vector>

#include "cli/commands.h"
#include "race/merge.h"
#include "report/record_reader.h"

namespace deadheat::cli {

namespace {

constexpr int kApplication = 0x44484432;  // "DHD2": says whose file it is
constexpr int kSchemaVersion = 1;
constexpr int kPatienceMs = 20'000;  // for other processes that write

constexpr const char* kSchema = R"(
  CREATE TABLE runs(id TEXT PRIMARY KEY, started INTEGER, program TEXT, host TEXT, label TEXT, build TEXT,
                    version TEXT, detector TEXT, pid INTEGER, ended INTEGER, records INTEGER) WITHOUT ROWID;
  CREATE TABLE groups(number INTEGER PRIMARY KEY, title TEXT, rank INTEGER, example TEXT);
  CREATE TABLE names(fingerprint TEXT PRIMARY KEY, number INTEGER) WITHOUT ROWID;
  CREATE TABLE seen(number INTEGER, run TEXT, records INTEGER, PRIMARY KEY(number, run)) WITHOUT ROWID;
  CREATE INDEX seen_by_run ON seen(run);
)";

std::string record_of(const Example& example, const ReportModel& model) {
  std::string text;
  Sink sink([](void* to, std::string_view part) { *static_cast<std::string*>(to) += part; }, &text);
  const RunFacts* const run = example.run < model.runs.size() ? &model.runs[example.run].facts : nullptr;
  write_finding_record(example.finding, run == nullptr ? "?" : run->id, run == nullptr ? 0 : run->process, sink);
  return text;
}

// The build id of the program, as far as frames show it.
std::map<size_t, std::string> builds_of(const ReportModel& model) {
  std::map<size_t, std::string> builds;
  for (const Group& group : model.groups)
    for (const Example& example : group.examples)
      for (const Side& side : example.finding.sides)
        for (const StackFrame& frame : side.stack)
          if (example.run < model.runs.size() && !frame.build_id.empty() &&
              frame.module == model.runs[example.run].facts.program)
            builds.try_emplace(example.run, frame.build_id);
  return builds;
}

}  // namespace

class Database::Statement {
 public:
  Statement(Database& database, const char* sql) : database_(database) {
    if (sqlite3_prepare_v2(database.database_, sql, -1, &statement_, nullptr) != SQLITE_OK) database.fail();
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& with(std::string_view text) {
    sqlite3_bind_text(statement_, ++bound_, text.data() == nullptr ? "" : text.data(), static_cast<int>(text.size()),
                      SQLITE_TRANSIENT);
    return *this;
  }
  Statement& with(int64_t number) {
    sqlite3_bind_int64(statement_, ++bound_, number);
    return *this;
  }
  // True for a row.
  bool step() {
    const int result = sqlite3_step(statement_);
    if (result != SQLITE_ROW && result != SQLITE_DONE) database_.fail();
    return result == SQLITE_ROW;
  }
  void run() {
    while (step()) {
    }
  }
  void again() {
    sqlite3_reset(statement_);
    bound_ = 0;
  }
  int64_t number(int column) { return sqlite3_column_int64(statement_, column); }
  std::string text(int column) {
    const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return text == nullptr ? "" : std::string(text, static_cast<size_t>(sqlite3_column_bytes(statement_, column)));
  }

 private:
  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

void Database::fail() const {
  const int code = database_ == nullptr ? SQLITE_NOMEM : sqlite3_errcode(database_);
  if (code == SQLITE_NOTADB) throw UsageError(fmt::format("{}: is no database", path_));
  throw UsageError(fmt::format("{}: {}", path_, database_ == nullptr ? "cannot be opened" : sqlite3_errmsg(database_)));
}

void Database::execute(const char* sql) {
  if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

Database::Database(const std::string& path) : path_(path) {
  try {
    if (sqlite3_open(path.c_str(), &database_) != SQLITE_OK) fail();
    sqlite3_busy_timeout(database_, kPatienceMs);
    execute("BEGIN IMMEDIATE");
    const auto pragma = [this](const char* sql) {
      Statement question(*this, sql);
      return question.step() ? question.number(0) : 0;
    };
    const int64_t application = pragma("PRAGMA application_id"), version = pragma("PRAGMA user_version");
    if (application == 0 && version == 0 && pragma("SELECT count(*) FROM sqlite_master") == 0) {
      execute(kSchema);
      execute(fmt::format("PRAGMA application_id={}", kApplication).c_str());
      execute(fmt::format("PRAGMA user_version={}", kSchemaVersion).c_str());
    } else if (application != kApplication) {
      throw UsageError(fmt::format("{}: is a database, but not one of deadheat", path));
    } else if (version != kSchemaVersion) {
      throw UsageError(
          fmt::format("{}: is of version {}, and only version {} is understood", path, version, kSchemaVersion));
    }
    execute("COMMIT");
  } catch (...) {
    sqlite3_close(database_);
    throw;
  }
}

Database::~Database() { sqlite3_close(database_); }

int64_t Database::group_number(const Group& group, bool make) {
  std::set<int64_t> known;
  Statement find(*this, "SELECT number FROM names WHERE fingerprint=?");
  for (const std::string& fingerprint : group.fingerprints) {
    if (find.with(fingerprint).step()) known.insert(find.number(0));
    find.again();
  }
  if (known.empty() && !make) return 0;
  if (!make) return *known.begin();
  int64_t number = 0;
  if (known.empty()) {
    Statement insert(*this, "INSERT INTO groups(title, rank, example) VALUES('', 0, '')");
    insert.run();
    number = sqlite3_last_insert_rowid(database_);
  } else {
    number = *known.begin();
    for (const int64_t other : known) {
      if (other == number) continue;
      Statement(*this,
                "INSERT OR REPLACE INTO seen SELECT ?, run, sum(records) FROM seen WHERE number IN (?, ?) GROUP BY run")
          .with(number)
          .with(number)
          .with(other)
          .run();
      Statement(*this, "DELETE FROM seen WHERE number=?").with(other).run();
      Statement(*this, "UPDATE names SET number=? WHERE number=?").with(number).with(other).run();
      Statement(*this, "DELETE FROM groups WHERE number=?").with(other).run();
    }
  }
  Statement name(*this, "INSERT OR REPLACE INTO names VALUES(?, ?)");
  for (const std::string& fingerprint : group.fingerprints) {
    name.with(fingerprint).with(number).run();
    name.again();
  }
  return number;
}

void Database::add(const ReportModel& model, const std::string& label) {
  execute("BEGIN IMMEDIATE");
  const std::map<size_t, std::string> builds = builds_of(model);
  // A run that was added while it went on has more to tell now; a label that it has stays.
  Statement run(*this,
                "INSERT INTO runs VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(id) DO UPDATE SET "
                "label=iif(label='', excluded.label, label), ended=excluded.ended, records=excluded.records");
  for (size_t i = 0; i < model.runs.size(); ++i) {
    const ReportRun& shown = model.runs[i];
    const auto build = builds.find(i);
    run.with(shown.facts.id)
        .with(static_cast<int64_t>(shown.facts.started))
        .with(shown.facts.program)
        .with(shown.facts.host)
        .with(shown.facts.label.empty() ? std::string_view(label) : shown.facts.label)
        .with(build == builds.end() ? std::string_view{} : std::string_view(build->second))
        .with(shown.facts.version)
        .with(shown.facts.detector)
        .with(int64_t{shown.facts.process})
        .with(int64_t{shown.ended})
        .with(static_cast<int64_t>(shown.records))
        .run();
    run.again();
  }
  Statement update(*this, "UPDATE groups SET title=?, rank=?, example=? WHERE number=?");
  Statement seen(*this, "INSERT OR REPLACE INTO seen VALUES(?, ?, ?)");
  for (const Group& group : model.groups) {
    const int64_t number = group_number(group, true);
    update.with(group.title)
        .with(int64_t{group.rank})
        .with(record_of(group.examples.front(), model))
        .with(number)
        .run();
    update.again();
    for (const auto& [index, records] : group.runs) {
      seen.with(number).with(model.runs[index].facts.id).with(static_cast<int64_t>(records)).run();
      seen.again();
    }
  }
  execute("COMMIT");
}

namespace {

// Puts the examples of the database together again.
struct Refill : RecordReader::Handler {
  explicit Refill(Merge& to) : merge(to) {}
  void run(const RunFacts&) override {}
  void end(std::string_view, const RunEnd&) override {}
  void finding(const Finding& finding, std::string_view run, int process) override { merge.add(finding, run, process); }
  Merge& merge;
};

}  // namespace

ReportModel Database::all(const std::set<std::string>* known) {
  auto store = std::make_shared<FindingStore>();
  Merge merge(store);
  Refill refill(merge);
  Statement runs(*this, "SELECT id, started, program, host, label, version, detector, pid, ended FROM runs");
  while (runs.step()) {
    RunFacts facts{.id = store->text(runs.text(0)),
                   .version = store->text(runs.text(5)),
                   .process = static_cast<int>(runs.number(7)),
                   .started = static_cast<uint64_t>(runs.number(1)),
                   .host = store->text(runs.text(3)),
                   .program = store->text(runs.text(2)),
                   .label = store->text(runs.text(4)),
                   .detector = store->text(runs.text(6))};
    merge.add_run(facts);
    if (runs.number(8) != 0) merge.end_run(facts.id, {});
  }
  RecordReader reader(*store, {});
  RecordLosses losses;
  Statement examples(*this, "SELECT example FROM groups");
  while (examples.step()) {
    std::string line = examples.text(0);
    if (line.ends_with('\n')) line.pop_back();
    reader.line(line, refill, losses);
  }
  ReportModel model = merge.finish(known);
  model.records = 0;
  std::map<std::string_view, size_t> run_index;
  for (size_t i = 0; i < model.runs.size(); ++i) {
    model.runs[i].records = 0;
    run_index[model.runs[i].facts.id] = i;
  }
  // What the examples stand for.
  for (Group& group : model.groups) {
    const int64_t number = group_number(group, false);
    group.records = 0;
    group.runs.clear();
    Statement seen(*this, "SELECT run, records FROM seen WHERE number=?");
    seen.with(number);
    while (seen.step()) {
      const auto found = run_index.find(seen.text(0));
      if (found == run_index.end()) continue;
      const auto records = static_cast<uint64_t>(seen.number(1));
      group.runs[found->second] += records;
      group.records += records;
      model.runs[found->second].records += records;
      model.records += records;
    }
    group.races = std::max(group.races, group.records);
  }
  return model;
}

void Database::tell_history(ReportModel& model, bool is_all) {
  model.has_database = true;
  struct Run {
    std::string id, program, label;
    int64_t started = 0;
    bool current = false;
  };
  std::vector<Run> runs;
  std::map<std::string, size_t> index;
  Statement all_runs(*this, "SELECT id, program, label, started FROM runs ORDER BY started, id");
  while (all_runs.step()) {
    index[all_runs.text(0)] = runs.size();
    runs.push_back({all_runs.text(0), all_runs.text(1), all_runs.text(2), all_runs.number(3)});
  }
  bool any_current = false;
  if (!is_all) {
    for (const ReportRun& run : model.runs)
      if (const auto found = index.find(std::string(run.facts.id)); found != index.end())
        runs[found->second].current = any_current = true;
  }
  if (!any_current) {  // the last run of each program
    std::map<std::string, size_t> last;
    for (size_t i = 0; i < runs.size(); ++i) last[runs[i].program] = i;
    for (const auto& [program, i] : last) runs[i].current = true;
  }
  const auto history_of = [&](int64_t number) {
    GroupHistory history;
    std::set<size_t> seen_in;
    Statement seen(*this, "SELECT run FROM seen WHERE number=?");
    seen.with(number);
    while (seen.step())
      if (const auto found = index.find(seen.text(0)); found != index.end()) seen_in.insert(found->second);
    if (seen_in.empty()) return history;
    std::set<std::string> programs;
    for (const size_t i : seen_in) programs.insert(runs[i].program);
    const Run &first = runs[*seen_in.begin()], &last = runs[*seen_in.rbegin()];
    history.first_seen = static_cast<uint64_t>(first.started);
    history.first_run = first.id;
    history.first_label = first.label;
    history.last_seen = static_cast<uint64_t>(last.started);
    history.last_run = last.id;
    history.last_label = last.label;
    history.runs_seen = seen_in.size();
    bool in_current = false, before_current = false, current_of_program = false;
    for (size_t i = 0; i < runs.size(); ++i) {
      if (!programs.contains(runs[i].program)) continue;
      if (i >= *seen_in.begin()) ++history.runs_since;
      current_of_program |= runs[i].current;
      if (!seen_in.contains(i)) continue;
      (runs[i].current ? in_current : before_current) = true;
    }
    history.state = !in_current                               ? (current_of_program ? "gone" : "not run")
                    : !before_current                         ? "new"
                    : history.runs_seen != history.runs_since ? "flaky"
                                                              : "steady";
    return history;
  };
  std::set<int64_t> shown;
  std::vector<Group> kept;
  for (Group& group : model.groups) {
    const int64_t number = group_number(group, false);
    shown.insert(number);
    group.history = history_of(number);
    (group.history.state == "gone" ? model.gone : kept).push_back(std::move(group));
  }
  model.groups = std::move(kept);
  if (is_all) return;
  // Groups that only the database knows.
  ReportModel everything = all();
  for (Group& group : everything.groups) {
    const int64_t number = group_number(group, false);
    if (shown.contains(number)) continue;
    group.history = history_of(number);
    if (group.history.state != "gone") continue;
    for (Example& example : group.examples) example.run = model.runs.size();  // of a run that the model does not have
    group.runs.clear();
    model.gone.push_back(std::move(group));
  }
  // Their texts live in another store, which must stay.
  model.further_stores.push_back(everything.store);
}

}  // namespace deadheat::cli
