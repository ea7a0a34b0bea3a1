// Reports of findings that no detector of today produces, and names that need care.
#include "report/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/comparison.h"
#include "support/capture.h"

namespace deadheat {
namespace {

using test::captured;

std::string text(const Findings& findings) {
  return captured([&](std::FILE* out) { write_text_report(findings, out); });
}
nlohmann::ordered_json json(const Findings& findings) {
  return nlohmann::ordered_json::parse(captured([&](std::FILE* out) { write_json_report(findings, out); }));
}

Side access(Findings& findings, AccessKind kind, std::string_view thread, uint64_t event, std::string_view location) {
  return {.kind = kind,
          .thread_name = findings.store->text(thread),
          .event = event,
          .stack = findings.store->location(location)};
}
// The second access first, as a finding has them.
Finding race_on(Findings& findings, std::string_view variable, const std::vector<Side>& sides) {
  Finding race;
  race.memory.kind = Memory::kVariable;
  race.memory.name = findings.store->text(variable);
  race.sides = findings.store->copy<Side>(sides);
  return race;
}

Findings one_race() {
  Findings findings;
  findings.detector = "fasttrack";
  findings.trace = {30, 2, 5, 1};
  findings.races.push_back(race_on(
      findings, "V3",
      {access(findings, AccessKind::kRead, "T2", 23, "57"), access(findings, AccessKind::kWrite, "T1", 17, "42")}));
  return findings;
}

TEST(JsonReport, HasEveryKeyInTheDocumentedOrder) {
  std::vector<std::string> keys;
  const auto report = json(one_race());
  for (const auto& [key, value] : report.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"tool", "version", "detector", "filter", "trace", "races", "stats"}));
  EXPECT_EQ(report["races"].dump(), R"([{"variable":"V3","kind":"write-read",)"
                                    R"("first":{"thread":"T1","event":17,"op":"write","location":"42"},)"
                                    R"("second":{"thread":"T2","event":23,"op":"read","location":"57"}}])");
}

TEST(JsonReport, SaysNullForWhatIsNotThere) {
  Findings findings = one_race();
  findings.races[0].sides = findings.races[0].sides.first(1);
  EXPECT_TRUE(json(findings)["races"][0]["first"].is_null());
  EXPECT_TRUE(json(findings)["filter"].is_null());
  findings.filter = "rex";
  EXPECT_EQ(json(findings)["filter"], "rex");
}

TEST(JsonReport, MakesATreeOfTheStatistics) {
  Findings findings;
  EXPECT_EQ(json(findings)["stats"].dump(), "{}");
  findings.stats.add("rules/read same epoch/count", uint64_t{3});
  findings.stats.add("rules/read same epoch/% of reads", 37.5);
  findings.stats.add("Shadow", std::string("fine"));
  EXPECT_EQ(json(findings)["stats"].dump(),
            R"({"rules":{"read_same_epoch":{"count":3,"of_reads":37.5}},"shadow":"fine"})");
}

TEST(JsonReport, IsValidWhateverTheNamesAre) {
  Findings findings = one_race();
  findings.races[0].memory.name = "a\"b\\c\x01\xff";
  EXPECT_EQ(json(findings)["races"][0]["variable"], "a\"b\\c\x01\xEF\xBF\xBD");
}

TEST(JsonReport, ListsLaterAccessesAndRankOnlyWhereThereAreAny) {
  Findings findings = one_race();
  EXPECT_FALSE(json(findings)["races"][0].contains("more"));
  EXPECT_FALSE(json(findings)["races"][0].contains("rank"));
  std::vector<Side> sides(findings.races[0].sides.begin(), findings.races[0].sides.end());
  sides.push_back(access(findings, AccessKind::kRead, "T3", 29, ""));
  findings.races[0].sides = findings.store->copy<Side>(sides);
  findings.races[0].rank = 2;
  EXPECT_EQ(json(findings)["races"][0]["more"][0]["thread"], "T3");
  EXPECT_EQ(json(findings)["races"][0]["rank"], 2);
}

TEST(TextReport, ExplainsARace) {
  EXPECT_EQ(text(one_race()),
            "Race on V3: a write by T1 and a read by T2, and nothing orders the two\n"
            "  first   write        T1, event 17, at 42\n"
            "  second  read         T2, event 23, at 57\n"
            "\n"
            "1 race in 30 events (2 threads, 5 variables, 1 lock), says fasttrack.\n");
}

TEST(TextReport, CallsWhatAnImpreciseDetectorSaysAWarning) {
  Findings findings = one_race();
  findings.detector = "eraser";
  findings.precise = false;
  findings.races[0] = race_on(findings, "V3", {access(findings, AccessKind::kRead, "T2", 23, "")});
  EXPECT_EQ(text(findings),
            "Warning on V3: a read by T2; eraser does not know which earlier access it conflicts with\n"
            "  second  read         T2, event 23\n"
            "\n"
            "1 warning in 30 events (2 threads, 5 variables, 1 lock), says eraser.\n");
}

TEST(TextReport, CountsVariablesWhenOneHasSeveralRaces) {
  Findings findings = one_race();
  findings.races.push_back(findings.races[0]);
  findings.filter = "rex";
  EXPECT_NE(text(findings).find("2 races on 1 variable in 30 events"), std::string::npos) << text(findings);
  EXPECT_NE(text(findings).find("says fasttrack behind rex."), std::string::npos) << text(findings);
}

TEST(TextReport, ShowsStatisticsAsTables) {
  Findings findings;
  findings.detector = "fasttrack";
  findings.stats.add("rules/read shared/count", uint64_t{3});
  findings.stats.add("rules/read shared/percent of reads", 37.5);
  findings.stats.add("rules/write shared/count", uint64_t{1234567});
  findings.stats.add("rules/write shared/percent of writes", 100.0);
  findings.stats.add("memory/peak bytes", uint64_t{4096});
  EXPECT_EQ(text(findings),
            "Statistics\n"
            "  rules             count  percent of reads  percent of writes\n"
            "    read shared         3            37.500\n"
            "    write shared  1234567                              100.000\n"
            "  memory\n"
            "    peak bytes    4096\n"
            "\n"
            "No races in 0 events (0 threads, 0 variables, 0 locks), says fasttrack.\n");
}

ComparedRun run_of(const char* detector, bool precise, std::vector<std::pair<const char*, uint64_t>> races) {
  ComparedRun run;
  run.findings.detector = detector;
  run.findings.precise = precise;
  for (const auto& [variable, event] : races)
    run.findings.races.push_back(
        race_on(run.findings, variable, {access(run.findings, AccessKind::kWrite, "T2", event, "")}));
  return run;
}

TEST(Comparison, AgreeingIsTheSameVariablesAndTheSameFirstRacingAccess) {
  const ComparedRun runs[] = {run_of("a", true, {{"x", 5}, {"y", 7}}), run_of("b", true, {{"y", 7}, {"x", 5}}),
                              run_of("c", false, {{"x", 5}, {"y", 8}}), run_of("d", false, {{"x", 5}, {"z", 9}})};
  const auto result = nlohmann::json::parse(captured([&](std::FILE* out) { write_json_comparison(runs, out); }));
  EXPECT_EQ(result["detectors"][0]["agrees_with"].dump(), R"(["b"])");
  EXPECT_EQ(result["detectors"][1]["agrees_with"].dump(), R"(["a"])");
  EXPECT_EQ(result["detectors"][2]["agrees_with"].dump(), R"([])");
  EXPECT_EQ(result["detectors"][3]["agrees_with"].dump(), R"([])");
  const std::string table = captured([&](std::FILE* out) { write_text_comparison(runs, out); });
  EXPECT_NE(table.find("d also warns on z\n"), std::string::npos) << table;
  EXPECT_NE(table.find("d misses y\n"), std::string::npos) << table;
}

}  // namespace
}  // namespace deadheat
