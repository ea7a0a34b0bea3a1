#include "engine/analysis.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>

#include "engine/pipeline.h"
#include "engine/registry.h"
#include "race/groups.h"
#include "replay/validator.h"

namespace deadheat {

namespace {

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// One analysis: its workers and what they cost.
struct Running {
  const AnalysisOptions& options;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<double> seconds;
  std::optional<Split> split;  // with several workers
};

// ---- Counters of several workers become one tree -----------------------------------------------------------------

class Merge final : public CounterSink {
 public:
  void start_worker() { first_worker_ = workers_++ == 0; }
  void add(std::string_view path, uint64_t value, Scope scope, uint64_t of) override {
    if (scope == kPerSync && !first_worker_) return;
    Counter& counter = find(counters_, path);
    counter.value += value;
    counter.of += of;
  }
  void add_rule(std::string_view rule, AccessKind kind, uint64_t count) override {
    Counter& counter = find(rules_, rule);
    counter.kind = kind;
    counter.value += count;
  }

  void render(uint64_t events, Stats& stats) const {
    uint64_t reads = 0, writes = 0;
    for (const Counter& rule : rules_) {
      if (rule.kind == AccessKind::kRead) reads += rule.value;
      if (rule.kind == AccessKind::kWrite) writes += rule.value;
    }
    for (const Counter& rule : rules_) {
      stats.add("rules/" + rule.path + "/count", rule.value);
      if (rule.kind == AccessKind::kRead)
        stats.add("rules/" + rule.path + "/percent of reads", percent(rule.value, reads));
      if (rule.kind == AccessKind::kWrite)
        stats.add("rules/" + rule.path + "/percent of writes", percent(rule.value, writes));
      stats.add("rules/" + rule.path + "/percent of all", percent(rule.value, events));
    }
    for (const Counter& counter : counters_) {
      if (counter.of == 0) {
        stats.add(counter.path, counter.value);
      } else {
        stats.add(counter.path + "/count", counter.value);
        stats.add(counter.path + "/percent", percent(counter.value, counter.of));
      }
    }
  }

 private:
  struct Counter {
    std::string path;
    AccessKind kind = AccessKind::kNone;
    uint64_t value = 0;
    uint64_t of = 0;
  };
  static Counter& find(std::vector<Counter>& counters, std::string_view path) {
    for (Counter& counter : counters)
      if (counter.path == path) return counter;
    counters.push_back({std::string(path)});
    return counters.back();
  }

  std::vector<Counter> rules_, counters_;  // in the order in which detectors name them
  unsigned workers_ = 0;
  bool first_worker_ = false;
};

// ---- Races of several workers become one list --------------------------------------------------------------------

// The order of reports: by the access that completed the race, then by variable.
auto report_order(const FoundRace& race) { return std::tuple(race.second.event, race.what, race.target); }

// Neighbouring bytes of one access that race with the same earlier access are one race.
bool continues(const FoundRace& last, const FoundRace& next) {
  return last.what == FoundRace::What::kRange && next.what == FoundRace::What::kRange &&
         last.target + last.bytes == next.target && last.second.event == next.second.event &&
         last.conflict.known == next.conflict.known && last.conflict.first.event == next.conflict.first.event &&
         last.rank == next.rank &&
         std::equal(last.more.begin(), last.more.end(), next.more.begin(), next.more.end(),
                    [](const Access& a, const Access& b) { return a.event == b.event; });
}

// The rank with what only all accesses of a warning together can tell.
int final_rank(const FoundRace& race) {
  const bool several = std::any_of(race.more.begin(), race.more.end(),
                                   [&race](const Access& a) { return a.thread != race.second.thread; });
  return race.rank == 0 || !several ? race.rank : race.rank + rank::kSeveralThreads;
}

std::vector<FoundRace> merge_races(std::vector<FoundRace> found) {
  std::stable_sort(found.begin(), found.end(),
                   [](const FoundRace& a, const FoundRace& b) { return report_order(a) < report_order(b); });
  std::vector<FoundRace> merged;
  for (FoundRace& race : found) {
    if (!merged.empty() && continues(merged.back(), race)) {
      merged.back().bytes += race.bytes;
    } else {
      merged.push_back(std::move(race));
    }
  }
  return merged;
}

Side resolve(const Access& a, const Names& names, FindingStore& store) {
  return {.kind = a.kind,
          .thread_name = store.text(names.threads[a.thread]),
          .event = a.event,
          .stack = store.location(names.location(a.location))};
}

std::string name_of(const FoundRace& race, const Names& names) {
  switch (race.what) {
    case FoundRace::What::kVariable:
      return std::string(names.variables[static_cast<VariableId>(race.target)]);
    case FoundRace::What::kObject:
      return std::string(names.objects[static_cast<ObjectId>(race.target)]);
    case FoundRace::What::kRange:
      break;
  }
  return fmt::format("{:#x}:{}", race.target, race.bytes);
}

Finding resolve(const FoundRace& race, const Names& names, FindingStore& store) {
  std::vector<Side> sides = {resolve(race.second, names, store)};
  sides.push_back(race.conflict.known ? resolve(race.conflict.first, names, store) : Side{});
  for (const Access& a : race.more) sides.push_back(resolve(a, names, store));
  Finding finding;
  finding.memory.kind = Memory::kVariable;
  finding.memory.name = store.text(name_of(race, names));
  finding.sides = store.copy<Side>(sides);
  finding.rank = final_rank(race);
  return finding;
}

AnalysisResult conclude(const Running& running, const Names& names, const TraceCounts& counts, double decode_seconds) {
  AnalysisResult result;
  result.findings.detector = running.options.detector;
  result.findings.filter = running.options.filter;
  result.findings.trace = counts;
  std::vector<FoundRace> races;
  for (const auto& worker : running.workers)
    std::move(worker->races().begin(), worker->races().end(), std::back_inserter(races));
  for (const FoundRace& race : merge_races(std::move(races)))
    result.findings.races.push_back(resolve(race, names, *result.findings.store));
  // The most likely first, among equals the earliest; without ranks this changes nothing.
  std::stable_sort(result.findings.races.begin(), result.findings.races.end(),
                   [](const Finding& a, const Finding& b) { return a.rank > b.rank; });
  const bool is_ranked = !result.findings.races.empty() && result.findings.races.front().rank > 0;
  if (is_ranked) group_by_location(result.findings.races);
  for (const auto& worker : running.workers) result.memory_bytes += worker->memory_bytes();
  result.seconds = *std::max_element(running.seconds.begin(), running.seconds.end());
  if (running.options.stats) {
    Merge merge;
    for (const auto& worker : running.workers) {
      merge.start_worker();
      worker->count(merge);
    }
    merge.render(counts.events, result.findings.stats);
    result.findings.stats.add("time/decode seconds", decode_seconds);
    result.findings.stats.add("time/detect seconds", result.seconds);
    result.findings.stats.add("memory/peak bytes", uint64_t{result.memory_bytes});
  }
  return result;
}

// ---- While the trace is being read ---------------------------------------------------------------------------------

// Workers put here what they find; whoever decodes, one thread at a time, takes it out and gives it names.
class Interim {
 public:
  Interim(const std::vector<Running>& running, const FoundCallback& tell) : tell_(tell), fresh_(running.size()) {
    for (const Running& r : running) seen_.emplace_back(r.workers.size());
  }

  void look(size_t analysis, unsigned job, std::span<const FoundRace> races) {
    size_t& seen = seen_[analysis][job];
    if (!tell_ || races.size() == seen) return;
    const std::lock_guard lock(mutex_);
    for (const FoundRace& race : races.subspan(seen))
      if (race.rank == 0) fresh_[analysis].push_back(race);
    seen = races.size();
    has_fresh_.store(true, std::memory_order_relaxed);
  }

  void tell(const std::vector<Running>& running, const Batch& batch, const Names& names) {
    const uint64_t events = batch.first_event + batch.events.size();
    if (!has_fresh_.load(std::memory_order_relaxed) || (events < next_ && !batch.events.empty())) return;
    next_ = events + events / 4 + kEvents;
    std::vector<std::vector<FoundRace>> fresh(fresh_.size());
    {
      const std::lock_guard lock(mutex_);
      fresh.swap(fresh_);
      has_fresh_.store(false, std::memory_order_relaxed);
    }
    for (size_t i = 0; i < fresh.size(); ++i) {
      if (fresh[i].empty()) continue;
      Findings found;
      found.detector = running[i].options.detector;
      found.filter = running[i].options.filter;
      for (const FoundRace& race : merge_races(std::move(fresh[i])))
        found.races.push_back(resolve(race, names, *found.store));
      tell_(i, found);
    }
  }

 private:
  static constexpr uint64_t kEvents = 1 << 16;

  const FoundCallback& tell_;
  std::vector<std::vector<size_t>> seen_;  // by analysis and worker
  uint64_t next_ = 0;                      // the event from which on it is time again
  std::atomic<bool> has_fresh_{false};
  std::mutex mutex_;
  std::vector<std::vector<FoundRace>> fresh_;  // by analysis; guarded by mutex_
};

}  // namespace

std::vector<AnalysisResult> analyze(TraceReader& reader, std::span<const AnalysisOptions> analyses, bool lenient,
                                    Losses& losses, const ProgressCallback& progress, const Annotations* annotations,
                                    const FoundCallback& found, RealNames* real_names) {
  unsigned jobs = 1;
  std::vector<Running> running;
  for (const AnalysisOptions& options : analyses) {
    jobs = std::max(jobs, options.jobs);
    Running& added =
        running.emplace_back(options, std::vector<std::unique_ptr<Worker>>{}, std::vector<double>(options.jobs));
    for (unsigned i = 0; i < options.jobs; ++i) added.workers.push_back(make_worker(options, {i, options.jobs}));
    if (options.jobs > 1) added.split.emplace(options.jobs, added.workers[0]->unit());
  }

  Interim interim(running, found);
  Validator validator(reader, lenient, losses);
  std::optional<Unwatched> unwatched;
  std::optional<UserLocks> user_locks;
  if (annotations != nullptr) unwatched.emplace(*annotations, reader.names(), real_names);
  if (annotations != nullptr && annotations->has_locks()) user_locks.emplace(*annotations, reader.names(), real_names);
  uint64_t events = 0;
  double decode_seconds = 0;
  const auto decode = [&](Batch& batch) {
    const double start = thread_cpu_seconds();
    const bool more = reader.next(batch);
    if (more) {
      validator.check(batch);
      if (unwatched) unwatched->apply(batch);
      if (user_locks) user_locks->apply(batch);
      events = batch.first_event + batch.events.size();
      if (progress) progress({events, reader.progress()});
      interim.tell(running, batch, reader.names());
    }
    decode_seconds += thread_cpu_seconds() - start;
    return more;
  };

  const auto decode_and_split = [&](SplitBatch& out) {
    if (!decode(out.batch)) return false;
    const double start = thread_cpu_seconds();
    out.selections.resize(running.size());
    for (size_t r = 0; r < running.size(); ++r)
      if (running[r].split) running[r].split->select(out.batch, out.selections[r]);
    decode_seconds += thread_cpu_seconds() - start;
    return true;
  };

  const auto consume = [&](unsigned job, const Batch& batch, const std::vector<std::vector<Selection>>& selections) {
    for (size_t i = 0; i < running.size(); ++i) {
      Running& r = running[i];
      if (job >= r.workers.size()) continue;
      const double start = thread_cpu_seconds();
      r.workers[job]->consume(batch, r.split ? &selections[i][job] : nullptr);
      r.seconds[job] += thread_cpu_seconds() - start;
      interim.look(i, job, r.workers[job]->races());
    }
  };
  const auto finish = [&](unsigned job) {
    for (Running& r : running)
      if (job < r.workers.size()) r.workers[job]->finish();
  };

  if (jobs == 1) {
    Batch batch;
    while (decode(batch)) consume(0, batch, {});
    finish(0);
  } else {
    Pipeline pipeline(jobs, decode_and_split);
    std::exception_ptr error;
    std::mutex error_mutex;
    const auto work = [&](unsigned job) {
      try {
        uint64_t number = 0;
        while (const SplitBatch* next = pipeline.get(job, number)) {
          consume(job, next->batch, next->selections);
          pipeline.let_go(number++);
        }
        finish(job);
      } catch (...) {
        const std::lock_guard lock(error_mutex);
        error = std::current_exception();
      }
    };
    std::vector<std::thread> threads;
    for (unsigned job = 1; job < jobs; ++job) threads.emplace_back(work, job);
    work(0);
    for (std::thread& thread : threads) thread.join();
    if (error) std::rethrow_exception(error);
  }

  losses.skipped_lines += reader.losses().skipped_lines;
  losses.skipped_blocks += reader.losses().skipped_blocks;
  losses.truncated |= reader.losses().truncated;
  const Names& names = reader.names();
  const TraceCounts counts{events, names.threads.size(), names.variables.size(), names.locks.size()};
  std::vector<AnalysisResult> results;
  results.reserve(running.size());
  for (const Running& r : running) results.push_back(conclude(r, names, counts, decode_seconds));
  return results;
}

}  // namespace deadheat
