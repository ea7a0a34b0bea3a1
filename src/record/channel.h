// The recorder's end of a channel (base/recording.h): what the threads of one process wrote, in one order.
//
// Order    Whatever has a ticket comes in the order of tickets. Between them the stamps of the processor's clock decide,
//          within each thread the order of its buffer. So the result respects what ordered the threads, exactly, and is
//          as close to real time as the clocks of the processors are to each other.
// Horizon  Each look at the buffers hands out what is older than the look before: by then everything that was written
//          earlier can be seen.
// In place Records stay in the program's buffers until they are handed out, accesses by runs of one thread. A thread draws
//          a ticket only when it has room to write it down, so what a stream waits for always comes.
// Lost     A thread that was killed between drawing a ticket and writing it leaves a gap, which is passed at the end.
// Tested by test/record, test/live_oracle
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/recording.h"

namespace deadheat::record {

using recording::What;

// One record, whole.
struct Record {
  uint64_t stamp = 0;
  uint64_t ticket = 0;  // 0: none
  uint64_t address = 0;
  uint64_t more = 0;
  uint32_t path = 0;
  What what = What::kNone;
  uint8_t detail = 0;
};

// Operations on locks and atomic objects, the common ones: two units, with a ticket.
constexpr bool is_pair(What what) {
  constexpr auto bit = [](What of) { return uint64_t{1} << static_cast<unsigned>(of); };
  constexpr uint64_t kPairs = bit(What::kLoad) | bit(What::kStore) | bit(What::kExchange) | bit(What::kExchangeFailed) |
                              bit(What::kLock) | bit(What::kUnlock);
  return static_cast<unsigned>(what) < 64 && (kPairs >> static_cast<unsigned>(what) & 1) != 0;
}
inline const recording::Tail& tail_of(const recording::Unit* pair) {
  return *reinterpret_cast<const recording::Tail*>(pair + 1);
}

// What a channel hands out, in one order.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  // Accesses of one thread, one unit each, and the pairs between them (is_pair), that nothing of another thread comes between.
  virtual void units(uint32_t thread, const recording::Unit* first, const recording::Unit* end) = 0;
  virtual void record(uint32_t thread, const Record& record, std::string_view text) = 0;
};

class Channel {
 public:
  // Null as long as the process has not filled in the head. Throws TraceError.
  static std::unique_ptr<Channel> open(const std::string& path);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  uint32_t process() const { return head_->process; }
  bool is_full() const { return head_->is_full != 0; }
  // Whether plain accesses are left out; the program may change that, too.
  bool is_paused() const { return head_->paused.load(std::memory_order_relaxed) != 0; }
  void pause(bool on) { head_->paused.store(on, std::memory_order_relaxed); }

  // Hands out what can be said now, about kMostAtOnce records at most. `ended`: nobody writes any more.
  enum class Found { kNothing, kSome, kMore };  // kMore: there is more that can be said now
  Found look(bool ended, RecordSink& sink);

 private:
  static constexpr size_t kMostAtOnce = 16384;  // the events that are made of them stay in the processor's cache

  struct Stream {
    uint32_t thread = 0;
    uint32_t next_buffer = 0;                        // the number of the one that is read now, or of the next
    std::unordered_map<uint32_t, uint32_t> buffers;  // number -> place, of those that were seen
    // What can be seen of the buffer that is read now, and was not handed out. Records stay where the program wrote
    // them until they are.
    const recording::Unit* at = nullptr;
    const recording::Unit* end = nullptr;
    uint32_t place = kNoPlace;
    bool is_last_look = false;  // the thread writes nothing into this buffer any more
    uint64_t last_stamp = 0;
    bool waits = false;  // for its ticket
    bool ended = false;  // the last record was read
  };
  static constexpr uint32_t kNoPlace = UINT32_MAX;

  Channel(int fd, void* memory, size_t bytes);
  void note_buffers();
  void see(Stream& stream);
  bool is_anything_in(Stream& stream);
  void leave_buffer(Stream& stream);
  void tell_of_space();
  uint64_t stamp_of(const Stream& stream, const recording::Unit& unit) const;
  uint32_t parse(const recording::Unit* units, size_t count, Record& record, std::string_view& text) const;
  bool is_turn_of_other() const { return !waiting_.empty() && waiting_.begin()->first == next_ticket_; }
  Stream* first_waiting();
  Stream* hand_out(Stream& stream, uint64_t until, RecordSink& sink);

  int fd_;
  char* memory_;
  size_t bytes_;
  recording::ChannelHead* head_;
  recording::BufferHead* heads_;
  std::vector<uint32_t> known_;  // by place: number + 1 of the buffer that was noted there, 0 if none
  std::vector<uint32_t> owner_;  // by place
  std::map<uint32_t, Stream> streams_;
  uint64_t next_ticket_ = 1;
  std::map<uint64_t, Stream*> waiting_;  // by the ticket at the front of their queue
  uint64_t now_ = 0, last_look_ = 0;
  size_t handed_out_ = 0;  // in this look
  uint32_t freed_ = 0;     // buffers that threads of the program were not yet told of
};

}  // namespace deadheat::record
