#include "live_oracle/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace deadheat::test {
namespace {

constexpr uint64_t kBase = 0x100000;

// Memory comes and goes by whole pieces, which lie between the bounds of all such events of a block.
bool is_piecewise(const Meaning& meaning) { return meaning.what == "alloc" || meaning.what == "free"; }

}  // namespace

std::string to_text(const Step& s) {
  return fmt::format("{} {} {} {} {} {} {} {} {}", s.thread, s.operation, s.site, s.block, s.offset, s.size, s.order,
                     s.block2, s.offset2);
}

std::string Program::for_player() const {
  std::string text;
  for (const Step& step : steps) text += to_text(step) + "\n";
  return text;
}

ProgramTrace::ProgramTrace(const Program& program) {
  const auto blocks = static_cast<size_t>(program.block_count);
  std::vector<std::set<uint64_t>> cuts(blocks), pieces(blocks);
  for (const Step& step : program.steps) {
    for (const Meaning& meaning : step.meanings) {
      if (!meaning.has_span) continue;
      const auto block = static_cast<size_t>(meaning.span.block);
      cuts[block].insert({meaning.span.begin, meaning.span.end});
      if (is_piecewise(meaning)) pieces[block].insert({meaning.span.begin, meaning.span.end});
    }
  }
  uint64_t base = kBase;
  for (const std::set<uint64_t>& its_cuts : cuts) {
    cuts_.emplace_back(its_cuts.begin(), its_cuts.end());
    base_.push_back(base);
    base += its_cuts.size() + 1;
  }

  const auto place = [&](int block, uint64_t offset) {
    const std::vector<uint64_t>& its_cuts = cuts_[static_cast<size_t>(block)];
    return base_[static_cast<size_t>(block)] +
           static_cast<uint64_t>(std::lower_bound(its_cuts.begin(), its_cuts.end(), offset) - its_cuts.begin());
  };
  const auto add = [&](int step, int thread, const std::string& operation) {
    text_ += fmt::format("T{}|{}|{}\n", thread, operation, step);
    step_of_.push_back(step);
  };
  for (int number = 0; number < static_cast<int>(program.steps.size()); ++number) {
    const Step& step = program.steps[static_cast<size_t>(number)];
    const size_t first = step_of_.size();
    for (const Meaning& meaning : step.meanings) {
      const Span& span = meaning.span;
      if (!meaning.has_span) {
        add(number, step.thread, meaning.what);
      } else if (is_piecewise(meaning)) {
        const std::set<uint64_t>& its_pieces = pieces[static_cast<size_t>(span.block)];
        for (auto at = its_pieces.find(span.begin); *at != span.end; ++at) {
          const uint64_t begin = place(span.block, *at), size = place(span.block, *std::next(at)) - begin;
          add(number, step.thread,
              meaning.what == "free" ? fmt::format("free({:#x})", begin) : fmt::format("alloc({:#x},{})", begin, size));
        }
      } else {
        const uint64_t begin = place(span.block, span.begin), end = place(span.block, span.end);
        add(number, step.thread, fmt::format("{}({:#x}:{}{})", meaning.what, begin, end - begin, meaning.details));
      }
    }
    events_of_.emplace_back(first, step_of_.size());
  }
  trace_ = parse_trace(text_);
}

std::pair<uint64_t, uint64_t> ProgramTrace::places(const Span& span) const {
  const std::vector<uint64_t>& cuts = cuts_[static_cast<size_t>(span.block)];
  const uint64_t base = base_[static_cast<size_t>(span.block)];
  auto begin = std::lower_bound(cuts.begin(), cuts.end(), span.begin);
  const auto end = std::lower_bound(cuts.begin(), cuts.end(), span.end);
  if (begin != cuts.begin() && (begin == cuts.end() || *begin > span.begin)) --begin;
  return {base + static_cast<uint64_t>(begin - cuts.begin()), base + static_cast<uint64_t>(end - cuts.begin())};
}

Span ProgramTrace::span_of(uint64_t place) const {
  const auto block = static_cast<size_t>(std::upper_bound(base_.begin(), base_.end(), place) - base_.begin()) - 1;
  const uint64_t index = place - base_[block];
  return {static_cast<int>(block), cuts_[block][index], cuts_[block][index + 1]};
}

}  // namespace deadheat::test
