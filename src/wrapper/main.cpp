// deadheat-cc and deadheat-c++: finds the compiler and the run time, and replaces itself by the planned call.
//
// One program under two names; a name that ends in "++" compiles C++. DEADHEAT_CC and DEADHEAT_CXX name the compiler
// (with arguments, if need be); without them it is the newest Clang of the search path, else cc or c++. DEADHEAT_PASS=0
// asks for the compiler's own instrumentation. DEADHEAT_SHOW=1 prints the call before it is made.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "wrapper/run_time.h"
#include "wrapper/wrapper.h"

namespace deadheat::wrapper {
namespace {

constexpr int kExitFailed = 1;  // as a compiler that did not compile

std::string own_name;

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "%s: %s\n", own_name.c_str(), message.c_str());
  std::exit(kExitFailed);
}

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

std::string real_path(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) == nullptr ? "" : resolved;
}

std::vector<std::string> search_path() {
  std::vector<std::string> folders;
  const char* path = std::getenv("PATH");
  std::istringstream stream(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
  for (std::string folder; std::getline(stream, folder, ':');) folders.push_back(folder.empty() ? "." : folder);
  return folders;
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return exists(name) ? name : "";
  for (const std::string& folder : search_path())
    if (const std::string path = folder + "/" + name; access(path.c_str(), X_OK) == 0) return path;
  return "";
}

std::string newest_clang(const std::string& base) {
  std::vector<std::string> names;
  for (const std::string& folder : search_path()) {
    DIR* directory = opendir(folder.c_str());
    if (directory == nullptr) continue;
    while (const dirent* entry = readdir(directory))
      if (std::strncmp(entry->d_name, base.c_str(), base.size()) == 0) names.emplace_back(entry->d_name);
    closedir(directory);
  }
  return newest_numbered(base, names);
}

// What the command writes to its standard output. No shell has a say in its words, whatever characters they have.
std::string output_of(const Arguments& command) {
  int ends[2];
  if (pipe(ends) != 0) return "";
  const pid_t child = fork();
  if (child == 0) {
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    close(ends[0]);
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execvp(words[0], words.data());
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = read(ends[0], buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<size_t>(got));
  }
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return text;
}

// Asks the compiler itself: only Clang defines __clang_major__.
std::optional<int> ask_clang_version(Arguments command) {
  for (const char* word : {"-E", "-dM", "-x", "c", "/dev/null"}) command.emplace_back(word);
  const std::string macros = output_of(command);
  const std::string_view name = "#define __clang_major__ ";
  const size_t at = macros.find(name);
  if (at == std::string::npos) return std::nullopt;
  return std::atoi(macros.c_str() + at + name.size());
}

Compiler find_compiler(bool cpp) {
  const char* variable = cpp ? "DEADHEAT_CXX" : "DEADHEAT_CC";
  const char* chosen = std::getenv(variable);
  Compiler compiler;
  if (chosen != nullptr && *chosen != 0) {
    compiler.command = split_response_file(chosen);
  } else {
    const std::string clang = newest_clang(cpp ? "clang++" : "clang");
    compiler.command = {!clang.empty() ? clang : cpp ? "c++" : "cc"};
  }
  if (compiler.command.empty()) fail(std::string(variable) + " names no compiler");
  const std::string program = find_program(compiler.command[0]);
  if (program.empty()) fail("there is no compiler '" + compiler.command[0] + "'; name one by " + variable);
  const std::string real = real_path(program);
  if (real == real_path("/proc/self/exe")) fail(std::string(variable) + " names this wrapper itself");
  std::optional<CompilerKind> kind = kind_by_name(compiler.command[0]);
  if (!kind && compiler.command.size() == 1) kind = kind_by_name(real);
  if (kind == CompilerKind::kClang) {
    compiler.version = clang_version_by_name(compiler.command[0]);
    if (!compiler.version && compiler.command.size() == 1) compiler.version = clang_version_by_name(real);
  }
  if (!kind || (kind == CompilerKind::kClang && !compiler.version)) {
    compiler.version = ask_clang_version(compiler.command);
    if (!kind) kind = compiler.version ? CompilerKind::kClang : CompilerKind::kGcc;
  }
  compiler.kind = *kind;
  return compiler;
}

std::optional<std::string> read_file(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) return std::nullopt;
  return text.str();
}

int run(int argc, char** argv) {
  own_name = argc > 0 ? argv[0] : "deadheat-cc";
  own_name.erase(0, own_name.rfind('/') + 1);
  const Compiler compiler = find_compiler(own_name.ends_with("++"));
  const Arguments arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  std::optional<RunTime> run_time = find_run_time(own_folder());
  if (!run_time) fail("libdeadheat.so is not in " + own_folder() + "/../lib; is the installation complete?");
  if (const char* wanted = std::getenv("DEADHEAT_PASS"); wanted != nullptr && std::strcmp(wanted, "0") == 0)
    run_time->pass.clear();
  Plan planned = plan(compiler, *run_time, arguments, read_file, DEADHEAT_IS_X86);
  if (!planned.refusal.empty()) fail(planned.refusal);

  std::vector<char*> words;
  for (std::string& word : planned.command) words.push_back(word.data());
  words.push_back(nullptr);
  if (const char* show = std::getenv("DEADHEAT_SHOW"); show != nullptr && std::strcmp(show, "1") == 0) {
    for (const std::string& word : planned.command) std::fprintf(stderr, "%s ", word.c_str());
    std::fputc('\n', stderr);
  }
  execvp(words[0], words.data());
  fail(std::string("cannot run ") + words[0] + ": " + std::strerror(errno));
}

}  // namespace
}  // namespace deadheat::wrapper

int main(int argc, char** argv) { return deadheat::wrapper::run(argc, argv); }
