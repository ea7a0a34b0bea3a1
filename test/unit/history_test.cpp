// What is known of earlier runs: baselines, and the history of runs in a database.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/baseline.h"
#include "cli/commands.h"
#include "cli/database.h"
#include "race/merge.h"
#include "support/temporary_folder.h"

namespace deadheat::cli {
namespace {

using test::TemporaryFolder;

// A run of a program in which these globals raced, each between the same two functions.
ReportModel run_of(const std::string& id, uint64_t started, const std::vector<std::string>& globals,
                   const std::string& program = "/bin/shop", const std::set<std::string>* known = nullptr) {
  auto store = std::make_shared<FindingStore>();
  Merge merge(store);
  merge.add_run({.id = store->text(id), .started = started, .program = store->text(program)});
  for (const std::string& name : globals) {
    const StackFrame put = {.function = "put", .file = "q.c", .line = 3},
                     get = {.function = "get", .file = "q.c", .line = 9};
    const Side sides[] = {
        {.kind = AccessKind::kWrite, .thread = 1, .bytes = 4, .stack = store->copy<StackFrame>({&put, 1})},
        {.kind = AccessKind::kRead, .bytes = 4, .stack = store->copy<StackFrame>({&get, 1})}};
    Finding finding;
    finding.sides = store->copy<Side>(sides);
    finding.memory = {.kind = Memory::kGlobal, .name = store->text(name)};
    merge.add(finding, store->text(id), 1);
  }
  return merge.finish(known);
}

std::string states_of(const ReportModel& model) {
  std::string text;
  for (const Group& group : model.groups)
    text += group.title.substr(group.title.rfind(' ') + 1) + group.history.state + " ";
  for (const Group& group : model.gone) text += group.title.substr(group.title.rfind(' ') + 1) + "(gone) ";
  return text;
}

// As `deadheat report --database` does it.
std::string told(const std::string& path, ReportModel model, const std::string& label = "") {
  Database database(path);
  database.add(model, label);
  database.tell_history(model, false);
  return states_of(model);
}

TEST(Baseline, HidesWhatHasAFingerprintInIt) {
  const ReportModel old = run_of("a", 1, {"x"});
  const std::set<std::string> known = {old.groups[0].fingerprint, "0000000000000000"};
  ReportModel model = run_of("b", 2, {"x", "y"}, "/bin/shop", &known);
  ASSERT_EQ(model.groups.size(), 2u);
  leave_out_known(model);
  ASSERT_EQ(model.groups.size(), 1u);
  EXPECT_EQ(model.groups[0].finding().memory.name, "y");
  EXPECT_EQ(model.hidden_known, 1u);
  EXPECT_TRUE(model.has_baseline);
}

TEST(Baseline, ReadsReportsOfBothFormsAndNothingElse) {
  const TemporaryFolder folder;
  const std::set<std::string> expected = {"a1", "b2"};
  EXPECT_EQ(baseline_fingerprints(folder.write("a", R"({"groups":[{"fingerprints":["a1"]},{"fingerprints":["b2"]}]})")),
            expected);
  EXPECT_EQ(baseline_fingerprints(folder.write(
                "b", R"({"version":"2.1.0","runs":[{"results":[{"properties":{"fingerprints":["a1","b2"]}}]}]})")),
            expected);
  EXPECT_THROW(baseline_fingerprints(folder.write("c", R"({"version":"2.0.0","runs":[]})")), UsageError);
  EXPECT_THROW(baseline_fingerprints(folder.path("none")), UsageError);
}

TEST(Database, NewSteadyFlakyGone) {
  const TemporaryFolder folder;
  const std::string path = folder.path("history.sqlite");
  EXPECT_EQ(told(path, run_of("1", 10, {"x", "y"})), "'x'new 'y'new ");
  EXPECT_EQ(told(path, run_of("2", 20, {"x"})), "'x'steady 'y'(gone) ");
  EXPECT_EQ(told(path, run_of("3", 30, {"x", "y", "z"})), "'z'new 'x'steady 'y'flaky ");
  EXPECT_EQ(told(path, run_of("4", 40, {})), "'z'(gone) 'x'(gone) 'y'(gone) ");
}

TEST(Database, RunsOfOtherProgramsSayNothing) {
  const TemporaryFolder folder;
  const std::string path = folder.path("history.sqlite");
  EXPECT_EQ(told(path, run_of("1", 10, {"x"})), "'x'new ");
  EXPECT_EQ(told(path, run_of("2", 20, {}, "/bin/other")), "");
  EXPECT_EQ(told(path, run_of("3", 30, {"x"})), "'x'steady ");
}

TEST(Database, TheSameRecordsTwiceChangeNothing) {
  const TemporaryFolder folder;
  const std::string path = folder.path("history.sqlite");
  told(path, run_of("1", 10, {"x"}), "first");
  EXPECT_EQ(told(path, run_of("1", 10, {"x"}), "again"), "'x'new ");
  Database database(path);
  ReportModel model = database.all();
  database.tell_history(model, true);
  ASSERT_EQ(model.groups.size(), 1u);
  EXPECT_EQ(model.groups[0].records, 1u);
  EXPECT_EQ(model.groups[0].history.first_label, "first");
  EXPECT_EQ(model.groups[0].history.runs_seen, 1u);
}

TEST(Database, AFileThatIsNoneIsRefused) {
  const TemporaryFolder folder;
  EXPECT_THROW(Database(folder.write("text", "this is no database, whatever its length may be\n")), UsageError);
  EXPECT_THROW(Database("/nonexistent/folder/file"), UsageError);
}

}  // namespace
}  // namespace deadheat::cli
