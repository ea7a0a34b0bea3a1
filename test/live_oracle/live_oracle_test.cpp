// Live and offline agree: random programs whose order of events is known run live, and what is reported is what the
// oracle says.
//
// A program is a list of events. The oracle reads it as a trace; the player performs it with real threads, mutexes,
// atomics and memory, in exactly that order, and nothing that forces the order is seen by the run time.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "differential/oracle.h"
#include "support/paths.h"
#include "support/temporary_folder.h"

namespace deadheat::test {
namespace {

constexpr uint64_t kBase = 0x100000;  // of the player's memory, in the trace
constexpr unsigned kCell = 8;
constexpr const char* kOrders[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};

struct Program {
  std::string trace;   // for the oracle
  std::string events;  // for the player
};

// Threads that lock, read, write and synchronise at random; whatever blocks in reality is not done.
class RandomProgram {
 public:
  explicit RandomProgram(uint64_t seed) : random_(seed) {
    threads_ = 2 + below(5);
    cells_ = 1 + below(6);
    // Some programs hardly synchronise, others hardly do anything else; some keep a mutex for every cell, mostly.
    plain_share_ = 30 + below(60);
    is_disciplined_ = chance(60);
    const unsigned events = 20 + below(200);
    state_.resize(threads_);
    state_[0].is_running = true;
    while (made_ < events) step();
    for (unsigned t = 0; t < threads_; ++t) let_go(t);
  }
  const Program& program() const { return program_; }

 private:
  struct Thread {
    bool is_running = false, is_over = false;
    int mutex = -1, rwlock = -1;
    bool writes = false;
  };

  unsigned below(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random_); }
  bool chance(unsigned percent) { return below(100) < percent; }

  void add(unsigned thread, const std::string& text, const std::string& operation, unsigned operand = 0,
           unsigned size = 0, unsigned order = 0) {
    program_.trace += "T" + std::to_string(thread) + "|" + text + "\n";
    std::ostringstream line;
    line << thread << ' ' << operation << ' ' << operand << ' ' << size << ' ' << order << '\n';
    program_.events += line.str();
    ++made_;
  }
  static std::string bytes(unsigned offset, unsigned size) {
    std::ostringstream text;
    text << "0x" << std::hex << kBase + offset << ":" << std::dec << size;
    return text.str();
  }

  void step() {
    const unsigned t = below(threads_);
    if (!state_[t].is_running) {
      if (!state_[t].is_over) start(t);
      return;
    }
    if (chance(plain_share_)) {
      plain(t);
    } else {
      synchronise(t);
    }
  }
  void start(unsigned child) {
    const unsigned parent = below(threads_);
    if (!state_[parent].is_running) return;
    add(parent, "fork(T" + std::to_string(child) + ")", "fork", child);
    state_[child].is_running = true;
  }
  void plain(unsigned t) {
    static constexpr unsigned kSizes[] = {1, 2, 4, 8, 8};
    const unsigned size = kSizes[below(5)];
    unsigned offset = below(cells_) * kCell + below(kCell - size + 1);                 // any alignment within the cell
    if (!is_disciplined_ && chance(5)) offset = below(cells_) * kCell + below(kCell);  // also into the next one
    const int protector = static_cast<int>(offset / kCell % 3);
    if (is_disciplined_ && state_[t].mutex != protector && !chance(2)) return mutex(t, protector);
    const bool writes = chance(40);
    add(t, (writes ? "w(" : "r(") + bytes(offset, size) + ")", writes ? "w" : "r", offset, size);
  }
  void synchronise(unsigned t) {
    switch (below(8)) {
      case 0:
      case 1:
        return mutex(t, static_cast<int>(below(3)));
      case 2:
        return rwlock(t);
      case 3:
      case 4:
        return atomic(t);
      case 5: {
        static constexpr unsigned kFences[] = {2, 3, 4, 5};
        const unsigned order = kFences[below(4)];
        return add(t, std::string("fence(") + kOrders[order] + ")", "fence", 0, 0, order);
      }
      case 6: {
        const unsigned s = below(2);
        if (posted_[s] > 0 && chance(50)) {
          --posted_[s];
          return add(t, "swait(s" + std::to_string(s) + ")", "swait", s);
        }
        ++posted_[s];
        return add(t, "post(s" + std::to_string(s) + ")", "post", s);
      }
      default: {
        const unsigned other = below(threads_);
        if (other == t || other == 0 || !state_[other].is_running || !chance(20)) return;
        let_go(other);
        state_[other].is_running = false;
        state_[other].is_over = true;
        add(t, "join(T" + std::to_string(other) + ")", "join", other);
        return;
      }
    }
  }
  void mutex(unsigned t, int wanted) {
    Thread& me = state_[t];
    if (me.mutex >= 0) return release_mutex(t);
    for (const Thread& other : state_)
      if (other.mutex == wanted) return;
    me.mutex = wanted;
    add(t, "acq(m" + std::to_string(wanted) + ")", "acq", static_cast<unsigned>(wanted));
  }
  void release_mutex(unsigned t) {
    const int held = std::exchange(state_[t].mutex, -1);
    add(t, "rel(m" + std::to_string(held) + ")", "rel", static_cast<unsigned>(held));
  }
  void rwlock(unsigned t) {
    Thread& me = state_[t];
    if (me.rwlock >= 0) return release_rwlock(t);
    const int wanted = static_cast<int>(below(2));
    const bool writes = chance(40);
    for (const Thread& other : state_)
      if (other.rwlock == wanted && (writes || other.writes)) return;
    me.rwlock = wanted;
    me.writes = writes;
    add(t, (writes ? "acq(l" : "racq(l") + std::to_string(wanted) + ")", writes ? "wacq" : "racq",
        static_cast<unsigned>(wanted));
  }
  void release_rwlock(unsigned t) {
    const int held = std::exchange(state_[t].rwlock, -1);
    add(t, (state_[t].writes ? "rel(l" : "rrel(l") + std::to_string(held) + ")", "rwrel", static_cast<unsigned>(held));
  }
  void atomic(unsigned t) {
    // Atomics have cells of their own, but now and then one is used where others read and write plainly.
    // Each place has its size: what orders whom goes by place.
    const unsigned cell = chance(15) ? below(cells_) : 64 + below(5);
    const unsigned offset = cell * kCell, size = 8u >> cell % 4;
    static constexpr unsigned kLoads[] = {0, 2, 5}, kStores[] = {0, 3, 5}, kModifies[] = {0, 2, 3, 4, 5};
    switch (below(3)) {
      case 0: {
        const unsigned order = kLoads[below(3)];
        return add(t, "ld(" + bytes(offset, size) + "," + kOrders[order] + ")", "ld", offset, size, order);
      }
      case 1: {
        const unsigned order = kStores[below(3)];
        return add(t, "st(" + bytes(offset, size) + "," + kOrders[order] + ")", "st", offset, size, order);
      }
      default: {
        const unsigned order = kModifies[below(5)];
        return add(t, "rmw(" + bytes(offset, size) + "," + kOrders[order] + ")", "rmw", offset, size, order);
      }
    }
  }
  void let_go(unsigned t) {
    if (!state_[t].is_running) return;
    if (state_[t].mutex >= 0) release_mutex(t);
    if (state_[t].rwlock >= 0) release_rwlock(t);
  }

  std::mt19937_64 random_;
  unsigned threads_, cells_, plain_share_, made_ = 0;
  bool is_disciplined_;
  unsigned posted_[2] = {};
  std::vector<Thread> state_;
  Program program_;
};

class LiveOracle : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    const std::string sources = source_folder() + "/test/live_oracle/";
    const std::string wrapper = programs_folder() + "/deadheat-cc";
    run("cc -O1 -g -c -o " + folder_->path("player.o") + " " + sources + "player.c");
    run(wrapper + " -O1 -g -c -o " + folder_->path("accesses.o") + " " + sources + "accesses.c");
    run(wrapper + " -o " + folder_->path("player") + " " + folder_->path("player.o") + " " +
        folder_->path("accesses.o"));
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  static int run(const std::string& command) {
    const int status = std::system(command.c_str());
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    EXPECT_TRUE(code == 0 || code == 66) << command << ": " << code;
    return code;
  }

  // For each report the bytes that both accesses touched, from the beginning of the player's memory.
  static std::vector<std::pair<uint64_t, uint64_t>> play(const Program& program) {
    const std::string events = folder_->write("events", program.events), record = folder_->path("record");
    std::filesystem::remove(record);
    const int code = run("DEADHEAT_OPTIONS=record_path=" + record +
                         ":log_path=/dev/null:suppress_equal_stacks=0:suppress_equal_addresses=0:detect_deadlocks=0:"
                         "report_thread_leaks=0:symbolize=0 " +
                         folder_->path("player") + " " + events + " >" + folder_->path("base"));
    const uint64_t base = std::stoull(folder_->read("base"));
    std::vector<std::pair<uint64_t, uint64_t>> ranges;
    std::istringstream lines(folder_->read("record"));
    for (std::string line; std::getline(lines, line);) {
      const auto report = nlohmann::json::parse(line);
      EXPECT_EQ(report["type"], "race") << line;
      const uint64_t address = report["address"], size = report["size"];
      ranges.emplace_back(address - base, address - base + size);
    }
    EXPECT_EQ(code, ranges.empty() ? 0 : 66);
    return ranges;
  }

  static TemporaryFolder* folder_;
};
TemporaryFolder* LiveOracle::folder_ = nullptr;

TEST_F(LiveOracle, SaysTheSame) {
  const char* wanted = std::getenv("DEADHEAT_LIVE_SEEDS");  // "FIRST-LAST"
  uint64_t first = 1, last = 150;
  if (wanted != nullptr) {
    ASSERT_EQ(std::sscanf(wanted, "%lu-%lu", &first, &last), 2);
  }
  unsigned racy_programs = 0;
  for (uint64_t seed = first; seed <= last; ++seed) {
    const RandomProgram random(seed);
    const TestTrace trace = parse_trace(random.program().trace);
    std::set<uint64_t> racy_bytes, racy_cells, reported_cells;
    const Oracle oracle(trace);
    for (const auto& [place, race] : oracle.first_races()) racy_bytes.insert(place.id - kBase);
    for (const uint64_t byte : racy_bytes) racy_cells.insert(byte / kCell);
    bool all_real = true;
    for (const auto& [begin, end] : play(random.program())) {
      bool is_real = false;
      for (uint64_t byte = begin; byte < end; ++byte) {
        is_real |= racy_bytes.contains(byte);
        if (racy_bytes.contains(byte)) reported_cells.insert(byte / kCell);
      }
      all_real &= is_real;
    }
    racy_programs += !racy_bytes.empty();
    EXPECT_TRUE(all_real) << "a report that is no race";
    EXPECT_EQ(reported_cells, racy_cells);
    if (HasFailure()) {
      FAIL() << "repeat with DEADHEAT_LIVE_SEEDS=" << seed << "-" << seed << " live_oracle_tests\n"
             << random.program().trace;
    }
  }
  if (last - first > 100) {
    EXPECT_GT(racy_programs, (last - first) / 5);
    EXPECT_LT(racy_programs, last - first) << "programs without a race must be among them";
  }
}

}  // namespace
}  // namespace deadheat::test
