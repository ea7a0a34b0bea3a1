// The compiler wrappers deadheat-cc and deadheat-c++: one call of the wrapper becomes one call of a compiler.
//
// Idea      The compiler instruments (-fsanitize=thread). We leave out the run time that it would link and link ours
//           instead, before all other libraries and with a run path, so that the program starts without settings.
//           The user's arguments keep their order. Ours go in front of them where the user shall have the last word,
//           and behind them otherwise.
//           Clang of the version that our pass was built for loads the pass (src/pass), which does the instrumentation.
// Promises  A call that does not compile or link (--version, -print-..., no input) goes to the compiler unchanged. The
//           wrapper reads response files to see what is asked for, and passes them on unless something in them must
//           go. For what cannot work (-static, AddressSanitizer, another run time) it prints a line and calls nothing.
// Tested by test/unit/wrapper_test.cpp, test/live/ways-in
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace deadheat::wrapper {

using Arguments = std::vector<std::string>;

enum class CompilerKind { kGcc, kClang };

struct Compiler {
  Arguments command;  // the program, and arguments that came with its name ("ccache g++")
  CompilerKind kind = CompilerKind::kGcc;
  std::optional<int> version;  // of Clang, the number before the first point, if it is known
};

// Where the run time is. `library` is libdeadheat.so; `tsan_folder` holds it under the name libtsan.so, which is what
// GCC links when it compiles and links in one call. `pass` is our plugin of Clang, empty if there is none or the user
// wants Clang's own instrumentation.
struct RunTime {
  std::string library;
  std::string tsan_folder;
  std::string pass;
};

// The contents of a response file, none if it cannot be read (the compiler then takes `@name` for a plain argument).
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

struct Plan {
  Arguments command;
  std::string refusal;  // one line; the command is empty then
};

// `architecture_is_x86` decides on the options that exist there only.
Plan plan(const Compiler& compiler, const RunTime& run_time, const Arguments& arguments, const ReadFile& read_file,
          bool architecture_is_x86 = true);

// The words of a response file: separated by blanks, quoted by '...' and "...", any character after a backslash.
Arguments split_response_file(const std::string& text);

// The highest numbered `base`-NN among file names ("clang++-19" of clang++-14, clang++-19), `base` itself if only that
// is there, else nothing.
std::string newest_numbered(const std::string& base, const std::vector<std::string>& names);

// The kind as far as a program's name tells: "x86_64-linux-gnu-g++-12" is GCC, "cc" and "ccache" tell nothing.
std::optional<CompilerKind> kind_by_name(const std::string& program);

// The version of Clang as far as the path of the program tells: 19 of "clang++-19" and of "/usr/lib/llvm-19/bin/clang".
std::optional<int> clang_version_by_name(const std::string& program);

}  // namespace deadheat::wrapper
