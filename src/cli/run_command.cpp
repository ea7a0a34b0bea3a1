// `deadheat run`: runs a program with the library under it, or compiles one source file and runs that.
//
// `deadheat run -- PROGRAM` replaces itself by the program (exec). It is the same process, so signals, exit status and
// terminal are the program's own. LD_LIBRARY_PATH brings in the run time: a program built by `gcc -fsanitize=thread`
// looks there for its libtsan.so.2 and finds ours. LD_PRELOAD is used only where that does not reach: with an old run
// path, or for a plain host that loads instrumented plug-ins. After `deadheat run FILE` a temporary folder must be
// removed: so we wait for the program and pass signals on.
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/runtime_options.h"
#include "cli/commands.h"
#include "cli/elf_program.h"
#include "cli/usage.h"
#include "wrapper/run_time.h"

namespace deadheat::cli {

namespace {

namespace fs = std::filesystem;

struct RunRequest {
  std::vector<std::string> options;  // name=value
  std::string suppressions;
  std::string flags;  // for the compiler
  bool coverage = false;
  bool no_preload = false;
  std::vector<std::string> command;
};

bool is_source_file(const fs::path& path) {
  const std::string suffix = path.extension();
  return suffix == ".c" || suffix == ".cc" || suffix == ".cpp" || suffix == ".cxx" || suffix == ".C";
}

void check_option(const std::string& text) {
  const std::string name = text.substr(0, text.find('='));
  std::vector<std::string> names;
  for (const RuntimeOptionInfo& option : runtime_options()) names.emplace_back(option.name);
  if (text.find('=') == std::string::npos) throw UsageError(fmt::format("--option {}: expected NAME=VALUE", text));
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw UsageError(
        fmt::format("--option: there is no '{}'{}; see 'deadheat options'", name, suggestion(name, names)));
}

// What the user has set goes first, so that the command line has the last word.
std::string merged_options(const RunRequest& request) {
  const OptionsSource source = options_from_environment(environ, false);
  std::string merged = source.text == nullptr ? "" : source.text;
  const auto add = [&](const std::string& name, const std::string& value) {
    const char quote = value.find('"') == std::string::npos ? '"' : '\'';
    merged += fmt::format("{}{}={}{}{}", merged.empty() ? "" : ":", name, quote, value, quote);
  };
  for (const std::string& option : request.options) {
    check_option(option);
    const size_t equals = option.find('=');
    add(option.substr(0, equals), option.substr(equals + 1));
  }
  if (request.coverage) add("coverage", "1");
  if (!request.suppressions.empty()) {
    if (!fs::exists(request.suppressions))
      throw UsageError(fmt::format("{}: there is no such file of suppressions", request.suppressions));
    add("suppressions", fs::absolute(request.suppressions));
  }
  return merged;
}

void prepend(const char* variable, const std::string& value) {
  const char* old = std::getenv(variable);
  setenv(variable, (old == nullptr || *old == 0 ? value : value + ":" + old).c_str(), 1);
}

std::string find_program(const std::string& name) {
  std::string found;
  if (name.find('/') != std::string::npos) {
    found = name;
  } else {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
    for (std::string folder; found.empty() && std::getline(folders, folder, ':');)
      if (const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
          access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate))
        found = candidate;
    if (found.empty()) throw UsageError(fmt::format("{}: no such program in the search path", name));
  }
  if (!fs::exists(found)) throw UsageError(fmt::format("{}: there is no such program", name));
  if (fs::is_directory(found)) throw UsageError(fmt::format("{}: is a folder, not a program", name));
  if (access(found.c_str(), X_OK) != 0) throw UsageError(fmt::format("{}: may not be executed", name));
  return found;
}

void note(const std::string& text) { std::fputs(fmt::format("deadheat: {}\n", text).c_str(), stderr); }

// Makes the environment of a program so that our library is under it. Throws for one that cannot be watched.
void prepare(const std::string& path, const RunRequest& request, const wrapper::RunTime& run_time) {
  prepend("LD_LIBRARY_PATH", run_time.tsan_folder);
  struct stat status = {};
  if (stat(path.c_str(), &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)) != 0 && geteuid() != 0)
    note(fmt::format("{} is set-user-id: the system keeps our library out of it, and it runs unwatched", path));
  const std::optional<ElfProgram> program = inspect_elf_file(path);
  if (!program) return;  // a script: what it starts inherits the settings
  if (program->contains_run_time)
    throw UsageError(
        fmt::format("{} has the compiler's own run time linked in (clang -fsanitize=thread does that); "
                    "build it with deadheat-c++ instead",
                    path));
  if (program->is_static)
    throw UsageError(
        fmt::format("{} is statically linked and cannot be watched; link it dynamically, with deadheat-c++", path));
  const std::string library = run_time.tsan_folder + "/libtsan.so.2";
  if (program->calls_run_time) {
    if (program->has_rpath && program->needs_libtsan && !request.no_preload) prepend("LD_PRELOAD", library);
    return;
  }
  note(fmt::format("{} is not instrumented: its own accesses are not seen{}; build it with deadheat-c++", path,
                   request.no_preload ? "" : ", only those of instrumented libraries that it loads"));
  if (!request.no_preload) prepend("LD_PRELOAD", library);
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

int run_program(const RunRequest& request, const wrapper::RunTime& run_time) {
  std::vector<std::string> words = request.command;
  const std::string path = find_program(words[0]);
  prepare(path, request, run_time);
  std::vector<char*> arguments = pointers_to(words);
  execv(path.c_str(), arguments.data());
  throw UsageError(fmt::format("{}: cannot be run: {}", path, std::strerror(errno)));
}

// Signals sent to us are meant for the program. The program gets those from the terminal by itself.
volatile sig_atomic_t child_process = 0;

void forward(int signal, siginfo_t* info, void*) {
  const bool from_process = info->si_code == SI_USER || info->si_code == SI_QUEUE || info->si_code == SI_TKILL;
  if (from_process && child_process > 0) kill(static_cast<pid_t>(child_process), signal);
}

// Every signal that would end us before the program, except those that report our own faults and those that cannot be
// caught.
// An ignored one (nohup) stays ignored, for the program, too.
bool is_forwarded(int signal) {
  constexpr std::array kOurs = {SIGKILL, SIGSTOP, SIGCHLD, SIGSEGV, SIGBUS,  SIGFPE,
                                SIGILL,  SIGTRAP, SIGSYS,  SIGTSTP, SIGTTIN, SIGTTOU};
  if (std::find(kOurs.begin(), kOurs.end(), signal) != kOurs.end()) return false;
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN;
}

void forward_signals(bool on) {
  struct sigaction action = {};
  action.sa_flags = SA_RESTART;
  if (on) {
    action.sa_sigaction = forward;
    action.sa_flags |= SA_SIGINFO;
  }
  for (int signal = 1; signal <= SIGRTMAX; ++signal)
    if (is_forwarded(signal)) sigaction(signal, &action, nullptr);
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return kExitUsage;
  return status;
}

pid_t spawn(std::vector<std::string>& words) {
  std::vector<char*> arguments = pointers_to(words);
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);  // the child is known before the first signal is forwarded
  const pid_t child = fork();
  if (child == 0) {
    forward_signals(false);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  child_process = child;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (child < 0) throw UsageError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  return child;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = fs::temp_directory_path() / "deadheat-run-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr)
      throw UsageError(fmt::format("{}: cannot make a folder: {}", pattern, std::strerror(errno)));
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Ends as the program ended: by the same status, or by the same signal (without a second core file).
int end_like(int status) {
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  std::signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return 128 + WTERMSIG(status);
}

int run_source(const RunRequest& request) {
  const fs::path source = request.command[0];
  if (!fs::exists(source)) throw UsageError(fmt::format("{}: there is no such file", source.string()));
  int status = 0;
  {
    const TemporaryFolder folder;
    forward_signals(true);
    const std::string program = folder.path() / source.stem();
    std::vector<std::string> compile = {
        wrapper::own_folder() + (source.extension() == ".c" ? "/deadheat-cc" : "/deadheat-c++"), "-O1", "-pthread"};
    for (std::string& flag : wrapper::split_response_file(request.flags)) compile.push_back(std::move(flag));
    compile.insert(compile.end(), {source.string(), "-o", program});
    if (const int compiled = wait_for(spawn(compile)); compiled != 0)
      throw UsageError(fmt::format("{}: does not compile", source.string()));

    std::vector<std::string> words = {program};
    words.insert(words.end(), request.command.begin() + 1, request.command.end());
    status = wait_for(spawn(words));
  }
  return end_like(status);
}

int run(const RunRequest& request) {
  if (request.command.empty()) throw UsageError("run: expected a program, or a source file, to run");
  if (request.command[0].starts_with('-'))
    throw UsageError(fmt::format("run: there is no option {} (see 'deadheat run --help')", request.command[0]));
  const std::optional<wrapper::RunTime> run_time = wrapper::find_run_time(wrapper::own_folder());
  if (!run_time)
    throw UsageError(
        fmt::format("libdeadheat.so is not in {}/../lib; is the installation complete?", wrapper::own_folder()));
  if (const std::string options = merged_options(request); !options.empty())
    setenv("DEADHEAT_OPTIONS", options.c_str(), 1);
  return is_source_file(request.command[0]) ? run_source(request) : run_program(request, *run_time);
}

}  // namespace

void add_run_command(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("run", "Run a program, or compile and run a source file, and find its races");
  const auto request = std::make_shared<RunRequest>();
  command
      .add_option("-o,--option", request->options,
                  "Set a run-time option that 'deadheat options' lists; may be repeated")
      ->option_text("NAME=VALUE")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("-s,--suppressions", request->suppressions, "Leave out the reports that this file describes")
      ->option_text("FILE");
  command.add_option("--flags", request->flags, "Compile the source file with these flags")->option_text("FLAGS");
  command.add_flag("--coverage", request->coverage,
                   "At exit, say what was not seen: modules without instrumentation, functions that order threads and "
                   "are not understood, full tables, suppressed reports");
  command.add_flag("--no-preload", request->no_preload, "Do not use LD_PRELOAD to load the library into the program");
  // Everything from the program on is the program's. After `--` CLI11 hands the rest to the application instead.
  command.prefix_command();
  command.preparse_callback([&app](size_t) { app.prefix_command(); });
  command.footer(
      "deadheat run [OPTIONS] [--] PROGRAM [ARGUMENTS...]\n"
      "deadheat run [OPTIONS] [--] FILE.cpp [ARGUMENTS...]\n"
      "The exit status is the program's, or 66 if something was reported.");
  command.callback([request, &app, &command, &action] {
    request->command = command.remaining_size() > 0 ? command.remaining() : app.remaining();
    action = [request] { return run(*request); };
  });
}

}  // namespace deadheat::cli
