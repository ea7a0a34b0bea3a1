// Variables on stacks: programs that are compiled here say themselves where their frames and variables are.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "symbolize/module.h"

namespace deadheat::symbolize {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSource = R"(#include <cstdio>
struct Point { int x, y; };
struct Shape : Point { char name[4]; Point corners[3]; union { int a; float b; }; };
#define HIDE(value) asm volatile("" : : "r"(value) : "memory")
static void say(const char* name, const volatile void* address) { std::printf("%s %lu\n", name, (unsigned long)address); }
__attribute__((noinline)) void outer(int number) {
  int plain = number, grid[2][3] = {};
  Shape shape = {};
  HIDE(&plain); HIDE(&grid); HIDE(&shape);
  say("cfa", __builtin_dwarf_cfa());
  say("plain", &plain); say("grid", &grid); say("shape", &shape);
  { int block = 5; HIDE(&block); say("block", &block); }
  unsigned long pointer;
  asm volatile("mov %%rsp, %0" : "=r"(pointer));
  std::printf("rsp %lu\n", pointer);
  asm volatile(".globl label_before\nlabel_before: nop");
  int late = 3;
  HIDE(&late);
  say("late", &late);
  int deep = 1;
  HIDE(&deep);
  say("deep", &deep);
  asm volatile(".globl label\nlabel: nop");
  HIDE(&plain); HIDE(&grid); HIDE(&shape); HIDE(&late); HIDE(&deep);
}
int main(int argc, char**) { outer(argc); }
)";

using Values = std::map<std::string, uint64_t>;

Values values_of(const std::string& command, bool of_symbols) {
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer;
  for (size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) text.append(buffer.data(), n);
  EXPECT_EQ(pclose(pipe), 0) << command;
  Values values;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first, type, name;
    if (of_symbols ? words >> first >> type >> name : words >> name >> first)
      values[name] = std::stoull(first, nullptr, of_symbols ? 16 : 10);
  }
  return values;
}

bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
}

class SymbolizeStackWith : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(SymbolizeStackWith, FindsVariablesMembersAndElements) {
  const auto [compiler, flags] = GetParam();
  if (!is_installed(compiler)) GTEST_SKIP() << compiler << " is not installed";
  char folder[] = "/tmp/deadheat-stack-XXXXXX";
  const fs::path path = mkdtemp(folder);
  std::ofstream(path / "a.cpp") << kSource;
  ASSERT_EQ(std::system(("cd " + path.string() + " && " + compiler + " -w -no-pie -o a " + flags + "a.cpp").c_str()),
            0);
  Values at = values_of("nm " + (path / "a").string(), true);
  Values is = values_of((path / "a").string(), false);
  Module module(path / "a");
  const auto name = [&](const char* label, uint64_t address, uint64_t bytes) {
    const std::optional<StackVariable> found =
        module.stack(at[label], {address, bytes, is["rsp"], is["cfa"], is["cfa"] - 8});
    return !found ? "other frame" : found->name + ":" + std::to_string(found->line);
  };
  EXPECT_EQ(name("label", is["plain"], 4), "plain:7");
  EXPECT_EQ(name("label", is["plain"] + 3, 1), "plain:7");
  EXPECT_EQ(name("label", is["grid"] + 20, 4), "grid[1][2]:7");
  EXPECT_EQ(name("label", is["grid"], 8), "grid:7");
  EXPECT_EQ(name("label", is["grid"], 24), "grid:7");
  EXPECT_EQ(name("label", is["shape"] + 4, 4), "shape.y:8");
  EXPECT_EQ(name("label", is["shape"] + 10, 1), "shape.name[2]:8");
  EXPECT_EQ(name("label", is["shape"] + 24, 4), "shape.corners[1].y:8");
  EXPECT_EQ(name("label", is["shape"] + 20, 8), "shape.corners[1]:8");
  EXPECT_EQ(name("label", is["shape"] + 36, 4), "shape:8") << "one of a union";
  EXPECT_EQ(name("label", is["late"], 4), "late:17");
  EXPECT_EQ(name("label", is["deep"], 4), "deep:20");
  EXPECT_EQ(name("label_before", is["plain"], 4), "plain:7");
  EXPECT_EQ(name("label_before", is["late"], 4), ":0") << "declared later";
  if (is["block"] != is["late"] && is["block"] != is["deep"]) {
    EXPECT_EQ(name("label", is["block"], 4), ":0") << "its block is over";
  }
  EXPECT_EQ(name("label", is["cfa"] - 8, 8), ":0") << "the return address";
  fs::remove_all(path);
}

// Flags, and what stands before the name of the source.
INSTANTIATE_TEST_SUITE_P(, SymbolizeStackWith,
                         testing::Values(std::pair("g++", "-g -O0 "), std::pair("g++", "-g -O2 "),
                                         std::pair("g++", "-gdwarf-4 -O1 "),
                                         std::pair("g++", "-g -O2 -fno-omit-frame-pointer "),
                                         std::pair("clang++-14", "-g -O0 "), std::pair("clang++-14", "-g -O2 "),
                                         std::pair("clang++-19", "-g -O0 "), std::pair("clang++-19", "-g -O1 "),
                                         std::pair("clang++-19", "-g -O0 ./"), std::pair("g++", "-g -O2 ./"),
                                         std::pair("clang++-19", "-gdwarf-4 -O2 ")),
                         [](const auto& parameters) {
                           std::string name = std::string(parameters.param.first) + parameters.param.second;
                           std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
                           if (std::string(parameters.param.second).ends_with("./")) name += "Dot";
                           return name;
                         });

// Where the frame is found by the stack pointer, its end is known beforehand.
TEST(SymbolizeStack, AFrameThatContradictsTheUnwindTablesIsNone) {
  if (!is_installed("g++")) GTEST_SKIP() << "g++ is not installed";
  char folder[] = "/tmp/deadheat-stack-XXXXXX";
  const fs::path path = mkdtemp(folder);
  std::ofstream(path / "a.cpp") << kSource;
  ASSERT_EQ(std::system(("cd " + path.string() + " && g++ -g -O2 -w -no-pie a.cpp -o a").c_str()), 0);
  Values at = values_of("nm " + (path / "a").string(), true);
  Values is = values_of((path / "a").string(), false);
  Module module(path / "a");
  const uint64_t end = is["cfa"];
  EXPECT_TRUE(module.stack(at["label"], {is["plain"], 4, is["rsp"], end, end - 8}).has_value());
  EXPECT_TRUE(module.stack(at["label"], {is["plain"], 4, is["rsp"], 0, end - 8}).has_value());
  EXPECT_FALSE(module.stack(at["label"], {is["plain"], 4, is["rsp"], end + 16, end + 8}).has_value());
  EXPECT_FALSE(module.stack(at["label"], {is["plain"], 4, is["rsp"] - 16, end, end - 8}).has_value());
  EXPECT_FALSE(module.stack(at["label"], {is["plain"], 4, is["rsp"], 0, end - 24}).has_value());
  fs::remove_all(path);
}

}  // namespace
}  // namespace deadheat::symbolize
