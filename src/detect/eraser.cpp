#include "detect/eraser.h"

namespace deadheat {

void Eraser::count(CounterSink& sink) const {
  for (int edge = 0; edge < EraserMachine::kEdgeCount; ++edge)
    sink.add_rule(EraserMachine::kEdgeNames[edge], AccessKind::kNone, fired_[edge]);
  sink.add("locksets", machine_.locksets().size(), CounterSink::kPerAccess);
}

}  // namespace deadheat
