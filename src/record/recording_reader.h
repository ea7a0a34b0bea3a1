// A program that runs as a trace: its records become events, names and call paths while it goes on.
//
// Memory   Fresh memory is an allocation. A free of a block that began before the recording, or of a part of one, is a
//          write of its bytes. Locks whose memory is fresh are new locks.
// Clocks   What semaphores, barriers, once, descriptors and annotations take and give are atomic operations of no bytes
//          at the object's address: they order as the run time does, and touch nothing.
// Moved    Bytes that moved (mremap) are named by the address that they had first (moved_memory.h).
// Modules  Another library may be loaded at the place of one that is gone. What a call path means is found out when it is
//          used, by what is loaded then.
// Tested by test/record, test/live_oracle
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/arena.h"
#include "base/table.h"
#include "event/binary_trace.h"
#include "event/trace.h"
#include "record/channel.h"
#include "record/moved_memory.h"

namespace deadheat::record {

class RecordingReader final : public TraceReader, private RecordSink {
 public:
  // `is_over` says whether the process is gone.
  RecordingReader(std::unique_ptr<Channel> channel, std::string command, std::function<bool()> is_over);

  // Plain accesses are left out from now on, or not any more; from any thread.
  void toggle() { toggles_.fetch_add(1, std::memory_order_relaxed); }

  // Everything goes to the writer, too.
  void copy_to(TraceWriter& writer) { copy_ = &writer; }

  // Everything that is to come goes to the writer alone: accesses become a part of its blocks without being events before.
  void write_to(BinaryWriter& writer);

  // A batch without events if there was nothing for a while.
  bool next(Batch& batch) override;
  bool is_at_end() const { return ended_ && events_.empty(); }
  std::string position(const Batch& batch, size_t i) const override;
  double progress() const override { return -1; }
  const RunInfo* run() const override { return &run_; }

 private:
  struct LockState {
    LockId id{};
    uint32_t writer = kNobody;
    std::vector<uint32_t> readers;
    bool posted = false;  // unlocked by a thread that did not hold it: a clock beside says so
  };
  static constexpr uint32_t kNobody = UINT32_MAX;
  struct Block {
    uint64_t bytes = 0;
    bool is_free = false;
  };
  using Blocks = std::map<uint64_t, Block>;
  struct LastBlock {
    uint64_t begin = 0;
    Block* block = nullptr;  // in blocks_; null: none
  };

  void units(uint32_t thread, const recording::Unit* first, const recording::Unit* end) override;
  void record(uint32_t thread, const Record& record, std::string_view text) override;
  Channel::Found look();
  struct UnitSource;
  void add_accesses(uint32_t thread, const recording::Unit* first, const recording::Unit* end);
  const recording::Unit* write_units(uint32_t thread, const recording::Unit* first, const recording::Unit* end);
  void write_row(uint32_t thread, const Record& record);
  void write_events();
  void end_block();
  EventSite site_of(const recording::Unit& unit);
  // The number of the event that comes next.
  uint64_t next_event() const { return (writer_ != nullptr ? writer_->events() : next_event_) + events_.size(); }
  void take_move(const Record& record, uint64_t to);
  void take(uint32_t thread, const Record& record);
  void take_named(uint32_t thread, const Record& record);
  void take_access(ThreadId thread, const Record& record);
  void take_row(uint32_t thread, const Record& record);
  LockState* take_ordinary(uint32_t thread, What what, uint64_t address);
  void take_lock(uint32_t thread, const Record& record);
  void take_memory(ThreadId thread, const Record& record);
  void take_node(const Record& record);
  void take_module(const Record& record, std::string_view text);
  void know_module(RunInfo::Module module);
  void forget_modules(uint64_t begin, uint64_t bytes);
  Event& add(EventKind kind, ThreadId thread, uint32_t node);
  void add_atomic(EventKind kind, MemoryOrder order, ThreadId thread, uint64_t address, uint64_t bytes, uint32_t node);
  ThreadId thread_of(uint32_t number) {
    return number < threads_.size() && thread_known_[number] ? threads_[number] : thread_of_new(number);
  }
  ThreadId thread_of_new(uint32_t number);
  LockState& lock_at(uint64_t address);
  void forget_locks(uint64_t begin, uint64_t bytes);
  LastBlock& last_block(uint64_t begin) { return last_blocks_[(begin >> 4 ^ begin >> 17) % kLastBlocks]; }
  Block* block_at(uint64_t begin);
  Blocks::iterator erase_block(Blocks::iterator at);
  void know_block(uint64_t begin, uint64_t bytes);
  bool free_block(uint64_t begin);
  uint32_t path_of(uint32_t node);
  LocationId location_of(uint32_t node) {
    const Node* const known = nodes_.find(node);
    return known != nullptr && known->location != kNoLocation ? known->location : location_of_new(node);
  }
  LocationId location_of_new(uint32_t node);
  uint32_t module_at(uint64_t address);
  void read_maps();

  std::unique_ptr<Channel> channel_;
  const std::function<bool()> is_over_;
  std::atomic<unsigned> toggles_{0};
  unsigned toggles_done_ = 0;
  RunInfo run_;
  std::vector<Event> events_;
  uint64_t next_event_ = 0;
  bool ended_ = false;
  TraceWriter* copy_ = nullptr;

  std::vector<ThreadId> threads_;  // by the run time's numbers
  std::vector<bool> thread_known_, joined_;
  std::map<uint64_t, LockState> locks_;
  struct LastLock {
    uint64_t address = 0;
    LockState* state = nullptr;  // in locks_; null: none
  };
  static constexpr size_t kLastLocks = 8192;
  std::vector<LastLock> last_locks_ = std::vector<LastLock>(kLastLocks);
  std::unordered_map<uint64_t, uint32_t> locks_before_;  // how many there were at an address
  // Blocks as the validator sees them, by their begin; none overlaps another one. The last kLastBlocks that are free stay
  // for a while, because an allocator gives them out again.
  Blocks blocks_;
  static constexpr size_t kLastBlocks = 32768;
  std::vector<LastBlock> last_blocks_ = std::vector<LastBlock>(kLastBlocks);
  std::vector<uint64_t> freed_ = std::vector<uint64_t>(kLastBlocks);  // a ring of the last that became free
  size_t freed_count_ = 0;
  MovedMemory moved_;
  std::map<uint64_t, uint32_t> loaded_;  // numbers in run_.modules of those that are loaded, by their begin
  struct Node {
    uint32_t parent = 0;
    uint32_t path = 0;                  // in run_.paths; kUnresolved: by what is loaded when it is used
    uint64_t key = 0;                   // 0: it is not known
    LocationId location = kNoLocation;  // kNoLocation: no name yet
  };
  static constexpr uint32_t kUnresolved = UINT32_MAX;
  Arena arena_;
  IdTable<Node> nodes_;  // of the run time's tree
  uint32_t node_count_ = 0;
  struct PathKey {
    uint64_t place;  // the address, and what was called there
    uint32_t parent, module;
    friend bool operator==(const PathKey&, const PathKey&) = default;
  };
  struct PathKeyHash {
    size_t operator()(const PathKey& key) const {
      return (key.place ^ uint64_t{key.parent} << 32 ^ key.module) * 0x9e3779b97f4a7c15u >> 7;
    }
  };
  std::unordered_map<PathKey, uint32_t, PathKeyHash> known_paths_;
  static constexpr uint32_t kMostSites = 1 << 18;  // accesses have the first numbers
  // With a writer: by node, the site that its last access had. From the top: the block of the writer, what the access is
  // (the upper half of a record's head), the number of the site.
  std::vector<uint64_t> sites_;
  BinaryWriter* writer_ = nullptr;
};

// The build id of an ELF file, as lower-case hex; empty if it has none.
std::string build_id_of(const std::string& path);

}  // namespace deadheat::record
