#include "record/channel.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <queue>

#include "event/trace.h"

namespace deadheat::record {

using namespace recording;

Channel::Channel(int fd, void* memory, size_t bytes)
    : fd_(fd),
      memory_(static_cast<char*>(memory)),
      bytes_(bytes),
      head_(reinterpret_cast<ChannelHead*>(memory_)),
      heads_(reinterpret_cast<BufferHead*>(memory_ + kHeadBytes)),
      known_(kMostBuffers),
      owner_(kMostBuffers) {}

Channel::~Channel() {
  munmap(memory_, bytes_);
  close(fd_);
}

std::unique_ptr<Channel> Channel::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) throw TraceError(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  struct stat status = {};
  if (fstat(fd, &status) != 0 || static_cast<uint64_t>(status.st_size) < channel_bytes(kSegmentBuffers)) {
    close(fd);
    return nullptr;
  }
  const size_t bytes = channel_bytes(kMostBuffers);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) {
    close(fd);
    throw TraceError(fmt::format("{}: cannot be mapped: {}", path, std::strerror(errno)));
  }
  std::unique_ptr<Channel> channel(new Channel(fd, memory, bytes));
  if (channel->head_->magic.load(std::memory_order_acquire) != kChannelMagic) return nullptr;
  return channel;
}

// The units of the record at `units`, all of which are there.
uint32_t Channel::parse(Stream& stream, const Unit* units, uint32_t count, uint64_t now) {
  Record r;
  r.what = what_in(units->head);
  r.detail = detail_in(units->head);
  r.address = address_in(units->head);
  r.path = static_cast<uint32_t>(units->when);
  // The stamp has the low half of a clock that is a little before now, or by another processor's clock, after it.
  const int32_t ago = static_cast<int32_t>(static_cast<uint32_t>(now) - static_cast<uint32_t>(units->when >> 32));
  const uint64_t back = ago < -(1 << 28) ? static_cast<uint32_t>(ago) : 0;  // more than half of the range ago
  r.stamp = back != 0 ? now - back : now - static_cast<uint64_t>(static_cast<int64_t>(ago));
  r.stamp = stream.last_stamp = std::max(stream.last_stamp, r.stamp);
  uint32_t used = 1;
  if (!is_short(r.what, r.detail)) {
    if (count < 2) return 0;
    const Tail& tail = *reinterpret_cast<const Tail*>(units + 1);
    r.ticket = tail.ticket;
    r.more = tail.more;
    used = 2;
    uint32_t bytes = 0;
    if (r.what == What::kModule && count > 2)
      bytes = kUnit + static_cast<uint32_t>(reinterpret_cast<const Tail*>(units + 2)->more);
    if (r.what == What::kThreadName || r.what == What::kMove) bytes = kUnit;
    used += (bytes + kUnit - 1) / kUnit;
    if (used > count) return 0;
    if (bytes != 0) {
      stream.texts.emplace_back(reinterpret_cast<const char*>(units + 2), bytes);
      r.text = static_cast<uint32_t>(stream.texts.size());
    }
    if (r.what == What::kNode) {  // no ticket, but a parent
      r.address = r.ticket;
      r.ticket = 0;
    }
  }
  stream.ended = r.what == What::kEnd;
  stream.queue.push_back(r);
  return used;
}

bool Channel::read(Stream& stream, bool& freed) {
  bool any = false;
  for (;;) {
    const auto found = stream.buffers.find(stream.next_buffer);
    if (found == stream.buffers.end()) return any;
    const uint32_t place = found->second;
    BufferHead& head = heads_[place];
    const bool is_last_look = head.state.load(std::memory_order_acquire) == BufferState::kFull;
    const uint32_t filled = std::min(head.filled.load(std::memory_order_acquire), kBufferBytes / kUnit);
    const Unit* const units = reinterpret_cast<const Unit*>(memory_ + kBuffersAt + uint64_t{place} * kBufferBytes);
    const uint64_t now = clock_now();
    while (stream.position < filled) {
      const uint32_t used = parse(stream, units + stream.position, filled - stream.position, now);
      if (used == 0) break;
      stream.position += used;
      any = true;
    }
    if (!is_last_look) return any;
    stream.buffers.erase(found);
    stream.position = 0;
    ++stream.next_buffer;
    known_[place] = 0;
    head.state.store(BufferState::kFree, std::memory_order_release);
    freed = true;
  }
}

bool Channel::look(bool ended, const Take& take) {
  const uint64_t now = clock_now();
  const uint32_t count = std::min(head_->buffers.load(std::memory_order_acquire), kMostBuffers);
  for (uint32_t place = 0; place < count; ++place) {
    BufferHead& head = heads_[place];
    const BufferState state = head.state.load(std::memory_order_acquire);
    if (state != BufferState::kFilling && state != BufferState::kFull) continue;
    if (known_[place] == head.number + 1 && owner_[place] == head.thread) continue;
    known_[place] = head.number + 1;
    owner_[place] = head.thread;
    Stream& stream = streams_[head.thread];
    stream.thread = head.thread;
    stream.buffers[head.number] = place;
  }
  bool any = false, freed = false;
  for (auto& [thread, stream] : streams_) any |= read(stream, freed);
  if (freed) {
    head_->space.fetch_add(1, std::memory_order_seq_cst);
    if (head_->waiting.load(std::memory_order_seq_cst) != 0)
      syscall(SYS_futex, &head_->space, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }
  merge(ended ? UINT64_MAX : last_look_, ended, take);
  last_look_ = now;
  return any;
}

void Channel::merge(uint64_t horizon, bool ended, const Take& take) {
  struct Head {
    uint64_t stamp;
    Stream* stream;
    bool operator<(const Head& other) const {
      return stamp != other.stamp ? stamp > other.stamp : stream->thread > other.stream->thread;
    }
  };
  std::priority_queue<Head> heads;
  const auto add = [&](Stream& s) {
    if (s.first < s.queue.size() && s.queue[s.first].stamp < horizon) heads.push({s.queue[s.first].stamp, &s});
  };
  for (auto& [thread, stream] : streams_)
    if (!stream.waits) add(stream);
  for (;;) {
    if (heads.empty()) {
      if (!ended || waiting_.empty()) break;
      next_ticket_ = waiting_.begin()->first;  // what is missing will never come
      Stream& stream = *waiting_.begin()->second;
      waiting_.erase(waiting_.begin());
      stream.waits = false;
      add(stream);
      continue;
    }
    Stream& s = *heads.top().stream;
    heads.pop();
    const uint64_t until = heads.empty() ? horizon : heads.top().stamp;
    // As long as it is its turn.
    while (s.first < s.queue.size() && s.queue[s.first].stamp < horizon && s.queue[s.first].stamp <= until) {
      const Record& r = s.queue[s.first];
      if (r.ticket != 0 && r.ticket != next_ticket_) {
        waiting_.emplace(r.ticket, &s);
        s.waits = true;
        break;
      }
      take(s.thread, r, r.text == 0 ? std::string_view{} : std::string_view(s.texts[r.text - 1]));
      ++s.first;
      if (r.ticket == 0) continue;
      ++next_ticket_;
      if (const auto next = waiting_.find(next_ticket_); next != waiting_.end()) {
        Stream& other = *next->second;
        waiting_.erase(next);
        other.waits = false;
        add(other);
        break;  // it may be earlier
      }
    }
    if (!s.waits) add(s);
  }
  for (auto at = streams_.begin(); at != streams_.end();) {
    Stream& s = at->second;
    if (s.first == s.queue.size()) {
      s.queue.clear();
      s.texts.clear();
      s.first = 0;
    } else if (s.texts.empty()) {
      s.queue.erase(s.queue.begin(), s.queue.begin() + static_cast<ptrdiff_t>(s.first));
      s.first = 0;
    }
    at = s.ended && s.queue.empty() && s.buffers.empty() ? streams_.erase(at) : std::next(at);
  }
}

}  // namespace deadheat::record
