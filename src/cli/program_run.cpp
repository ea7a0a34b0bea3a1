#include "cli/program_run.h"

#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "base/runtime_options.h"
#include "cli/commands.h"
#include "cli/elf_program.h"
#include "cli/usage.h"

namespace deadheat::cli {

namespace fs = std::filesystem;

namespace {

void check_option(const std::string& text) {
  const std::string name = text.substr(0, text.find('='));
  std::vector<std::string> names;
  for (const RuntimeOptionInfo& option : runtime_options()) names.emplace_back(option.name);
  if (text.find('=') == std::string::npos) throw UsageError(fmt::format("--option {}: expected NAME=VALUE", text));
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw UsageError(
        fmt::format("--option: there is no '{}'{}; see 'deadheat options'", name, suggestion(name, names)));
}

}  // namespace

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
  const auto add_file = [&add](const std::string& path, const std::string& what) {
    if (path.empty()) return;
    if (!fs::exists(path)) throw UsageError(fmt::format("{}: there is no such file of {}", path, what));
    add(what, fs::absolute(path));
  };
  add_file(request.suppressions, "suppressions");
  add_file(request.annotations, "annotations");
  return merged;
}

namespace {

void prepend(const char* variable, const std::string& value) {
  const char* old = std::getenv(variable);
  setenv(variable, (old == nullptr || *old == 0 ? value : value + ":" + old).c_str(), 1);
}

}  // namespace

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

void prepare(const std::string& path, bool no_preload, const std::string& folder) {
  prepend("LD_LIBRARY_PATH", folder);
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
  const std::string library = folder + "/libtsan.so.2";
  if (program->calls_run_time) {
    if (program->has_rpath && program->needs_libtsan && !no_preload) prepend("LD_PRELOAD", library);
    return;
  }
  note(fmt::format("{} is not instrumented: its own accesses are not seen{}; build it with deadheat-c++", path,
                   no_preload ? "" : ", only those of instrumented libraries that it loads"));
  if (!no_preload) prepend("LD_PRELOAD", library);
}

wrapper::RunTime installed_run_time() {
  const std::optional<wrapper::RunTime> run_time = wrapper::find_run_time(wrapper::own_folder());
  if (!run_time)
    throw UsageError(
        fmt::format("libdeadheat.so is not in {}/../lib; is the installation complete?", wrapper::own_folder()));
  return *run_time;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

namespace {

// Signals sent to us are meant for the program. The program gets those from the terminal by itself.
volatile sig_atomic_t child_process = 0;

void forward(int signal, siginfo_t* info, void*) {
  const bool from_process = info->si_code == SI_USER || info->si_code == SI_QUEUE || info->si_code == SI_TKILL;
  if (from_process && child_process > 0) kill(static_cast<pid_t>(child_process), signal);
}

// Signals that are our own business: those that report our own faults, and those that cannot be caught.
bool is_ours(int signal) {
  constexpr std::array kOurs = {SIGKILL, SIGSTOP, SIGCHLD, SIGSEGV, SIGBUS,  SIGFPE,
                                SIGILL,  SIGTRAP, SIGSYS,  SIGTSTP, SIGTTIN, SIGTTOU};
  return std::find(kOurs.begin(), kOurs.end(), signal) != kOurs.end();
}

// As it was before we forwarded: an ignored one (nohup, a job in the background of a script) is ignored by the program,
// too, until it says otherwise.
std::array<bool, NSIG> is_ignored;

}  // namespace

void forward_signals(bool on) {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action = {};
    if (is_ours(signal) || sigaction(signal, nullptr, &action) != 0) continue;
    const bool ignores = action.sa_handler == SIG_IGN;
    action = {};
    action.sa_flags = SA_RESTART;
    if (on) {
      is_ignored[static_cast<size_t>(signal)] = ignores;
      action.sa_sigaction = forward;
      action.sa_flags |= SA_SIGINFO;
    } else if (is_ignored[static_cast<size_t>(signal)]) {
      action.sa_handler = SIG_IGN;
    }
    sigaction(signal, &action, nullptr);
  }
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

int end_like(int status) {
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  std::signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return 128 + WTERMSIG(status);
}

}  // namespace deadheat::cli
