// The symbolizer on programs that are compiled here, by every compiler that is installed and with every form of debug
// information: places are marked by assembler labels, so that nothing depends on what an optimiser does.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "support/paths.h"
#include "symbolize/module.h"
#include "symbolize/protocol.h"

namespace deadheat::symbolize {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSource = R"(namespace deep {
inline __attribute__((always_inline)) int inner(int x) {
  asm volatile(".globl label_inner\nlabel_inner: nop");
  return x + 1;
}
inline __attribute__((always_inline)) int middle(int x) {
  return 2 * inner(x);
}
long table[4] = {1, 2, 3, 4};
}
namespace {
struct Hidden {
  struct Deeper {
    __attribute__((always_inline)) static int inner(int x) {
      asm volatile(".globl label_hidden\nlabel_hidden: nop");
      return x + 1;
    }
  };
};
}
static volatile int hidden[3] = {5, 6, 7};
__attribute__((noinline)) int outer(int x, char) {
  x = deep::middle(x);
  asm volatile(".globl label_outer\nlabel_outer: nop");
  return x + hidden[x & 1];
}
extern "C" __attribute__((noinline)) int plain(int x) {
  static volatile int count = 3;
  asm volatile(".globl label_plain\nlabel_plain: nop");
  x = Hidden::Deeper::inner(x);
  const auto by_lambda = [](int y) __attribute__((always_inline)) {
    asm volatile(".globl label_lambda\nlabel_lambda: nop");
    return y + 1;
  };
  x = by_lambda(x);
  return outer(x + count, 'c');
}
#ifndef AS_LIBRARY
int main(int argc, char**) { return plain(argc) + static_cast<int>(deep::table[argc & 3]); }
#endif
)";

std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer;
  for (size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) text.append(buffer.data(), n);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return text;
}

bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
}

// A folder of its own for each test, gone afterwards.
class Scratch {
 public:
  Scratch() {
    char name[] = "/tmp/deadheat-symbolize-XXXXXX";
    path_ = mkdtemp(name);
    std::ofstream(path_ / "a.cpp") << kSource;
  }
  ~Scratch() { fs::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ / name; }

  // Compiles the source and returns the addresses of all symbols.
  std::map<std::string, uint64_t> build(const std::string& compiler, const std::string& flags) const {
    EXPECT_EQ(std::system(("cd " + path_.string() + " && " + compiler + " " + flags + " a.cpp -o a").c_str()), 0);
    std::map<std::string, uint64_t> symbols;
    std::istringstream lines(output_of("nm " + file("a")));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string address, type, name;
      if (words >> address >> type >> name) symbols[name] = std::stoull(address, nullptr, 16);
    }
    return symbols;
  }

 private:
  fs::path path_;
};

std::string brief(const std::vector<Frame>& frames) {
  std::string text;
  for (const Frame& frame : frames)
    text += frame.function + " " + fs::path(frame.file).filename().string() + ":" + std::to_string(frame.line) + "; ";
  return text;
}

void expect_all_places(Module& module, std::map<std::string, uint64_t>& at) {
  EXPECT_EQ(brief(module.code(at["label_inner"])),
            "deep::inner(int) a.cpp:3; deep::middle(int) a.cpp:7; outer(int, char) a.cpp:23; ");
  EXPECT_EQ(brief(module.code(at["label_outer"])), "outer(int, char) a.cpp:24; ");
  EXPECT_EQ(brief(module.code(at["label_plain"])), "plain a.cpp:29; ");
  // GCC says of these no more than where they are declared.
  const std::string hidden = brief(module.code(at["label_hidden"])), lambda = brief(module.code(at["label_lambda"]));
  EXPECT_TRUE(hidden == "(anonymous namespace)::Hidden::Deeper::inner a.cpp:15; plain a.cpp:30; " ||
              hidden == "(anonymous namespace)::Hidden::Deeper::inner(int) a.cpp:15; plain a.cpp:30; ")
      << hidden;
  EXPECT_TRUE(lambda == "plain::{lambda}::operator() a.cpp:32; plain a.cpp:35; " ||
              lambda == "plain::$_0::operator()(int) const a.cpp:32; plain a.cpp:35; ")
      << lambda;
  const std::vector<Frame> frames = module.code(at["label_plain"]);
  EXPECT_TRUE(frames.at(0).file.starts_with("/tmp/deadheat-symbolize-")) << "not a whole path: " << frames.at(0).file;
  EXPECT_GT(frames.at(0).column, 0);
}

void expect_all_variables(Module& module, std::map<std::string, uint64_t>& at) {
  const uint64_t table = at["_ZN4deep5tableE"];
  for (const uint64_t offset : {0, 8, 31}) {
    const std::optional<Variable> variable = module.data(table + offset);
    ASSERT_TRUE(variable.has_value()) << offset;
    EXPECT_EQ(variable->name, "deep::table");
    EXPECT_EQ(variable->start, table);
    EXPECT_EQ(variable->size, 32u);
  }
  const std::optional<Variable> beyond = module.data(table + 32);
  EXPECT_TRUE(!beyond || beyond->name != "deep::table");
  const std::optional<Variable> hidden = module.data(at["_ZL6hidden"] + 4);
  ASSERT_TRUE(hidden.has_value());
  EXPECT_EQ(hidden->name, "hidden");
  const std::optional<Variable> count = module.data(at["_ZZ5plainE5count"]);
  ASSERT_TRUE(count.has_value());
  EXPECT_EQ(count->name, "plain::count");
  EXPECT_FALSE(module.data(at["label_plain"]).has_value()) << "code is not a variable";
}

class SymbolizeWith : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(SymbolizeWith, FindsFunctionsLinesInlinedCallsAndVariables) {
  const auto [compiler, flags] = GetParam();
  if (!is_installed(compiler)) GTEST_SKIP() << compiler << " is not installed";
  const Scratch scratch;
  std::map<std::string, uint64_t> at = scratch.build(compiler, flags);
  Module module(scratch.file("a"));
  expect_all_places(module, at);
  expect_all_variables(module, at);
}

INSTANTIATE_TEST_SUITE_P(
    All, SymbolizeWith,
    testing::Combine(testing::Values("g++", "clang++-14", "clang++-19"),
                     testing::Values("-g -O0", "-gdwarf-4 -O2", "-gdwarf-5 -O1 -no-pie",
                                     "-g -O2 -shared -fPIC -DAS_LIBRARY", "-g -O2 -gsplit-dwarf",
                                     "-g -O1 -fsanitize=thread -shared -fPIC -DAS_LIBRARY -ffunction-sections")),
    [](const auto& test) {
      std::string name = std::string(std::get<0>(test.param)) + std::get<1>(test.param);
      std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
      return name;
    });

TEST(Symbolize, FallsBackToSymbolsWithoutDebugInformation) {
  const Scratch scratch;
  std::map<std::string, uint64_t> at = scratch.build("g++", "-g0 -O2");
  Module module(scratch.file("a"));
  EXPECT_EQ(brief(module.code(at["_Z5outeric"])), "outer(int, char) :0; ");
  expect_all_variables(module, at);
}

TEST(Symbolize, NamesOfVariablesAreThoseOfTheSource) {
  const Scratch scratch;
  std::ofstream(scratch.file("a.cpp")) << R"(
    asm(".data\n.type _ZL5parts.0,@object\n_ZL5parts.0: .quad 1\n.size _ZL5parts.0,8\n"
        ".type count.7,@object\ncount.7: .quad 1\n.size count.7,8\n"
        ".type total.llvm.77,@object\ntotal.llvm.77: .quad 1\n.size total.llvm.77,8\n"
        ".type work.sum,@object\nwork.sum: .quad 1\n.size work.sum,8\n.text");
    int main() {})";
  std::map<std::string, uint64_t> at = scratch.build("g++", "-O0");
  Module module(scratch.file("a"));
  for (const auto& [symbol, name] : {std::pair{"_ZL5parts.0", "parts"},
                                     {"count.7", "count"},
                                     {"total.llvm.77", "total"},
                                     {"work.sum", "work.sum"}}) {
    const std::optional<Variable> found = module.data(at[symbol]);
    ASSERT_TRUE(found.has_value()) << symbol;
    EXPECT_EQ(found->name, name);
  }
}

TEST(Symbolize, FindsSeparateDebugFiles) {
  const Scratch scratch;
  std::map<std::string, uint64_t> at = scratch.build("g++", "-g -O2");
  const std::string a = scratch.file("a");
  ASSERT_EQ(std::system(("objcopy --only-keep-debug " + a + " " + a + ".debug && objcopy --strip-all " + a + " && cd " +
                         fs::path(a).parent_path().string() + " && objcopy --add-gnu-debuglink=a.debug a")
                            .c_str()),
            0);
  Module module(a);
  expect_all_places(module, at);
  expect_all_variables(module, at);
}

TEST(Symbolize, WhatIsNotKnownIsEmpty) {
  const Scratch scratch;
  for (const std::string& path :
       {std::string("/absent"), scratch.file("a.cpp"), std::string("/"), std::string("/dev/null")}) {
    Module module(path);
    EXPECT_TRUE(module.code(0x1000).empty()) << path;
    EXPECT_FALSE(module.data(0x1000).has_value()) << path;
    EXPECT_EQ(module.build_id(), "");
  }
  scratch.build("g++", "-g -O2");
  Module module(scratch.file("a"));
  EXPECT_TRUE(module.code(0xfffffff0000).empty());
  EXPECT_TRUE(module.code(UINT64_MAX).empty());
}

TEST(SymbolizeProtocol, ReadsRequests) {
  const std::optional<Request> plain = parse_request("CODE /bin/a 0x1f\n");
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->module, "/bin/a");
  EXPECT_EQ(plain->offset, 0x1fu);
  const std::optional<Request> quoted = parse_request(R"(DATA "/a \"b\\ c" 12 0aff)");
  ASSERT_TRUE(quoted.has_value());
  EXPECT_EQ(quoted->kind, Request::Kind::kData);
  EXPECT_EQ(quoted->module, R"(/a "b\ c)");
  EXPECT_EQ(quoted->offset, 12u);
  EXPECT_EQ(quoted->build_id, "0aff");
  for (const char* bad :
       {"", "CODE", "CODE /a", "CODE /a x", "CODE /a 0x", "CODE \"/a 0x1", "FRAME /a 0x1", "CODE /a 1 2 3"})
    EXPECT_FALSE(parse_request(bad).has_value()) << bad;
  const std::optional<Request> stack = parse_request("STACK /bin/a 0x1f 0x7fff10 4 0x7fff00 0x7fff40 0x7fff38");
  ASSERT_TRUE(stack.has_value());
  EXPECT_EQ(stack->kind, Request::Kind::kStack);
  EXPECT_EQ(stack->offset, 0x1fu);
  EXPECT_EQ(stack->stack.address, 0x7fff10u);
  EXPECT_EQ(stack->stack.bytes, 4u);
  EXPECT_EQ(stack->stack.stack_pointer, 0x7fff00u);
  EXPECT_EQ(stack->stack.frame_end, 0x7fff40u);
  EXPECT_EQ(stack->stack.lowest_return, 0x7fff38u);
  for (const char* bad : {"STACK /a 1", "STACK /a 1 2 3 4 5", "STACK /a 1 2 3 4 5 x", "STACK /a 1 2 3 4 5 6 7 8"})
    EXPECT_FALSE(parse_request(bad).has_value()) << bad;
}

TEST(SymbolizeProtocol, WritesVariablesOnStacks) {
  EXPECT_EQ(format_answer(std::optional<StackVariable>()), "\n");
  EXPECT_EQ(format_answer(std::optional(StackVariable())), "??\n??:0:0\n0 0 0\n\n");
  EXPECT_EQ(format_answer(std::optional(StackVariable{"a[1]", "b.c", 7, 4096, 8, 2})), "a[1]\nb.c:7:0\n4096 8 2\n\n");
}

TEST(SymbolizeProtocol, TheProgramAnswersUntilItsInputEnds) {
  const Scratch scratch;
  std::map<std::string, uint64_t> at =
      scratch.build("g++", "-g -O2 -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567");
  const std::string a = scratch.file("a");
  std::ofstream(scratch.file("requests"))
      << "CODE \"" << a << "\" " << at["label_outer"] << "\n"
      << "nonsense\n"
      << "CODE " << a << " " << at["label_outer"] << " 1234\n"
      << "CODE " << a << " " << at["label_plain"] << " 0123456789abcdef0123456789abcdef01234567\n"
      << "DATA " << a << " " << at["_ZL6hidden"] + 5 << "\n";
  const std::string program = test::programs_folder() + "/deadheat-symbolizer";
  const std::string file = fs::path(a).parent_path() / "a.cpp";
  EXPECT_EQ(output_of(program + " --demangle < " + scratch.file("requests")),
            "outer(int, char)\n" + file + ":24:3" + "\n\n??\n??:0:0\n\n??\n??:0:0\n\nplain\n" + file +
                ":29:3\n\nhidden\n" + std::to_string(at["_ZL6hidden"]) + " 12\n\n");
}

}  // namespace
}  // namespace deadheat::symbolize
