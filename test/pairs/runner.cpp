// Runs pairs of features and compares what each run did with what is expected of the two.
//
//   runner PROGRAM SOURCES [--jobs N] [--times N] [--limit SECONDS] [--plain] [--keep FOLDER] [--part I/N] [--without
//   A]... [A [B]]
//
// With no feature named: all pairs, each feature with itself, too. One: its pairs with all others. --plain is for a
// program without instrumentation: it must only end as expected, which shows that the program itself is right.
// A run that is not over after the limit has hung: the stacks of all its threads are printed (if gdb is there), and it
// is killed with its children. It is over when its end is known and nobody has its output open any more.
// Exit status 1 if a run was not as expected.
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Places = std::pair<std::string, std::string>;  // FILE:LINE of both accesses, in order
using Counts = std::map<std::string, int>;           // label -> how often it was told

struct Feature {
  std::string name;
  bool ends = false;
  int status = 0;
  std::string options;
  std::vector<std::string> tells;
  bool halts() const { return options.find("halt_on_error") != std::string::npos; }
};

struct Settings {
  std::string program;
  std::filesystem::path sources;
  unsigned jobs = 2;
  int times = 1;
  double limit = 300;  // seconds; only for runs that hang: on a busy machine seconds become minutes
  bool plain = false;
  int part = 0, parts = 1;
  std::string keep;
  std::vector<std::string> named;
  std::set<std::string> without;
};

struct Run {
  Run(const Feature* first, const Feature* second) : a(first), b(second) {}
  const Feature *a, *b;
  pid_t process = 0;
  int output = -1;
  int hold_input = -1;
  std::string said;
  Clock::time_point begun;
  int status = -1;
  bool hung = false;
};

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "runner: %s\n", what.c_str());
  std::exit(2);
}

// ---- what is expected

std::map<Places, std::string> marks(const std::filesystem::path& folder) {
  std::map<std::string, std::vector<std::string>> places;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".cpp" || entry.path().filename() == "runner.cpp") continue;
    std::ifstream file(entry.path());
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
      const size_t at = line.rfind("// race ");
      if (at == std::string::npos || line.find(' ', at + 8) != std::string::npos) continue;
      places[line.substr(at + 8)].push_back(entry.path().filename().string() + ":" + std::to_string(number));
    }
  }
  std::map<Places, std::string> result;
  for (auto& [label, lines] : places) {
    if (lines.size() != 2) fail("the label " + label + " marks " + std::to_string(lines.size()) + " lines");
    std::sort(lines.begin(), lines.end());
    result[{lines[0], lines[1]}] = label;
  }
  return result;
}

std::vector<Feature> list(const Settings& settings) {
  std::vector<Feature> features;
  FILE* const pipe = popen((settings.program + " --list").c_str(), "r");
  if (pipe == nullptr) fail("cannot run " + settings.program);
  char line[1024];
  while (std::fgets(line, sizeof line, pipe) != nullptr) {
    std::istringstream words(line);
    Feature feature;
    std::string ends, label;
    words >> feature.name >> ends >> feature.status >> feature.options;
    if (feature.options == "-") feature.options.clear();
    feature.ends = ends == "e";
    while (words >> label) feature.tells.push_back(label);
    features.push_back(feature);
  }
  if (pclose(pipe) != 0 || features.empty()) fail(settings.program + " --list failed");
  return features;
}

struct Expected {
  Counts least, most;
  std::set<int> statuses;
};

void expect(Expected& expected, std::string label, bool maybe) {
  int times = 1;
  bool each = false;
  if (label.back() == '?') label.pop_back();
  if (const size_t at = label.find("/each"); at != std::string::npos) {
    each = true;
    label.resize(at);
  }
  if (const size_t at = label.find('*'); at != std::string::npos) {
    times = std::atoi(label.c_str() + at + 1);
    label.resize(at);
  }
  if (expected.most.contains(label) && !each) return;
  expected.most[label] += times;
  if (!maybe) expected.least[label] += times;
}

Expected expected_of(const Feature& a, const Feature& b) {
  Expected expected;
  const bool halts = a.halts() || b.halts();  // then the first report is the last, whichever it is
  expect(expected, "known", halts);
  for (const Feature* feature : {&a, &b}) {
    for (const std::string& label : feature->tells)
      expect(expected, label, halts || (label.back() == '?' && a.ends && b.ends));
    if (feature->ends && (!halts || feature->halts())) expected.statuses.insert(feature->status);
  }
  if (expected.statuses.empty()) expected.statuses.insert(66);
  return expected;
}

// ---- what was told

std::string place_in(const std::string& frame, const std::set<std::string>& files) {
  for (const std::string& file : files) {
    const size_t at = frame.find("/" + file + ":");
    if (at == std::string::npos) continue;
    const size_t line = at + file.size() + 2;
    return file + ":" + frame.substr(line, frame.find_first_not_of("0123456789", line) - line);
  }
  return "";
}

// The marked lines that a report is about: the topmost frame of each of its two stacks that lies in the features (those
// of the helpers in pairs.h do not count).
std::vector<std::string> told(const std::string& said, const std::map<Places, std::string>& labels,
                              const std::set<std::string>& files) {
  std::vector<std::string> result;
  std::istringstream text(said);
  std::string line, kind, place[2];
  int stack = -1;
  bool active = false;
  const auto finish = [&] {
    if (kind == "data race") {
      Places places = std::minmax(place[0], place[1]);
      const auto at = labels.find(places);
      result.push_back(at != labels.end() ? at->second : "a race at " + places.first + " and " + places.second);
    } else if (!kind.empty()) {
      result.push_back("@" + kind);
    }
    kind.clear();
  };
  while (std::getline(text, line)) {
    static const std::string kWarning = "WARNING: ThreadSanitizer: ";
    if (line.compare(0, kWarning.size(), kWarning) == 0) {
      finish();
      kind = line.substr(kWarning.size(), line.find(" (", kWarning.size()) - kWarning.size());
      stack = -1;
      active = false;
      place[0].clear();
      place[1].clear();
    } else if (line.starts_with("SUMMARY: ")) {
      finish();
    } else if (line.starts_with("  ") && line.size() > 2 && line[2] != ' ') {
      active = line.find(" of size ") != std::string::npos && line.find("Location") == std::string::npos;
      if (active) ++stack;
    } else if (active && stack >= 0 && stack < 2 && line.starts_with("    #") && place[stack].empty()) {
      place[stack] = place_in(line, files);
    }
  }
  if (!kind.empty()) result.push_back("a report that has no end");
  return result;
}

std::vector<std::string> problems_of(const Run& run, const Settings& settings,
                                     const std::map<Places, std::string>& labels, const std::set<std::string>& files) {
  std::vector<std::string> problems;
  if (run.hung) problems.push_back("not over after its time");
  Expected expected = expected_of(*run.a, *run.b);
  if (settings.plain) {
    if (expected.statuses.contains(66)) expected.statuses.insert({0, 7});
    if (!run.hung && !expected.statuses.contains(run.status))
      problems.push_back("status " + std::to_string(run.status));
    return problems;
  }
  if (!run.hung && !expected.statuses.contains(run.status)) {
    std::string wanted;
    for (const int status : expected.statuses) wanted += " " + std::to_string(status);
    problems.push_back("status " + std::to_string(run.status) + ", not" + wanted);
  }
  Counts counts;
  int reports = 0;
  for (const std::string& label : told(run.said, labels, files)) ++counts[label], ++reports;
  for (const auto& [label, least] : expected.least)
    if (counts[label] < least)
      problems.push_back("told " + std::to_string(counts[label]) + " times, not " + std::to_string(least) + ": " +
                         label);
  for (const auto& [label, count] : counts)
    if (count > (expected.most.contains(label) ? expected.most[label] : 0))
      problems.push_back("told " + std::to_string(count) + " times: " + label);
  if (reports == 0) problems.push_back("nothing is told");
  std::istringstream text(run.said);
  std::string line;
  while (std::getline(text, line))
    if (line.find("deadheat:") != std::string::npos || line.starts_with("BROKEN")) problems.push_back(line);
  return problems;
}

// ---- running

std::vector<pid_t> processes_of(pid_t group) {
  std::vector<pid_t> result;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t id = std::atoi(entry.path().filename().c_str());
    if (id > 0 && getpgid(id) == group) result.push_back(id);
  }
  return result;
}

void print_stacks(const Run& run) {
  for (const pid_t process : processes_of(run.process)) {
    std::printf("  stacks of process %d:\n", process);
    std::fflush(stdout);
    const std::string command = "command -v gdb >/dev/null && timeout 60 gdb -batch -nx -p " + std::to_string(process) +
                                " -ex 'set print frame-arguments none' -ex 'thread apply all bt 25' 2>/dev/null |"
                                " grep -E '^(Thread|#)' | sed 's/^/    /'";
    if (std::system(command.c_str()) != 0) std::printf("    not known\n");
  }
}

void start(Run& run, const Settings& settings) {
  int output[2], input[2];
  if (pipe2(output, O_CLOEXEC) != 0 || pipe2(input, O_CLOEXEC) != 0) fail("no pipe");
  // An exit while threads run waits for what they may still find; not for a second each.
  const std::string options = "atexit_sleep_ms=10:" + run.a->options + ":" + run.b->options;
  run.begun = Clock::now();
  run.process = fork();
  if (run.process < 0) fail("no process");
  if (run.process == 0) {
    setpgid(0, 0);
    dup2(input[0], 0);
    dup2(output[1], 1);
    dup2(output[1], 2);
    setenv("DEADHEAT_OPTIONS", options.c_str(), 1);
    execl(settings.program.c_str(), settings.program.c_str(), run.a->name.c_str(), run.b->name.c_str(), nullptr);
    _exit(127);
  }
  setpgid(run.process, run.process);
  close(output[1]);
  close(input[0]);
  run.output = output[0];
  run.hold_input = input[1];
}

// Whether it is over.
bool attend(Run& run, const Settings& settings, bool readable) {
  if (readable) {
    char part[65536];
    const ssize_t n = read(run.output, part, sizeof part);
    if (n > 0) run.said.append(part, static_cast<size_t>(n));
    if (n == 0) {
      close(run.output);
      run.output = -1;
    }
  }
  if (run.status < 0) {
    int status;
    if (waitpid(run.process, &status, WNOHANG) == run.process)
      run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  if (run.output < 0 && run.status >= 0) return true;
  if (Clock::now() - run.begun < std::chrono::duration<double>(settings.limit)) return false;
  run.hung = true;
  std::printf("HUNG %s %s\n", run.a->name.c_str(), run.b->name.c_str());
  print_stacks(run);
  kill(-run.process, SIGKILL);
  if (run.status < 0) {
    int status;
    waitpid(run.process, &status, 0);
    run.status = 128 + SIGKILL;
  }
  if (run.output >= 0) close(run.output);
  return true;
}

Settings settings_of(int argc, char** argv) {
  Settings settings;
  std::vector<std::string> given(argv + 1, argv + argc);
  std::vector<std::string> plain;
  for (size_t i = 0; i < given.size(); ++i) {
    const auto value = [&] {
      if (i + 1 == given.size()) fail(given[i] + " needs a value");
      return given[++i];
    };
    if (given[i] == "--jobs") {
      settings.jobs = static_cast<unsigned>(std::stoi(value()));
    } else if (given[i] == "--times") {
      settings.times = std::stoi(value());
    } else if (given[i] == "--limit") {
      settings.limit = std::stod(value());
    } else if (given[i] == "--keep") {
      settings.keep = value();
    } else if (given[i] == "--part") {
      if (std::sscanf(value().c_str(), "%d/%d", &settings.part, &settings.parts) != 2) fail("--part I/N");
    } else if (given[i] == "--without") {
      settings.without.insert(value());
    } else if (given[i] == "--plain") {
      settings.plain = true;
    } else {
      plain.push_back(given[i]);
    }
  }
  if (plain.size() < 2 || plain.size() > 4) fail("PROGRAM SOURCES [A [B]]");
  settings.program = std::filesystem::absolute(plain[0]);
  settings.sources = plain[1];
  settings.named.assign(plain.begin() + 2, plain.end());
  return settings;
}

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = settings_of(argc, argv);
  const std::map<Places, std::string> labels = marks(settings.sources);
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(settings.sources))
    if (entry.path().extension() == ".cpp") files.insert(entry.path().filename());
  const std::vector<Feature> features = list(settings);
  for (const std::string& name : settings.named)
    if (std::none_of(features.begin(), features.end(), [&](const Feature& f) { return f.name == name; }))
      fail("there is no feature " + name);

  std::vector<Run> waiting;
  int number = 0;
  for (size_t i = 0; i < features.size(); ++i)
    for (size_t j = i; j < features.size(); ++j) {
      const std::string &a = features[i].name, &b = features[j].name;
      bool wanted = settings.named.empty();
      if (settings.without.contains(a) || settings.without.contains(b)) continue;
      if (settings.named.size() == 1) wanted = a == settings.named[0] || b == settings.named[0];
      if (settings.named.size() == 2) wanted = std::set{a, b} == std::set{settings.named[0], settings.named[1]};
      if (!wanted || number++ % settings.parts != settings.part) continue;
      for (int time = 0; time < settings.times; ++time) waiting.emplace_back(&features[i], &features[j]);
    }
  std::reverse(waiting.begin(), waiting.end());

  const size_t all = waiting.size();
  size_t failed = 0;
  std::map<std::string, int> failures;
  double longest = 0;
  std::string slowest;
  std::vector<Run> running;
  while (!waiting.empty() || !running.empty()) {
    while (running.size() < settings.jobs && !waiting.empty()) {
      running.push_back(std::move(waiting.back()));
      waiting.pop_back();
      start(running.back(), settings);
    }
    std::vector<pollfd> wanted;
    for (const Run& run : running) wanted.push_back({run.output, POLLIN, 0});
    poll(wanted.data(), wanted.size(), 5);
    for (size_t i = running.size(); i-- > 0;) {
      Run& run = running[i];
      if (!attend(run, settings, wanted[i].revents != 0)) continue;
      close(run.hold_input);
      const double seconds = std::chrono::duration<double>(Clock::now() - run.begun).count();
      const std::string name = run.a->name + " " + run.b->name;
      if (seconds > longest) {
        longest = seconds;
        slowest = name;
      }
      const std::vector<std::string> problems = problems_of(run, settings, labels, files);
      if (!problems.empty()) {
        ++failed;
        std::printf("FAIL %s\n", name.c_str());
        for (const std::string& problem : problems) std::printf("    %s\n", problem.c_str());
        if (!settings.keep.empty()) {
          std::filesystem::create_directories(settings.keep);
          std::ofstream(settings.keep + "/" + run.a->name + "." + run.b->name + "." + std::to_string(failures[name]))
              << run.said;
        }
        ++failures[name];
        std::fflush(stdout);
      }
      running.erase(running.begin() + static_cast<ptrdiff_t>(i));
    }
  }
  std::printf("%zu of %zu runs as expected; the longest took %.1f s (%s)\n", all - failed, all, longest,
              slowest.c_str());
  if (settings.times > 1)
    for (const auto& [name, count] : failures)
      std::printf("    %s: %d of %d failed\n", name.c_str(), count, settings.times);
  return failed != 0;
}
