// A worker: one detector, with its filter and shadow, over its share of a trace's variables.
#pragma once

#include <memory>
#include <vector>

#include "detect/detector.h"
#include "event/trace.h"

namespace deadheat {

// What is never divided between workers: a chunk of variables; an object; a chunk of objects, where an object is one
// variable. Whole chunks of ids, and whole pages of memory, so that no memory is kept twice.
enum class ShareUnit : uint8_t { kVariables, kObjects, kObjectChunks };

// Which share of the variables a worker has.
struct Share {
  static constexpr uint32_t kChunk = 1024;
  unsigned number = 0;
  unsigned of = 1;

  // Units are spread by a hash, whose high bits choose the worker: no division on the way of every event.
  static unsigned owner(uint64_t unit, unsigned workers) {
    const uint64_t hash = static_cast<uint32_t>(unit * 2654435761u);
    return static_cast<unsigned>(hash * workers >> 32);
  }
  static uint64_t unit_of(ObjectId object, ShareUnit unit) {
    return unit == ShareUnit::kObjects ? index(object) : index(object) / kChunk;
  }
  bool has(uint64_t unit) const { return of == 1 || owner(unit, of) == number; }
};

// A race as a worker finds it: ids, not names.
struct FoundRace {
  enum class What : uint8_t { kVariable, kObject, kRange };
  What what = What::kVariable;
  uint64_t target = 0;  // VariableId, ObjectId or address
  uint64_t bytes = 0;   // of a range
  Conflict conflict;
  Access second;
  int rank = 0;
  std::vector<Access> more = {};
};

struct WorkerOptions {
  bool all = false;
  bool coarse = false;
  bool fresh_is_new = false;
  DetectorOptions detector;
};

struct Selection;

class Worker {
 public:
  virtual ~Worker() = default;
  virtual ShareUnit unit() const = 0;
  // `mine` are its events; null means all of the batch.
  virtual void consume(const Batch& batch, const Selection* mine) = 0;
  // The trace is over.
  virtual void finish() = 0;
  virtual std::vector<FoundRace>& races() = 0;
  virtual void count(CounterSink& sink) const = 0;
  virtual size_t memory_bytes() const = 0;
};

}  // namespace deadheat
