#include "detect/multirace.h"

namespace deadheat {

void MultiRace::count(CounterSink& sink) const {
  constexpr std::string_view kNames[kMultiRaceRuleCount] = {"same epoch", "remember", "compare"};
  for (int rule = 0; rule < kMultiRaceRuleCount; ++rule) sink.add_rule(kNames[rule], AccessKind::kNone, fired_[rule]);
  sink.add("locksets", machine_.locksets().size(), CounterSink::kPerAccess);
  djit_.count_clocks(sink);
}

}  // namespace deadheat
