// The recorder's end of a channel (base/recording.h): what the threads of one process wrote, in one order.
//
// Order    Whatever has a ticket comes in the order of tickets. Between them the stamps of the processor's clock decide,
//          within each thread the order of its buffer. So the result respects what ordered the threads, exactly, and is
//          as close to real time as the clocks of the processors are to each other.
// Horizon  Each look at the buffers hands out what is older than the look before: by then everything that was written
//          earlier can be seen.
// Lost     A thread that was killed between drawing a ticket and writing it leaves a gap, which is passed at the end.
// Tested by test/record, test/live_oracle
#pragma once

#include <cstdint>
#include <functional>
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
  uint32_t text = 0;  // where its text begins in Stream::texts, plus 1; 0: none
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

  // Calls take(thread, record, text) for what can be said now. `ended`: nobody writes any more, and this is the rest.
  using Take = std::function<void(uint32_t thread, const Record& record, std::string_view text)>;
  // Whether there was anything to read.
  bool look(bool ended, const Take& take);

 private:
  struct Stream {
    uint32_t thread = 0;
    uint32_t next_buffer = 0;                        // the number of the one that is read now
    std::unordered_map<uint32_t, uint32_t> buffers;  // number -> place
    uint32_t position = 0;                           // units of it that were read
    uint64_t last_stamp = 0;
    std::vector<Record> queue;
    size_t first = 0;  // of the queue
    std::vector<std::string> texts;
    bool waits = false;  // for its ticket
    bool ended = false;  // the last record was read
  };

  Channel(int fd, void* memory, size_t bytes);
  bool read(Stream& stream, bool& freed);
  uint32_t parse(Stream& stream, const recording::Unit* units, uint32_t count, uint64_t now);
  void merge(uint64_t horizon, bool ended, const Take& take);

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
  uint64_t last_look_ = 0;
};

}  // namespace deadheat::record
