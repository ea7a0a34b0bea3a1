// What the compiler wrappers make of command lines, for both kinds of compiler, without calling one.
#include "wrapper/wrapper.h"

#include <gtest/gtest.h>

#include <map>

namespace deadheat::wrapper {
namespace {

const RunTime kRunTime = {"/opt/lib/libdeadheat.so", "/opt/lib/deadheat", ""};
const RunTime kWithPass = {"/opt/lib/libdeadheat.so", "/opt/lib/deadheat", "/opt/lib/pass.so"};
const Compiler kClang = {{"clang-19"}, CompilerKind::kClang, 19};
const Compiler kOtherClang = {{"clang-14"}, CompilerKind::kClang, 14};
const Compiler kGcc = {{"gcc"}, CompilerKind::kGcc, std::nullopt};
const std::string kLink =
    "-Wl,--push-state,--no-as-needed /opt/lib/libdeadheat.so -Wl,--pop-state -Wl,-rpath -Xlinker /opt/lib ";

std::map<std::string, std::string> files;

std::string planned(const Compiler& compiler, const std::string& line, const RunTime& run_time = kRunTime) {
  const Plan result = plan(compiler, run_time, split_response_file(line), [](const std::string& path) {
    const auto found = files.find(path);
    return found == files.end() ? std::nullopt : std::optional(found->second);
  });
  if (!result.refusal.empty()) return "refused: " + result.refusal;
  std::string text;
  for (size_t i = 1; i < result.command.size(); ++i) text += (i == 1 ? "" : " ") + result.command[i];
  return text;
}

// Only where the pass was built for this version of Clang; and then vectors may be as wide as the user likes.
TEST(Wrapper, LoadsThePass) {
  EXPECT_EQ(planned(kClang, "-c a.c", kWithPass), "-fsanitize=thread -g -c a.c -fpass-plugin=/opt/lib/pass.so");
  EXPECT_EQ(planned(kClang, "a.c", kWithPass),
            "-fsanitize=thread -g -fno-sanitize-link-runtime " + kLink + "a.c -fpass-plugin=/opt/lib/pass.so");
  EXPECT_EQ(planned(kClang, "a.o", kWithPass), kLink + "a.o");
  EXPECT_EQ(planned(kClang, "-c a.s", kWithPass), planned(kClang, "-c a.s"));
  EXPECT_EQ(planned(kOtherClang, "-c a.c", kWithPass), planned(kClang, "-c a.c"));
  EXPECT_EQ(planned(kGcc, "-c a.c", kWithPass), planned(kGcc, "-c a.c"));
  const Compiler unknown = {{"clang"}, CompilerKind::kClang, std::nullopt};
  EXPECT_EQ(planned(unknown, "-c a.c", kWithPass), planned(kClang, "-c a.c"));
}

TEST(Wrapper, KnowsClangsVersionByItsName) {
  EXPECT_EQ(clang_version_by_name("clang-19"), 19);
  EXPECT_EQ(clang_version_by_name("/usr/bin/clang++-14"), 14);
  EXPECT_EQ(clang_version_by_name("/usr/lib/llvm-19/bin/clang"), 19);
  EXPECT_EQ(clang_version_by_name("/usr/lib/llvm-19/bin/clang-20"), 20);
  EXPECT_EQ(clang_version_by_name("clang"), std::nullopt);
  EXPECT_EQ(clang_version_by_name("clang-19.1"), std::nullopt);
  EXPECT_EQ(clang_version_by_name("/usr/lib/llvm-19x/bin/clang"), std::nullopt);
  EXPECT_EQ(clang_version_by_name("g++-12"), std::nullopt);
}

TEST(Wrapper, CompilesWithInstrumentation) {
  EXPECT_EQ(planned(kClang, "-c a.c"), "-fsanitize=thread -g -c a.c -mprefer-vector-width=128");
  EXPECT_EQ(planned(kGcc, "-c a.c"), "-fsanitize=thread -g -Wno-tsan -c a.c");
  for (const char* mode : {"-S", "-E", "-M", "-MM", "-fsyntax-only"})
    EXPECT_EQ(planned(kGcc, std::string(mode) + " a.c"),
              "-fsanitize=thread -g -Wno-tsan " + std::string(mode) + " a.c");
}

TEST(Wrapper, LinksOurLibraryFirstAndNotTheCompilers) {
  EXPECT_EQ(planned(kClang, "a.o -o a"), kLink + "a.o -o a");
  EXPECT_EQ(planned(kGcc, "a.o -o a"), kLink + "a.o -o a");
  EXPECT_EQ(planned(kClang, "-shared a.o -o a.so"), kLink + "-shared a.o -o a.so");
  EXPECT_EQ(planned(kClang, "-fsanitize=thread a.o"), kLink + "a.o");
  EXPECT_EQ(planned(kClang, "-fsanitize=undefined,thread a.o"), kLink + "-fsanitize=undefined a.o");
}

TEST(Wrapper, CompilesAndLinksInOneCall) {
  EXPECT_EQ(planned(kClang, "a.c b.o"),
            "-fsanitize=thread -g -fno-sanitize-link-runtime " + kLink + "a.c b.o -mprefer-vector-width=128");
  EXPECT_EQ(planned(kGcc, "a.c b.o"), "-fsanitize=thread -g -Wno-tsan -L/opt/lib/deadheat " + kLink + "a.c b.o");
}

TEST(Wrapper, AnotherSanitizersRunTimeIsLinkedBesideOurs) {
  EXPECT_EQ(planned(kClang, "-fsanitize=thread,undefined a.c"),
            "-Xclang -fsanitize=thread -g " + kLink + "-fsanitize=undefined a.c -mprefer-vector-width=128");
  EXPECT_EQ(planned(kClang, "-fsanitize=thread a.c"), "-fsanitize=thread -g -fno-sanitize-link-runtime " + kLink +
                                                          "-fsanitize=thread a.c -mprefer-vector-width=128");
  EXPECT_EQ(planned(kClang, "-c -fsanitize=undefined a.c"),
            "-fsanitize=thread -g -c -fsanitize=undefined a.c -mprefer-vector-width=128");
  EXPECT_EQ(planned(kGcc, "-fsanitize=undefined a.c"),
            "-fsanitize=thread -g -Wno-tsan -L/opt/lib/deadheat " + kLink + "-fsanitize=undefined a.c");
}

TEST(Wrapper, GccKeepsTheOptionWhereItOptimisesAtLinkTime) {
  EXPECT_EQ(planned(kGcc, "-flto a.o"), "-fsanitize=thread -L/opt/lib/deadheat " + kLink + "-flto a.o");
  EXPECT_EQ(planned(kGcc, "-flto -fno-lto a.o"), kLink + "-flto -fno-lto a.o");
}

TEST(Wrapper, WhatNeitherCompilesNorLinksGoesOnUnchanged) {
  for (const char* line : {"--version", "-v", "-dumpmachine", "-print-search-dirs", "--print-targets", "-Wl,--version",
                           "-static -v", "", "-c", "--version a.c"})
    EXPECT_EQ(planned(kClang, line), line);
}

TEST(Wrapper, ValuesOfOptionsAreNotInputs) {
  EXPECT_EQ(planned(kClang, "-o out -I include -Xlinker x -l m"), "-o out -I include -Xlinker x -l m");
}

TEST(Wrapper, TheUsersDebugInformationStands) {
  for (const char* option : {"-g", "-g0", "-ggdb3", "-gdwarf-4", "-g1", "-gline-tables-only"})
    EXPECT_EQ(planned(kGcc, std::string(option) + " -c a.c"),
              "-fsanitize=thread -Wno-tsan " + std::string(option) + " -c a.c");
  EXPECT_EQ(planned(kGcc, "-grecord-gcc-switches -c a.c"),
            "-fsanitize=thread -g -Wno-tsan -grecord-gcc-switches -c a.c");
}

TEST(Wrapper, HeadersObjectsAndAssemblyAreTheirOwnCases) {
  EXPECT_EQ(planned(kClang, "-x c++-header a.h -o a.pch"),
            "-fsanitize=thread -g -x c++-header a.h -o a.pch -mprefer-vector-width=128");
  EXPECT_EQ(planned(kGcc, "all.hpp"), "-fsanitize=thread -g -Wno-tsan all.hpp");
  EXPECT_EQ(planned(kGcc, "-r a.o b.o -o c.o"), "-r a.o b.o -o c.o");
  EXPECT_EQ(planned(kClang, "-c a.s"), "-c a.s");
  EXPECT_EQ(planned(kClang, "-c a.s b.c"), "-fsanitize=thread -g -c a.s b.c -mprefer-vector-width=128");
  EXPECT_EQ(planned(kGcc, "-xc - -E"), "-fsanitize=thread -g -Wno-tsan -xc - -E");
  EXPECT_EQ(planned(kGcc, "-x c a.txt -x none b.o"),
            "-fsanitize=thread -g -Wno-tsan -L/opt/lib/deadheat " + kLink + "-x c a.txt -x none b.o");
}

TEST(Wrapper, WhatCannotWorkIsRefusedInOneLine) {
  for (const char* line : {"-static a.c", "-static-pie a.o", "-fsanitize=address a.c", "-fsanitize=leak a.o",
                           "-c -fsanitize=undefined,memory a.c", "-static-libtsan a.o", "a.o -ltsan",
                           "a.o /usr/lib/libclang_rt.tsan-x86_64.a"}) {
    const std::string answer = planned(kClang, line);
    EXPECT_TRUE(answer.starts_with("refused: ")) << line << " gave " << answer;
    EXPECT_EQ(answer.find('\n'), std::string::npos);
  }
  EXPECT_EQ(planned(kGcc, "-static -c a.c"), "-fsanitize=thread -g -Wno-tsan -static -c a.c") << "links nothing yet";
  EXPECT_EQ(planned(kGcc, "-static-libgcc a.o"), kLink + "-static-libgcc a.o");
}

TEST(Wrapper, ResponseFilesAreLookedIntoAndKept) {
  files = {{"objects", "a.o 'b c.o'\n\"d.o\""},
           {"compile", "-c @inner"},
           {"inner", "a.c"},
           {"self", "@self x.o"},
           {"static", "-static"},
           {"thread", "-fsanitize=thread a.o"}};
  EXPECT_EQ(planned(kClang, "@objects -o x"), kLink + "@objects -o x");
  EXPECT_EQ(planned(kGcc, "@compile"), "-fsanitize=thread -g -Wno-tsan @compile");
  EXPECT_EQ(planned(kGcc, "@self"), kLink + "@self");
  EXPECT_TRUE(planned(kGcc, "a.o @static").starts_with("refused"));
  EXPECT_EQ(planned(kGcc, "@thread"), kLink + "a.o") << "something had to go, so the file is written out";
  EXPECT_EQ(planned(kGcc, "@absent a.o"), kLink + "@absent a.o");
}

TEST(Wrapper, SplitsResponseFilesAsCompilersDo) {
  EXPECT_EQ(split_response_file("a 'b c'  \"d\\\"e\" f\\ g\n''h ''"), (Arguments{"a", "b c", "d\"e", "f g", "h", ""}));
}

TEST(Wrapper, TheNewestClangIsTheHighestNumber) {
  EXPECT_EQ(newest_numbered("clang", {"clang-9", "clang", "clang-19", "clang-tidy-20", "clang-format", "clang++-21"}),
            "clang-19");
  EXPECT_EQ(newest_numbered("clang++", {"clang++", "c++"}), "clang++");
  EXPECT_EQ(newest_numbered("clang", {"gcc"}), "");
}

TEST(Wrapper, NamesTellTheKind) {
  EXPECT_EQ(kind_by_name("/usr/bin/clang++-19"), CompilerKind::kClang);
  EXPECT_EQ(kind_by_name("x86_64-linux-gnu-g++-12"), CompilerKind::kGcc);
  EXPECT_EQ(kind_by_name("/clang/cc"), std::nullopt);
}

}  // namespace
}  // namespace deadheat::wrapper
