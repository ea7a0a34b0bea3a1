#include "live_oracle/live_run.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "live_oracle/generator.h"
#include "support/paths.h"

namespace deadheat::test {
namespace {

// A site calls its seventh argument with the first six.
constexpr int kLineOfFirstSite = 2;
std::string source_of_sites() {
  std::string table;
  std::string text =
      "#define CALL __asm__(\"sub $8, %rsp; .cfi_adjust_cfa_offset 8; call *16(%rsp); add $8, %rsp; "
      ".cfi_adjust_cfa_offset -8; ret\")\n";
  for (int i = 0; i < kMostSites; ++i) {
    text += fmt::format("__attribute__((naked)) void site_{}(void) {{ CALL; }}\n", i);
    table += fmt::format("site_{}, ", i);
  }
  return text + fmt::format("void (*const sites[])(void) = {{{}}};\nconst int site_count = {};\n", table, kMostSites);
}

// A report of an analysis names the module; a race record has a number in its own list.
bool is_in_player(const nlohmann::json& frame, const nlohmann::json& report) {
  if (!frame.contains("module")) return false;
  const auto& module = frame["module"];
  const auto& path = module.is_number() ? report["modules"][module.get<size_t>()]["path"] : module;
  return path.is_string() && std::string(path).ends_with("player");
}

LiveSide read_side(const nlohmann::json& report, size_t which, const Places& places,
                   std::vector<std::string>& complaints) {
  const auto& side = report["accesses"][which];
  LiveSide result{side["op"], side["address"], side["size"], side["thread"], {}, {}};
  for (const auto& frame : side["stack"]) {
    if (!is_in_player(frame, report)) continue;
    const int site = places.site_at(frame["offset"]);
    if (site < 0) continue;
    result.sites.push_back(site);
    if (const int line = frame.value("line", 0); line != 0 && line != site + kLineOfFirstSite)
      complaints.push_back(fmt::format("site {} is shown as line {}", site, line));
  }
  for (const auto& lock : side["locks"]) {
    const auto known = places.locks.find(lock["address"]);
    if (known == places.locks.end()) continue;  // the thread's own, of steps that spend epochs
    HeldLock held = known->second;
    held.for_reading = lock["mode"] == "read";
    result.locks.push_back(held);
  }
  std::sort(result.locks.begin(), result.locks.end());
  return result;
}

}  // namespace

uint64_t LiveRun::base_of(int block, int step) const {
  const auto after = bases.upper_bound({block, step});
  return after == bases.begin() || std::prev(after)->first.first != block ? 0 : std::prev(after)->second;
}

Player::Player() {
  const std::string wrapper = programs_folder() + "/deadheat-cc";
  const std::string sites = folder_.write("sites.c", source_of_sites());
  run(fmt::format("cc -O1 -g -c -o {} {}", folder_.path("sites.o"), sites));
  run(fmt::format("cc -O1 -g -Wall -Werror -fno-builtin -c -o {} {}/test/live_oracle/player.c",
                  folder_.path("player.o"), source_folder()));
  run(fmt::format("{} -o {} {} {}", wrapper, folder_.path("player"), folder_.path("player.o"),
                  folder_.path("sites.o")));
}

int Player::run(const std::string& command) const {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

LiveRun Player::play(const Program& program, const std::string& options) const {
  LiveRun result;
  const std::string steps = folder_.write("steps", program.for_player()), record = folder_.path("record");
  std::filesystem::remove(record);
  // Blocks that a thread frees stay as they are until the thread allocates again: freed memory may be accessed.
  const int code = run(fmt::format(
      "GLIBC_TUNABLES=glibc.malloc.tcache_count=60000 DEADHEAT_OPTIONS=record_path={}:log_path={}:detect_deadlocks=0:"
      "report_thread_leaks=0:atexit_sleep_ms=0:{} timeout -k 5 600 {} {} {} 2>{}",
      record, folder_.path("log"), options, folder_.path("player"), steps, folder_.path("answer"),
      folder_.path("errors")));
  read_answer(result);
  std::istringstream lines(folder_.read("record"));
  for (std::string line; std::getline(lines, line);) add_report(line, result);
  if (code != (result.reports.empty() ? 0 : 66))
    result.complaints.push_back(fmt::format("exit status {}: {}", code, folder_.read("errors")));
  return result;
}

LiveRun Player::play_recorded(const Program& program, const std::string& kind, const std::string& detector) const {
  LiveRun result;
  const std::string steps = folder_.write("steps", program.for_player()), trace = folder_.path("trace.dht");
  std::filesystem::remove(trace);
  const std::string tool = programs_folder() + "/deadheat";
  const int code = run(fmt::format(
      "GLIBC_TUNABLES=glibc.malloc.tcache_count=60000 timeout -k 5 600 {} record {} -o {} -- {} {} {} >{} 2>&1", tool,
      kind, trace, folder_.path("player"), steps, folder_.path("answer"), folder_.path("errors")));
  if (code != 0) result.complaints.push_back(fmt::format("exit status {}: {}", code, folder_.read("errors")));
  read_answer(result);
  const int analysed = run(fmt::format("{} analyze --all --detector {} --format json {} >{} 2>{}", tool, detector,
                                       trace, folder_.path("races"), folder_.path("errors")));
  const auto report = nlohmann::json::parse(folder_.read("races"), nullptr, false);
  if (report.is_discarded()) {
    result.complaints.push_back("no analysis: " + folder_.read("errors"));
    return result;
  }
  for (const auto& race : report["races"]) add_report(race.dump(), result);
  if (analysed != (result.reports.empty() ? 0 : 66))
    result.complaints.push_back(fmt::format("exit status {} of the analysis", analysed));
  return result;
}

void Player::read_answer(LiveRun& result) const {
  places_ = {};
  std::istringstream answer(folder_.read("answer"));
  for (std::string what; answer >> what;) {
    int number = 0, step = -1;
    uint64_t address = 0;
    if (what == "block") answer >> step;
    answer >> number >> address;
    if (what == "block") result.bases[{number, step}] = address;
    if (what == "site") places_.sites[address] = number;
    if (what == "mutex" || what == "rwlock") places_.locks[address] = {what == "mutex", number};
  }
}

void Player::add_report(const std::string& line, LiveRun& result) const {
  const auto report = nlohmann::json::parse(line, nullptr, false);
  if (!report.is_discarded() && (report["type"] == "run" || report["type"] == "end")) return;
  if (report.is_discarded() || report["type"] != "race") {
    result.complaints.push_back("a report that is none of a race: " + line);
    return;
  }
  LiveReport& read = result.reports.emplace_back();
  read.address = report["address"];
  read.size = report["size"];
  for (size_t i = 0; i < 2; ++i) read.sides[i] = read_side(report, i, places_, result.complaints);
  const auto& location = report["location"];
  read.object = location["kind"];
  if (location["name"].is_string()) read.object += " " + std::string(location["name"]);
  read.text = line;
}

}  // namespace deadheat::test
