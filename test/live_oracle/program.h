// The programs that are played: steps of several threads in a fixed order, and what they mean.
//
// A step is one call that a thread makes from one place in the code (a site; every site has a line of its own): an
// access, an atomic operation, a lock, a thread or memory that comes or goes. player.c performs it. What it means for
// the rules of order and races is a list of events, which the oracle reads as a trace.
//
// Memory is blocks: a few globals, and those that the program allocates and maps. A block's number is never used again,
// so its bytes have one history in the trace, wherever it lies in reality and whatever lay there before.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/test_trace.h"

namespace deadheat::test {

struct Span {
  int block = 0;
  uint64_t begin = 0, end = 0;  // bytes of the block
};

// One event of a step, in the notation of traces; `what` with a span is about these bytes.
struct Meaning {
  std::string what;     // "r", "alloc", "acq(m1)"
  std::string details;  // after the operand: ",acquire"
  Span span;
  bool has_span = false;
};

struct HeldLock {
  bool is_mutex = true;  // else a reader-writer lock
  int number = 0;
  bool for_reading = false;
  friend auto operator<=>(const HeldLock&, const HeldLock&) = default;
};

// The fields are those of player.c.
struct Step {
  int thread = 0;
  std::string_view operation;
  int site = 0;
  int block = 0;
  uint64_t offset = 0, size = 0;
  int order = 0;
  int block2 = 0;
  uint64_t offset2 = 0;

  std::vector<Meaning> meanings;
  // What a report about an access of this step must say of its circumstances.
  std::vector<HeldLock> locks;
  std::vector<int> calls;  // the sites of the calls that lead to it, the last one first
  int after_free = -1;     // the step that freed the memory it accesses
};

inline constexpr int kGlobals = 4;
inline constexpr uint64_t kGlobalBytes[kGlobals] = {4096, 256, 64, 64};
inline constexpr uint64_t kPageBytes = 4096;

struct Program {
  std::vector<Step> steps;
  int block_count = kGlobals;

  std::string for_player() const;
};

// The program as a trace. Bytes that all steps treat alike are one byte of the trace, so that pages cost as little as
// words.
class ProgramTrace {
 public:
  explicit ProgramTrace(const Program& program);

  const TestTrace& trace() const { return trace_; }
  const std::string& text() const { return text_; }
  int step_of(size_t event) const { return step_of_[event]; }
  // The events of a step are these.
  std::pair<size_t, size_t> events_of(int step) const { return events_of_[static_cast<size_t>(step)]; }
  // The bytes of the trace that stand for these bytes of a block, and perhaps for more.
  std::pair<uint64_t, uint64_t> places(const Span& span) const;
  // What a byte of the trace stands for.
  Span span_of(uint64_t place) const;

 private:
  std::vector<std::vector<uint64_t>> cuts_;  // of each block: where a span of some step begins or ends
  std::vector<uint64_t> base_;               // of each block in the trace
  TestTrace trace_;
  std::string text_;
  std::vector<int> step_of_;
  std::vector<std::pair<size_t, size_t>> events_of_;
};

std::string to_text(const Step& step);

}  // namespace deadheat::test
