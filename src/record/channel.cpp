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

// ---- Buffers ------------------------------------------------------------------------------------------------------

void Channel::note_buffers() {
  const uint32_t count = std::min(head_->buffers.load(std::memory_order_acquire), kMostBuffers);
  for (uint32_t place = 0; place < count; ++place) {
    const BufferHead& head = heads_[place];
    const BufferState state = head.state.load(std::memory_order_acquire);
    if (state != BufferState::kFilling && state != BufferState::kFull) continue;
    if (known_[place] == head.number + 1 && owner_[place] == head.thread) continue;
    known_[place] = head.number + 1;
    owner_[place] = head.thread;
    Stream& stream = streams_[head.thread];
    stream.thread = head.thread;
    stream.buffers[head.number] = place;
  }
}

// How far the thread has come with its buffer.
void Channel::see(Stream& stream) {
  if (stream.place == kNoPlace || stream.is_last_look) return;
  const BufferHead& head = heads_[stream.place];
  stream.is_last_look = head.state.load(std::memory_order_acquire) == BufferState::kFull;
  const uint32_t filled = std::min(head.filled.load(std::memory_order_acquire), kBufferBytes / kUnit);
  const Unit* const units = reinterpret_cast<const Unit*>(memory_ + kBuffersAt + uint64_t{stream.place} * kBufferBytes);
  if (stream.at == nullptr) stream.at = units;
  stream.end = units + filled;
}

// It goes back to the program.
void Channel::leave_buffer(Stream& stream) {
  stream.buffers.erase(stream.next_buffer++);
  known_[stream.place] = 0;
  heads_[stream.place].state.store(BufferState::kFree, std::memory_order_release);
  stream.place = kNoPlace;
  stream.at = stream.end = nullptr;
  stream.is_last_look = false;
  ++freed_;
}

void Channel::tell_of_space() {
  if (freed_ == 0) return;
  freed_ = 0;
  head_->space.fetch_add(1, std::memory_order_seq_cst);
  if (head_->waiting.load(std::memory_order_seq_cst) != 0)
    syscall(SYS_futex, &head_->space, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

// Whether the stream has a record that was not handed out; goes on to its next buffer if it must.
bool Channel::is_anything_in(Stream& stream) {
  for (;;) {
    if (stream.at != stream.end) return true;
    if (stream.place != kNoPlace) {
      if (!stream.is_last_look) return false;
      leave_buffer(stream);
    }
    const auto next = stream.buffers.find(stream.next_buffer);
    if (next == stream.buffers.end()) return false;
    stream.place = next->second;
    see(stream);
  }
}

// ---- Records ------------------------------------------------------------------------------------------------------

namespace {

// Nothing comes behind the ticket.
constexpr bool is_ticketed_pair(What what) { return what <= What::kRelease; }
static_assert(What::kRelease < What::kFresh && What::kFresh < What::kMove && What::kMove < What::kNode);

uint32_t low_stamp(const Unit& unit) { return static_cast<uint32_t>(unit.when >> 32); }

}  // namespace

// A stamp has the low half of a clock that is a little before now or, by another processor's clock, after it. One that is
// repeated may be old.
uint64_t Channel::stamp_of(const Stream& stream, const Unit& unit) const {
  constexpr uint32_t kAhead = 1u << 28;
  const uint32_t low = low_stamp(unit);
  if (low == static_cast<uint32_t>(stream.last_stamp)) return stream.last_stamp;
  const uint32_t ago = static_cast<uint32_t>(now_) + kAhead - low;
  return std::max(stream.last_stamp, now_ + kAhead - ago);
}

// The number of units of a record; 0 if not all are there.
inline uint32_t Channel::parse(const Unit* units, size_t count, Record& r, std::string_view& text) const {
  r.what = what_in(units->head);
  r.detail = detail_in(units->head);
  r.address = address_in(units->head);
  r.path = static_cast<uint32_t>(units->when);
  if (is_short(r.what, r.detail)) return 1;
  if (count < 2) return 0;
  const Tail& tail = *reinterpret_cast<const Tail*>(units + 1);
  r.ticket = tail.ticket;
  r.more = tail.more;
  if (is_ticketed_pair(r.what)) [[likely]]
    return 2;
  uint64_t bytes = 0;
  if ((r.what == What::kModule || r.what == What::kSuppression) && count > 2)
    bytes = kUnit + reinterpret_cast<const Tail*>(units + 2)->more;
  if (r.what == What::kThreadName || r.what == What::kMove) bytes = kUnit;
  const uint64_t used = 2 + (bytes + kUnit - 1) / kUnit;
  if (bytes > kBufferBytes || used > count) return 0;
  text = {reinterpret_cast<const char*>(units + 2), bytes};
  if (r.what == What::kNode) {  // no ticket, but a parent
    r.address = r.ticket;
    r.ticket = 0;
  }
  return static_cast<uint32_t>(used);
}

Channel::Stream* Channel::first_waiting() {
  Stream* const stream = waiting_.begin()->second;
  stream->waits = false;
  waiting_.erase(waiting_.begin());
  return stream;
}

// Hands out what the stream has up to that stamp. Returns another stream that waited and can go on, which may be earlier.
Channel::Stream* Channel::hand_out(Stream& s, uint64_t until, RecordSink& sink) {
  while (handed_out_ < kMostAtOnce && is_anything_in(s)) {
    const Unit* const first = s.at;
    const Unit* const end = s.end;
    const Unit* at = first;
    uint64_t stamp = s.last_stamp;
    bool is_others_turn = false;
    while (at != end && !is_others_turn) {
      __builtin_prefetch(at + 16);
      const bool is_access = is_short(what_in(at->head), detail_in(at->head));
      if (!is_access && (!is_pair(what_in(at->head)) || end - at < 2 || tail_of(at).ticket != next_ticket_)) break;
      if (low_stamp(*at) != static_cast<uint32_t>(s.last_stamp)) [[unlikely]] {
        stamp = stamp_of(s, *at);
        if (stamp > until) break;
        s.last_stamp = stamp;
      }
      ++at;
      if (is_access) continue;
      ++at;
      ++next_ticket_;
      is_others_turn = is_turn_of_other();
    }
    s.at = at;
    if (at != first) {
      sink.units(s.thread, first, s.at);
      handed_out_ += static_cast<size_t>(s.at - first);
    }
    if (is_others_turn) return first_waiting();
    if (stamp > until) return nullptr;
    if (s.at == s.end) continue;
    stamp = stamp_of(s, *s.at);
    if (stamp > until) return nullptr;
    s.last_stamp = stamp;
    Record r;
    std::string_view text;
    const uint32_t used = parse(s.at, static_cast<size_t>(s.end - s.at), r, text);
    if (used == 0) {  // only what somebody else wrote into the channel can be so
      s.at = s.end;
      continue;
    }
    if (r.ticket != 0 && r.ticket != next_ticket_) {
      waiting_.emplace(r.ticket, &s);
      s.waits = true;
      return nullptr;
    }
    r.stamp = stamp;
    s.ended = r.what == What::kEnd;
    sink.record(s.thread, r, text);
    handed_out_ += is_row(r.what) ? row_in(r.more).count : 1;
    s.at += used;
    if (r.ticket == 0) continue;
    ++next_ticket_;
    if (is_turn_of_other()) return first_waiting();
  }
  return nullptr;
}

Channel::Found Channel::look(bool ended, RecordSink& sink) {
  head_->pulse.fetch_add(1, std::memory_order_relaxed);
  now_ = clock_now();
  note_buffers();
  const uint64_t horizon = ended ? UINT64_MAX - 1 : last_look_;
  last_look_ = now_;
  handed_out_ = 0;
  struct Head {
    uint64_t stamp;
    Stream* stream;
  };
  std::vector<Head> heads;
  const auto is_earlier = [](const Head& a, const Head& b) {
    return a.stamp != b.stamp ? a.stamp > b.stamp : a.stream->thread > b.stream->thread;
  };
  const auto add = [&](Stream& s) {
    if (s.waits || !is_anything_in(s)) return;
    const uint64_t stamp = stamp_of(s, *s.at);
    if (stamp >= horizon) return;
    heads.push_back({stamp, &s});
    std::push_heap(heads.begin(), heads.end(), is_earlier);
  };
  for (auto& [thread, stream] : streams_) {
    see(stream);
    add(stream);
  }
  bool more = false;
  for (;;) {
    if (handed_out_ >= kMostAtOnce) {
      more = true;
      break;
    }
    if (heads.empty()) {
      if (!ended || waiting_.empty()) break;
      next_ticket_ = waiting_.begin()->first;  // what is missing will never come
      add(*first_waiting());
      continue;
    }
    Stream& s = *heads.front().stream;
    std::pop_heap(heads.begin(), heads.end(), is_earlier);
    heads.pop_back();
    const uint64_t until = heads.empty() ? horizon - 1 : heads.front().stamp;
    if (Stream* const other = hand_out(s, until, sink)) add(*other);
    add(s);
  }
  for (auto at = streams_.begin(); at != streams_.end();) {
    Stream& s = at->second;
    const bool is_over = s.ended && !is_anything_in(s) && s.buffers.empty();
    at = is_over ? streams_.erase(at) : std::next(at);
  }
  // A thread that waits is woken for a good part of the buffers, not for each.
  if (!more || freed_ >= kSegmentBuffers / 4) tell_of_space();
  return more ? Found::kMore : handed_out_ != 0 ? Found::kSome : Found::kNothing;
}

}  // namespace deadheat::record
