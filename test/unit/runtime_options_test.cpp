// The parser of run-time options: every row can be set, every separator works, and nothing bad is fatal.
#include "base/runtime_options.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace deadheat {
namespace {

struct Parsed {
  std::unique_ptr<RuntimeOptions> options = std::make_unique<RuntimeOptions>();
  std::vector<std::string> problems;

  explicit Parsed(std::initializer_list<std::string> texts) {
    RuntimeOptionsParser parser(
        *options,
        [](void* context, OptionProblem problem, std::string_view name, std::string_view value) {
          static_cast<Parsed*>(context)->problems.push_back(std::string(to_string(problem)) + ": " + std::string(name) +
                                                            "=" + std::string(value));
        },
        this);
    for (const std::string& text : texts) parser.parse(text);
  }
};

using Problems = std::vector<std::string>;

TEST(RuntimeOptions, EverySeparatorEndsAValue) {
  const Parsed parsed({"exitcode=7:halt_on_error=1,verbosity=2 log_path=a\tcolor=never\nio_sync=0::, "});
  EXPECT_EQ(parsed.problems, Problems{});
  EXPECT_EQ(parsed.options->exitcode, 7);
  EXPECT_TRUE(parsed.options->halt_on_error);
  EXPECT_EQ(parsed.options->verbosity, 2);
  EXPECT_EQ(parsed.options->log_path.view(), "a");
  EXPECT_EQ(parsed.options->color.view(), "never");
  EXPECT_EQ(parsed.options->io_sync, 0);
}

TEST(RuntimeOptions, QuotedValuesHoldSeparators) {
  const Parsed parsed({R"(suppressions="/a b:c":log_path='x,"y"':exitcode=3)"});
  EXPECT_EQ(parsed.problems, Problems{});
  EXPECT_EQ(parsed.options->suppressions.view(), "/a b:c");
  EXPECT_EQ(parsed.options->log_path.view(), "x,\"y\"");
  EXPECT_EQ(parsed.options->exitcode, 3);
}

TEST(RuntimeOptions, ProblemsAreToldAndTheRestCounts) {
  const Parsed parsed({"exitcode=many:exitcode=12x:halt_on_error=2:lone:verbosity=1:log_path='open"});
  EXPECT_EQ(parsed.problems, (Problems{"value not understood: exitcode=many", "value not understood: exitcode=12x",
                                       "value not understood: halt_on_error=2",
                                       "no =value: lone=", "value not understood: log_path=open"}));
  EXPECT_EQ(parsed.options->exitcode, 66);
  EXPECT_FALSE(parsed.options->halt_on_error);
  EXPECT_EQ(parsed.options->verbosity, 1);
  EXPECT_EQ(parsed.options->log_path.view(), "stderr");
}

TEST(RuntimeOptions, AnUnknownNameIsToldOnceOverAllSources) {
  const Parsed parsed({"bogus=1:other=2:bogus=3", "bogus=4"});
  EXPECT_EQ(parsed.problems, (Problems{"unknown option: bogus=1", "unknown option: other=2"}));
}

TEST(RuntimeOptions, LaterSourcesWin) {
  const Parsed parsed({"exitcode=1:verbosity=1", "exitcode=2"});
  EXPECT_EQ(parsed.options->exitcode, 2);
  EXPECT_EQ(parsed.options->verbosity, 1);
}

TEST(RuntimeOptions, TooLongATextIsRefusedWhole) {
  const std::string longest(OptionText::kCapacity - 1, 'x');
  EXPECT_EQ(Parsed({"log_path=" + longest}).options->log_path.view(), longest);
  const Parsed parsed({"log_path=" + longest + "x"});
  EXPECT_EQ(parsed.options->log_path.view(), "stderr");
  EXPECT_EQ(parsed.problems.size(), 1u);
}

// Sets each row to something that is not its default and reads it back, so that a row whose offset or type is wrong
// cannot hide.
TEST(RuntimeOptions, EveryRowCanBeSet) {
  std::vector<char> buffer(OptionText::kCapacity);
  for (const RuntimeOptionInfo& option : runtime_options()) {
    const std::string changed = option.type == OptionType::kSwitch   ? (option.default_value == "1" ? "0" : "1")
                                : option.type == OptionType::kNumber ? "123"
                                                                     : "some/text";
    EXPECT_EQ(option_value(option, *Parsed({}).options, buffer), option.default_value) << option.name;
    const Parsed parsed({std::string(option.name) + "=" + changed});
    EXPECT_EQ(parsed.problems, Problems{});
    for (const RuntimeOptionInfo& other : runtime_options())
      EXPECT_EQ(option_value(other, *parsed.options, buffer),
                other.name == option.name ? std::string_view(changed) : other.default_value)
          << option.name << " against " << other.name;
  }
}

TEST(RuntimeOptions, OursGoesBeforeTheirsAndSecureProgramsTakeNeither) {
  const char* both[] = {"A=1", "TSAN_OPTIONS=x=1", "DEADHEAT_OPTIONS_NOT=z", "DEADHEAT_OPTIONS=y=2", nullptr};
  EXPECT_STREQ(options_from_environment(both, false).text, "y=2");
  EXPECT_EQ(options_from_environment(both, false).variable, "DEADHEAT_OPTIONS");
  const char* theirs[] = {"TSAN_OPTIONS=x=1", nullptr};
  EXPECT_STREQ(options_from_environment(theirs, false).text, "x=1");
  const char* empty[] = {"DEADHEAT_OPTIONS=", "TSAN_OPTIONS=x=1", nullptr};
  EXPECT_STREQ(options_from_environment(empty, false).text, "");
  EXPECT_EQ(options_from_environment(both, true).text, nullptr);
  const char* none[] = {nullptr};
  EXPECT_EQ(options_from_environment(none, false).text, nullptr);
}

}  // namespace
}  // namespace deadheat
