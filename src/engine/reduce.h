// A trace without the accesses that take part in no race: a small trace with the same races.
//
// Idea     Whether an access races depends on what orders threads and on the other accesses of the same variable. So
//          two readings of a trace: the first finds the racy variables and bytes, the second leaves out the plain
//          accesses of all others. Everything else stays: atomic and volatile accesses order threads, allocations and
//          frees begin and end histories. A thread whose first event is left out begins there all the same.
// Promises A precise detector finds the same races in what is left, on the same variables and between the same
//          locations; SlimState, which may choose among the pairs of a variable, on the same variables.
// Cost     A run of FastTrack, and one bit for each variable.
// Tested by test/differential/reduce_test.cpp
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "event/trace.h"

namespace deadheat {

// The places on which a trace has races, by the ids that its reader gives.
class RacyPlaces {
 public:
  // Reads the trace to its end. Throws TraceError.
  static RacyPlaces find(TraceReader& reader, bool lenient, Losses& losses);

  bool has(VariableId variable) const { return index(variable) < variables_.size() && variables_[index(variable)]; }
  // Whether any of the bytes is racy.
  bool has(uint64_t address, uint64_t bytes) const;

 private:
  void add(VariableId variable);
  void add(uint64_t address, uint64_t bytes);

  std::vector<bool> variables_;
  std::map<uint64_t, uint64_t> ranges_;  // end, by address; none touch
};

// Reads a trace, of which `racy` is known, and leaves the other places' accesses out. Names that are not needed any
// more go, too; events are numbered anew.
class RacyReader final : public TraceReader {
 public:
  RacyReader(std::unique_ptr<TraceReader> whole, RacyPlaces racy) : whole_(std::move(whole)), racy_(std::move(racy)) {}

  bool next(Batch& batch) override;
  std::string position(const Batch&, size_t i) const override { return whole_->position(read_, origins_[i]); }
  double progress() const override { return whole_->progress(); }
  uint64_t bytes_read() const override { return whole_->bytes_read(); }
  const RunInfo* run() const override { return run_ ? &*run_ : whole_->run(); }

 private:
  bool is_kept(const Event& e) const;
  // What came up before the event with this number in the whole trace has a number of this one's from now on.
  void renumber_run(uint64_t event, uint64_t number);
  void add(Batch& batch, Event e);
  uint64_t renamed(Operand operand, uint64_t id);
  // The new id of an old one, which `intern` makes when it is first needed.
  template <class Intern>
  static uint64_t known(std::vector<uint32_t>& ids, uint64_t id, Intern intern);

  std::unique_ptr<TraceReader> whole_;
  const RacyPlaces racy_;
  Batch read_;                                    // what the last batch was made of
  std::vector<size_t> origins_;                   // and of which of its events
  std::vector<bool> seen_;                        // threads that have begun, by old id
  std::array<std::vector<uint32_t>, 9> renamed_;  // by Operand and old id
  std::vector<uint32_t> locations_;               // by old id
  uint64_t written_ = 0;
  std::optional<RunInfo> run_;  // if anything in the whole trace's is about the number of an event
};

}  // namespace deadheat
