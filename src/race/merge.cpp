#include "race/merge.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "race/fingerprint.h"
#include "race/ranking.h"

namespace deadheat {

namespace {

constexpr size_t kMostExamples = 8;   // of a group
constexpr size_t kMostPlaces = 20;    // of a group
constexpr size_t kMostCompared = 64;  // groups that a group's stacks are compared with, for each thing they share

using Frames = std::vector<uint64_t>;  // hashes, ascending, each once

// A frame that many stacks have, whatever they do: those of the library that starts a thread, for example.
bool says_little(const StackFrame& frame) { return is_of_the_system(frame) || (frame.foreign && frame.file.empty()); }

// What the frames of both stacks are, over all builds; only those of the program, if there are any.
Frames frames_of(const Finding& finding) {
  const std::vector<StackView> stacks = stacks_of(finding);
  bool has_own = false;
  for (const StackView stack : stacks)
    for (const StackFrame& frame : stack) has_own |= !frame.ours && !says_little(frame);
  Frames frames;
  for (const StackView stack : stacks)
    for (const StackFrame& frame : stack) {
      if (frame.ours || (has_own && says_little(frame))) continue;
      if (!frame.function.empty())
        frames.push_back(stable_hash(stable_name(frame.function)));
      else if (!frame.file.empty())
        frames.push_back(stable_hash(frame.file, static_cast<uint64_t>(frame.line)));
      else
        frames.push_back(stable_hash(frame.module, frame.offset));
    }
  std::sort(frames.begin(), frames.end());
  frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
  return frames;
}

bool are_alike(const Frames& a, const Frames& b) {
  std::vector<uint64_t> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return !common.empty() && 2 * common.size() >= a.size() + b.size() - common.size();
}

uint64_t hash_of(const Frames& frames) {
  return stable_hash({reinterpret_cast<const char*>(frames.data()), frames.size() * sizeof(uint64_t)});
}

std::string place_pair(const Finding& finding) {
  std::vector<std::string> places;
  for (const StackView stack : stacks_of(finding)) places.push_back(place_text(place_frame(stack)));
  std::sort(places.begin(), places.end());
  std::string text;
  for (const std::string& place : places) text += (text.empty() ? "" : " and ") + place;
  return text;
}

// What tells a record from others as far as groups are concerned. Texts and stacks are compared by where they are: the
// reader keeps equal ones once.
struct VariantKey {
  const void* stacks[2] = {};
  const void* memory[2] = {};
  uint64_t rest = 0;
  bool operator==(const VariantKey&) const = default;
};
struct VariantHash {
  size_t operator()(const VariantKey& key) const {
    return stable_hash({reinterpret_cast<const char*>(&key), sizeof key});
  }
};
static_assert(std::has_unique_object_representations_v<VariantKey>);

VariantKey key_of(const Finding& finding) {
  VariantKey key;
  uint64_t rest = static_cast<uint64_t>(finding.kind) << 8 | finding.memory.kind;
  if (finding.is_race()) {
    const Side* const earlier = finding.earlier();
    key.stacks[0] = finding.sides[0].stack.data();
    key.stacks[1] = earlier == nullptr ? nullptr : earlier->stack.data();
    rest = rest << 16 | static_cast<uint64_t>(finding.sides[0].kind) << 4 |
           (earlier == nullptr ? 0 : static_cast<uint64_t>(earlier->kind));
  } else {
    for (const StackView stack : stacks_of(finding))
      rest =
          stable_hash({reinterpret_cast<const char*>(&rest), sizeof rest}, reinterpret_cast<uintptr_t>(stack.data()));
  }
  key.memory[0] = finding.memory.stack.data();
  key.memory[1] = finding.memory.name.data();
  key.rest = rest;
  return key;
}

// Records of one fingerprint.
struct Bucket {
  uint64_t fingerprint = 0;
  Frames frames;  // of the variant whose frames have the smallest hash
  uint64_t frames_hash = UINT64_MAX;
  std::string memory;                      // identity; empty for none
  bool has_variable = false;               // the memory is a variable with a name
  bool known = false;                      // by a baseline
  std::map<std::string, uint64_t> places;  // pairs of lines
  std::vector<size_t> variants;            // indexes
  std::map<size_t, uint64_t> runs;         // index of the run -> records
  std::unordered_set<uint64_t> objects;    // hashes of run and address
  uint64_t records = 0, races = 0;
};

// Code that races on two variables with names has two bugs, although its lines are the same.
bool may_be_one_bug(const Bucket& a, const Bucket& b) {
  return (!a.has_variable || !b.has_variable || a.memory == b.memory) && are_alike(a.frames, b.frames);
}

struct Variant {
  size_t bucket = 0;
  uint64_t* place = nullptr;  // the counter of its pair of lines
  Example example;            // its finding is kept if it may be shown
  bool kept = false;
};

}  // namespace

class Merge::Parts {
 public:
  explicit Parts(std::shared_ptr<FindingStore> store) : store_(std::move(store)) {}

  size_t run_index(std::string_view id, int process) {
    const auto [at, is_new] = run_numbers_.try_emplace(std::string(id), runs_.size());
    if (is_new) {
      runs_.push_back({});
      runs_.back().facts.id = store_->text(id);
      runs_.back().facts.process = process;
    }
    return at->second;
  }
  void add_run(const RunFacts& run) { runs_[run_index(run.id, run.process)].facts = run; }
  void end_run(std::string_view id, const RunEnd& end) {
    ReportRun& run = runs_[run_index(id, 0)];
    run.ended = true;
    run.end = end;
  }

  void add(const Finding& finding, std::string_view id, int process) {
    const size_t run = run_index(id, process);
    ++runs_[run].records;
    ++records_;
    const auto [at, is_new] = variant_numbers_.try_emplace(key_of(finding), variants_.size());
    if (is_new) add_variant(finding, run);
    Variant& variant = variants_[at->second];
    Bucket& bucket = buckets_[variant.bucket];
    ++variant.example.records;
    ++*variant.place;
    ++bucket.records;
    bucket.races += finding.races;
    ++bucket.runs[run];
    const uint64_t object[2] = {run, finding.is_race() ? finding.both_begin : finding.memory.begin};
    bucket.objects.insert(stable_hash({reinterpret_cast<const char*>(object), sizeof object}));
  }

  ReportModel finish(const std::set<std::string>* known) {
    ReportModel model;
    model.has_baseline = known != nullptr;
    if (known != nullptr) mark(*known);
    model.store = store_;
    model.records = records_;
    const std::vector<size_t> root = joined();
    const std::vector<size_t> run_order = sort_runs(model);
    std::map<size_t, std::vector<size_t>> members;
    for (size_t i = 0; i < buckets_.size(); ++i) members[root[i]].push_back(i);
    for (const auto& [first, all] : members) model.groups.push_back(group_of(all, run_order));
    std::sort(model.groups.begin(), model.groups.end(), [](const Group& a, const Group& b) {
      return a.rank != b.rank ? a.rank > b.rank : a.fingerprint < b.fingerprint;
    });
    return model;
  }

 private:
  void add_variant(const Finding& finding, size_t run) {
    const uint64_t fingerprint = fingerprint_of(finding);
    const auto [at, is_new] = bucket_numbers_.try_emplace(fingerprint, buckets_.size());
    if (is_new) {
      buckets_.emplace_back();
      buckets_.back().fingerprint = fingerprint;
      buckets_.back().memory = memory_identity(finding);
      buckets_.back().has_variable = names_variable(finding);
    }
    Bucket& bucket = buckets_[at->second];
    Frames frames = frames_of(finding);
    if (const uint64_t hash = hash_of(frames); hash < bucket.frames_hash) {
      bucket.frames_hash = hash;
      bucket.frames = std::move(frames);
    }
    Variant variant;
    variant.bucket = at->second;
    variant.place = &bucket.places[place_pair(finding)];
    variant.example.run = run;
    // The first few, and those that show a new pair of lines.
    variant.kept =
        bucket.variants.size() < kMostExamples || (*variant.place == 0 && bucket.places.size() <= kMostPlaces);
    if (variant.kept) variant.example.finding = kept(finding);
    bucket.variants.push_back(variants_.size());
    variants_.push_back(variant);
  }

  // A copy whose lists live as long as the store.
  Finding kept(const Finding& finding) {
    Finding copy = finding;
    std::vector<Side> sides(finding.sides.begin(), finding.sides.end());
    for (Side& side : sides) side.locks = store_->copy<SideLock>(side.locks);
    copy.sides = store_->copy<Side>(sides);
    copy.stacks = store_->copy<FindingStack>(finding.stacks);
    copy.locks = store_->copy<FindingLock>(finding.locks);
    copy.threads = store_->copy<FindingThread>(finding.threads);
    if (finding.explanation != nullptr) {
      Explanation why = *finding.explanation;
      why.lock_uses = store_->copy<LockUse>(why.lock_uses);
      why.timeline = store_->copy<TimelineStep>(why.timeline);
      copy.explanation = store_->copy<Explanation>({&why, 1}).data();
    }
    return copy;
  }

  // What a baseline knows: by its fingerprint, or because it has the lines of something that has one.
  void mark(const std::set<std::string>& known) {
    std::unordered_map<std::string, std::vector<size_t>> at_lines;
    for (size_t i = 0; i < buckets_.size(); ++i) {
      buckets_[i].known = known.contains(fingerprint_text(buckets_[i].fingerprint));
      if (buckets_[i].known)
        for (const auto& [place, count] : buckets_[i].places) at_lines[place].push_back(i);
    }
    for (Bucket& bucket : buckets_)
      for (const auto& [place, count] : bucket.places) {
        const auto found = at_lines.find(place);
        if (bucket.known || found == at_lines.end() || !is_known_place(place)) continue;
        bucket.known = std::any_of(found->second.begin(), found->second.end(),
                                   [&](size_t other) { return may_be_one_bug(bucket, buckets_[other]); });
      }
  }
  // The code that initialises globals allocates blocks that have nothing to do with each other.
  static bool is_shared_by_many(const std::string& memory) {
    return memory == kThreadLocalMemory || memory.find(kStaticInitialisation) != std::string::npos;
  }
  static bool is_known_place(const std::string& pair) { return pair.find('?') == std::string::npos; }

  // For each bucket the smallest one of its group.
  std::vector<size_t> joined() {
    // In an order that does not depend on that of the records.
    std::vector<size_t> order(buckets_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(),
              [this](size_t a, size_t b) { return buckets_[a].fingerprint < buckets_[b].fingerprint; });
    std::vector<size_t> parent(buckets_.size());
    std::iota(parent.begin(), parent.end(), size_t{0});
    const auto root = [&parent](size_t at) {
      while (parent[at] != at) at = parent[at] = parent[parent[at]];
      return at;
    };
    // Of a group the bucket whose memory is a variable. Memory without a name joins no two variables either.
    std::vector<const Bucket*> variable(buckets_.size());
    for (size_t i = 0; i < variable.size(); ++i) variable[i] = buckets_[i].has_variable ? &buckets_[i] : nullptr;
    const auto join = [&](size_t from, size_t to) {
      const Bucket *const a = variable[from], *const b = variable[to];
      if (a != nullptr && b != nullptr && a->memory != b->memory) return;
      parent[from] = to;
      if (b == nullptr) variable[to] = a;
    };
    std::unordered_map<std::string, std::vector<size_t>> sharing;
    for (const size_t i : order) {
      const auto join_alike = [&](const std::string& shared) {
        std::vector<size_t>& others = sharing[shared];
        for (const size_t other : others)
          if (buckets_[i].known == buckets_[other].known && may_be_one_bug(buckets_[i], buckets_[other]))
            join(root(i), root(other));
        if (others.size() < kMostCompared) others.push_back(i);
      };
      for (const auto& [place, count] : buckets_[i].places)
        if (is_known_place(place)) join_alike("at " + place);
      if (!buckets_[i].memory.empty() && !is_shared_by_many(buckets_[i].memory)) join_alike("on " + buckets_[i].memory);
    }
    std::vector<size_t> roots(buckets_.size());
    for (size_t i = 0; i < roots.size(); ++i) roots[i] = root(i);
    return roots;
  }

  // The new index of each run.
  std::vector<size_t> sort_runs(ReportModel& model) const {
    std::vector<size_t> order(runs_.size()), place(runs_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [this](size_t a, size_t b) {
      const RunFacts &x = runs_[a].facts, &y = runs_[b].facts;
      return x.started != y.started ? x.started < y.started : x.id < y.id;
    });
    for (size_t i = 0; i < order.size(); ++i) {
      place[order[i]] = i;
      model.runs.push_back(runs_[order[i]]);
    }
    return place;
  }

  Group group_of(const std::vector<size_t>& members, const std::vector<size_t>& run_order) const {
    Group group;
    std::map<std::string, uint64_t> places;
    for (const size_t member : members) {
      const Bucket& bucket = buckets_[member];
      group.fingerprints.push_back(fingerprint_text(bucket.fingerprint));
      group.known = bucket.known;
      group.records += bucket.records;
      group.races += bucket.races;
      group.objects += bucket.objects.size();
      group.variants += bucket.variants.size();
      for (const auto& [run, records] : bucket.runs) group.runs[run_order[run]] += records;
      for (const auto& [place, count] : bucket.places) places[place] += count;
      for (const size_t variant : bucket.variants)
        if (variants_[variant].kept) {
          group.examples.push_back(variants_[variant].example);
          group.examples.back().run = run_order[variants_[variant].example.run];
        }
    }
    std::sort(group.fingerprints.begin(), group.fingerprints.end());
    group.fingerprint = group.fingerprints.front();
    group.places.assign(places.begin(), places.end());
    std::stable_sort(group.places.begin(), group.places.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    if (group.places.size() > kMostPlaces) group.places.resize(kMostPlaces);
    choose_examples(group);
    rank_group(group);
    return group;
  }

  // The most harmful pair first, then the most frequent one; of the rest, those that show another pair of lines first.
  static void choose_examples(Group& group) {
    const auto rank = [&group](const Example& example) {
      Group alone;
      alone.examples = {example};
      alone.runs = group.runs;
      rank_group(alone);
      return alone.rank;
    };
    std::vector<std::pair<int, Example>> ranked;
    ranked.reserve(group.examples.size());
    for (const Example& example : group.examples) ranked.emplace_back(rank(example), example);
    std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
      if (a.first != b.first) return a.first > b.first;
      if (a.second.records != b.second.records) return a.second.records > b.second.records;
      return hash_of(frames_of(a.second.finding)) < hash_of(frames_of(b.second.finding));
    });
    std::set<std::string> shown;
    std::vector<Example> first, rest;
    for (const auto& [points, example] : ranked)
      (shown.insert(place_pair(example.finding)).second ? first : rest).push_back(example);
    first.insert(first.end(), rest.begin(), rest.end());
    if (first.size() > kMostExamples) first.resize(kMostExamples);
    group.examples = std::move(first);
  }

  std::shared_ptr<FindingStore> store_;
  std::vector<ReportRun> runs_;
  std::unordered_map<std::string, size_t> run_numbers_;
  std::vector<Variant> variants_;
  std::unordered_map<VariantKey, size_t, VariantHash> variant_numbers_;
  std::deque<Bucket> buckets_;  // variants point into them
  std::unordered_map<uint64_t, size_t> bucket_numbers_;
  uint64_t records_ = 0;
};

Merge::Merge(std::shared_ptr<FindingStore> store) : parts_(std::make_unique<Parts>(std::move(store))) {}
Merge::~Merge() = default;
void Merge::add_run(const RunFacts& run) { parts_->add_run(run); }
void Merge::end_run(std::string_view run, const RunEnd& end) { parts_->end_run(run, end); }
void Merge::add(const Finding& finding, std::string_view run, int process) { parts_->add(finding, run, process); }
ReportModel Merge::finish(const std::set<std::string>* known) { return parts_->finish(known); }

}  // namespace deadheat
