#include "cli/record_input.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/progress_bar.h"
#include "race/merge.h"
#include "report/record_reader.h"
#include "symbolize/module.h"

namespace deadheat::cli {

namespace {

// Puts functions and lines into stacks that have none.
class Names {
 public:
  void resolve(std::vector<StackFrame>& frames, FindingStore& store) {
    std::vector<StackFrame> named;
    for (const StackFrame& frame : frames) {
      if (!frame.function.empty() || !frame.file.empty() || frame.module.empty() || frame.ours) {
        named.push_back(frame);
        continue;
      }
      const std::vector<StackFrame>& known = place(frame, store);
      named.insert(named.end(), known.begin(), known.end());
    }
    frames = std::move(named);
  }

  void resolve(Memory& memory, FindingStore& store) {
    if (memory.kind != Memory::kGlobal || !memory.name.empty() || memory.module.empty()) return;
    symbolize::Module* const opened = module(memory.module, memory.build_id);
    const auto found = opened == nullptr ? std::nullopt : opened->data(memory.offset);
    if (!found || found->name.empty()) return;
    memory.name = store.text(found->name);
    memory.bytes = found->size;
  }

  // What could not be looked up, a sentence each.
  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    notes.reserve(refused_.size());
    for (const auto& [path, why] : refused_)
      notes.push_back(fmt::format("{}: {}: its places are shown as module and offset", path, why));
    return notes;
  }

 private:
  // The frames at a place, which many stacks have; the frame itself where nothing is known. Equal texts are kept once, so
  // they are the same memory.
  const std::vector<StackFrame>& place(const StackFrame& frame, FindingStore& store) {
    symbolize::Module* const opened = module(frame.module, frame.build_id);
    const auto [at, is_new] = places_.try_emplace({frame.module.data(), frame.build_id.data(), frame.offset});
    std::vector<StackFrame>& frames = at->second;
    if (!is_new) return frames;
    // The byte before a return address is the call's.
    const std::vector<symbolize::Frame> known =
        opened == nullptr ? std::vector<symbolize::Frame>{} : opened->code(frame.offset - 1);
    for (size_t i = 0; i < known.size(); ++i) {
      StackFrame& added = frames.emplace_back(frame);
      added.function = store.text(known[i].function);
      added.file = store.text(known[i].file);
      added.line = known[i].line;
      added.column = known[i].column;
      added.inlined = i + 1 < known.size();
    }
    if (known.empty()) frames.push_back(frame);
    return frames;
  }

  symbolize::Module* module(std::string_view path, std::string_view build_id) {
    const auto [at, is_new] = modules_.try_emplace({std::string(path), std::string(build_id)});
    if (!is_new) return at->second.get();
    auto opened = std::make_unique<symbolize::Module>(at->first.first);
    if (!opened->is_open())
      refused_.emplace(path, "is not there any more");
    else if (opened->build_id() != build_id)
      refused_.emplace(path,
                       build_id.empty() ? "has a build id, but the record has none" : "was built anew since the run");
    else
      at->second = std::move(opened);
    return at->second.get();
  }

  std::map<std::pair<std::string, std::string>, std::unique_ptr<symbolize::Module>> modules_;
  std::map<std::string, std::string> refused_;
  std::map<std::tuple<const char*, const char*, uint64_t>, std::vector<StackFrame>> places_;
};

class Collector : public RecordReader::Handler {
 public:
  Collector(Merge& merge, Names& names, FindingStore& store, Suppressions& rules)
      : merge_(merge), names_(names), store_(store), rules_(rules) {}

  void run(const RunFacts& run) override { merge_.add_run(run); }
  void end(std::string_view run, const RunEnd& end) override { merge_.end_run(run, end); }
  void finding(const Finding& read, std::string_view run, int process) override {
    Finding finding = read;
    names_.resolve(finding.memory, store_);
    if (rules_.match(finding) != nullptr)
      ++suppressed;
    else
      merge_.add(finding, run, process);
  }
  uint64_t suppressed = 0;

 private:
  Merge& merge_;
  Names& names_;
  FindingStore& store_;
  Suppressions& rules_;
};

uint64_t size_of(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) ? static_cast<uint64_t>(status.st_size) : 0;
}

std::string counted_lines(uint64_t count, std::string_view what) {
  return fmt::format("{} {} {}", count, count == 1 ? "line" : "lines", what);
}

void note_losses(const std::string& name, const RecordLosses& losses, std::vector<std::string>& notes) {
  if (losses.cut != 0) notes.push_back(fmt::format("{}: {}", name, counted_lines(losses.cut, "cut off, left out")));
  if (losses.damaged != 0)
    notes.push_back(fmt::format("{}: {}", name, counted_lines(losses.damaged, "no race record, left out")));
  if (losses.other_version != 0)
    notes.push_back(
        fmt::format("{}: {}, left out", name,
                    counted_lines(losses.other_version, fmt::format("of record version {}", losses.version))));
}

}  // namespace

namespace {

using Parse = void (Suppressions::*)(std::string_view text, Suppressions::Tell tell, void* context);

void read_rules(const std::string& path, std::string_view what, Suppressions& rules, Parse parse) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf() || file.eof()))
    throw UsageError(fmt::format("{}: cannot be read; expected a file of {}", path, what));
  struct Refusal {
    const std::string& path;
    std::string what = {};
  } refusal{path};
  (rules.*parse)(
      text.str(),
      [](void* context, uint32_t line, std::string_view written, const char* problem) {
        Refusal& first = *static_cast<Refusal*>(context);
        if (first.what.empty()) first.what = fmt::format("{}:{}: {}: {}", first.path, line, problem, written);
      },
      &refusal);
  if (!refusal.what.empty()) throw UsageError(refusal.what);
}

}  // namespace

void read_suppressions(const std::string& path, Suppressions& rules) {
  read_rules(path, "suppressions", rules, &Suppressions::parse);
}

void leave_out_suppressed(Findings& findings, Suppressions& rules) {
  findings.suppressed +=
      std::erase_if(findings.races, [&](const Finding& race) { return rules.match(race) != nullptr; });
}

std::vector<std::string> unused_lines(const Suppressions& rules) {
  std::vector<std::string> lines;
  for (const Suppression& rule : rules.rules())
    if (rule.hits == 0) lines.emplace_back(rule.written);
  return lines;
}

void read_annotations(const std::string& path, Suppressions& rules) {
  read_rules(path, "annotations", rules, &Suppressions::parse_annotations);
}

ReportModel read_record_files(const std::vector<std::string>& paths, Suppressions& rules,
                              const std::set<std::string>* known) {
  auto store = std::make_shared<FindingStore>();
  Names names;
  Merge merge(store);
  Collector collector(merge, names, *store, rules);
  RecordReader reader(*store,
                      [&names](std::vector<StackFrame>& frames, FindingStore& to) { names.resolve(frames, to); });
  std::vector<std::string> notes;
  uint64_t total = 0, before = 0, lines_before = 0;
  for (const std::string& path : paths) total += size_of(path);
  {
    ProgressBar bar("records");
    for (const std::string& path : paths) {
      const bool is_stdin = path == "-";
      const std::string name = is_stdin ? "standard input" : path;
      std::FILE* const file = is_stdin ? stdin : std::fopen(path.c_str(), "rb");
      if (file == nullptr) throw UsageError(fmt::format("{}: {}", path, std::strerror(errno)));
      RecordLosses losses;
      const bool whole = read_records(file, reader, collector, losses, [&](uint64_t bytes) {
        bar.update({.events = lines_before + losses.lines,
                    .fraction = total == 0 ? -1 : static_cast<double>(before + bytes) / static_cast<double>(total)});
      });
      const int error = errno;
      if (!is_stdin) std::fclose(file);
      if (!whole) throw UsageError(fmt::format("{}: {}", name, std::strerror(error)));
      if (losses.lines == 0 && losses.other_version == 0 && losses.cut == 0 && losses.damaged != 0)
        throw UsageError(fmt::format("{}: is no file of race records (see the option record_path)", name));
      note_losses(name, losses, notes);
      before += size_of(path);
      lines_before += losses.lines;
    }
  }
  ReportModel model = merge.finish(known);
  model.suppressed = collector.suppressed;
  model.notes = std::move(notes);
  for (std::string& note : names.notes()) model.notes.push_back(std::move(note));
  return model;
}

}  // namespace deadheat::cli
