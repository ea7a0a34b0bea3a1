#include "live/descriptors.h"

#include <sys/stat.h>

#include "live/ground/degraded.h"
#include "live/ground/hash.h"
#include "live/ground/heap.h"
#include "live/ground/inside.h"
#include "live/ground/options.h"
#include "live/ground/sys.h"
#include "live/ground/tables.h"
#include "live/order/descriptors.h"
#include "live/order/sync.h"
#include "live/shadow/shadow.h"

namespace deadheat::live {
namespace {

// The clock of `to` takes that of `from`.
void join_clock(const void* from, const void* to) {
  Inside inside;
  LiveClock taken;
  {
    SyncLock lock(reinterpret_cast<uintptr_t>(from));
    const SyncObject* o = lock.find();
    if (o == nullptr || o->S.empty()) return;
    taken.assign(o->S);
    // More than happens: the thread is in between.
    if constexpr (record::kOn) record::ordered(record::What::kTake, reinterpret_cast<uintptr_t>(from));
  }
  {
    SyncLock lock(reinterpret_cast<uintptr_t>(to));
    lock.make().S.join(taken);
    if constexpr (record::kOn) record::ordered(record::What::kPost, reinterpret_cast<uintptr_t>(to));
  }
  taken.clear();
}

constexpr int kMost = 1 << 16;
constexpr unsigned kMostWatchers = 4;

// What has a clock: a direction, or the number of a descriptor. A number is given out again only after it was closed, and
// programs keep what belongs to a descriptor in tables by its number.
enum class ChannelId : uint64_t {
  kNew,  // the next of kFirstOwn
  kSockets,
  kEverything,
  kManyWatchers,
  // And those after each of these:
  kFirstOwn = 16,                   // of one object
  kNumbers = uint64_t{1} << 50,     // of a number
  kConnections = uint64_t{1} << 52  // a way of a connection, which both ends find by their addresses
};

// One direction, from writers to readers. Its id names the clock.
struct Channel {
  Channel* next;
  ChannelId id;
  uint32_t users;
  uint32_t watcher_count;
  ChannelId watchers[kMostWatchers];  // the epoll objects
  uint64_t signals;                   // that are read from it; then it is in the list of those
};

struct FdObject {
  Channel* in;
  Channel* out;  // the same, but for sockets
  uint32_t descriptors;
};

struct Descriptor {
  FdObject* object;
  NodeId opened_at;
  ThreadUid opened_by;
  bool closed;
};

// All guarded by the lock, which is held for moments only.
constinit SpinLock table_lock(Lock::kDescriptors);
Descriptor table[kMost];
ChannelId next_id = ChannelId::kFirstOwn;
Chains<Channel, 10> connections;
// The last channels that are no longer in use: the other end may yet be accepted, and read what was sent.
constexpr unsigned kMostLeft = 256;
Channel* left_behind[kMostLeft];
unsigned left_next;

// The ways by which signals come.
Channel* with_signals;
// Objects that were sent in a message and not received yet, oldest first from `sent_next` on; each counts as a
// descriptor.
struct Sent {
  FdObject* object;
  uint64_t device, inode;
};
constexpr unsigned kMostSent = 64;
Sent sent[kMostSent];
unsigned sent_next;

// What the accesses to a descriptor touch.
alignas(8) char descriptor_bytes[kMost][8];

// No program has an address there.
const void* clock_of(ChannelId id) {
  return reinterpret_cast<const void*>(uintptr_t{1} << 60 | static_cast<uint64_t>(id) << 6);
}
ChannelId nth(ChannelId first, uint64_t n) { return ChannelId{static_cast<uint64_t>(first) + n}; }
const void* clock_of_number(int fd) { return clock_of(nth(ChannelId::kNumbers, static_cast<unsigned>(fd))); }
// The name of a connection has 48 bits.
ChannelId connection(uint64_t name) { return nth(ChannelId::kConnections, name >> 16); }

bool known(const Entry& entry, int fd) {
  if (fd >= kMost) note_degraded(Degradation::kDescriptors);
  return entry.thread() != nullptr && fd >= 0 && fd < kMost;
}

Channel* new_channel(ChannelId id) {
  if (options.io_sync == 2) id = ChannelId::kEverything;
  if (id == ChannelId::kNew) {
    id = next_id;
    next_id = nth(next_id, 1);
  }
  Channel* channel = static_cast<Channel*>(heap_allocate(sizeof(Channel)));
  *channel = {nullptr, id, 0, 0, {}, 0};
  return channel;
}

Channel* find_connection(ChannelId id) {
  return connections.find(static_cast<uint64_t>(id), [id](const Channel& channel) { return channel.id == id; });
}
Channel* connection_channel(ChannelId id) {
  if (Channel* const known = find_connection(id)) return known;
  Channel* channel = new_channel(id);
  if (channel->id != id) return channel;  // all have one clock
  return connections.add(static_cast<uint64_t>(id), channel);
}

// Ids whose clocks are to be forgotten when the lock is left.
struct Gone {
  ChannelId ids[2] = {};
  void add(ChannelId id) { ids[ids[0] != ChannelId{}] = id; }
  ~Gone() {
    for (const ChannelId id : ids)
      if (id >= ChannelId::kFirstOwn) forget(clock_of(id));
  }
};

void free_channel(Channel* channel, Gone& gone) {
  if (channel->users != 0) return;  // taken up again
  if (channel->id >= ChannelId::kConnections) connections.remove(static_cast<uint64_t>(channel->id), channel);
  if (channel->signals != 0) {
    Channel** at = &with_signals;
    while (*at != channel) at = &(*at)->next;
    *at = channel->next;
  }
  gone.add(channel->id);
  heap_free(channel, sizeof(Channel));
}

void drop(Channel* channel, Gone& gone) {
  if (--channel->users != 0) return;
  if (channel->id < ChannelId::kConnections) return free_channel(channel, gone);
  for (Channel*& other : left_behind)
    if (other == channel) return;
  Channel*& place = left_behind[left_next++ % kMostLeft];
  if (place != nullptr) free_channel(place, gone);
  place = channel;
}

FdObject* new_object(Channel* in, Channel* out) {
  FdObject* object = static_cast<FdObject*>(heap_allocate(sizeof(FdObject)));
  *object = {in, out, 0};
  ++in->users;
  ++out->users;
  return object;
}
FdObject* new_object(ChannelId id) {
  Channel* channel = new_channel(id);
  return new_object(channel, channel);
}

// Clocks go with the last descriptor of the last object that uses them.
void drop(FdObject* object, Gone& gone) {
  if (object == nullptr || --object->descriptors != 0) return;
  Channel* const in = object->in;
  Channel* const out = object->out;
  heap_free(object, sizeof(FdObject));
  drop(in, gone);
  drop(out, gone);
}

FdObject& object_of(int fd) {
  Descriptor& d = table[fd];
  if (d.object == nullptr) {
    d.object = new_object(ChannelId::kNew);
    ++d.object->descriptors;
  }
  return *d.object;
}

void add_watcher(Channel& channel, ChannelId watcher) {
  for (unsigned i = 0; i < channel.watcher_count; ++i)
    if (channel.watchers[i] == watcher) return;
  if (channel.watcher_count < kMostWatchers) {
    channel.watchers[channel.watcher_count++] = watcher;
    return;
  }
  // More watchers than places: from here on there is a clock that every wait takes.
  channel.watchers[kMostWatchers - 1] = ChannelId::kManyWatchers;
}

void put(const Entry& entry, int fd, FdObject* object, Gone& gone) {
  Descriptor& d = table[fd];
  ++object->descriptors;
  drop(d.object, gone);
  d = {object, entry.thread()->stack_cache.child(context_node(*entry.thread()), frame_key(entry.pc())),
       entry.thread()->uid, false};
}

// The number was just given out.
void begin_number(const Entry& entry, int fd) {
  fresh_range(descriptor_bytes[fd], 8);
  if (options.io_sync != 0) acquire(entry, clock_of_number(fd));
}

void opened(const Entry& entry, int fd, ChannelId id) {
  if (!known(entry, fd)) return;
  begin_number(entry, fd);
  Gone gone;
  const BusyGuard held(table_lock);
  put(entry, fd, new_object(id), gone);
}

void release_to(const Entry& entry, const Channel& channel) {
  release(entry, clock_of(channel.id));
  for (unsigned i = 0; i < channel.watcher_count; ++i) release(entry, clock_of(channel.watchers[i]));
}

void touch(const Entry& entry, int fd, bool write) {
  if (write)
    write_range(entry, descriptor_bytes[fd], 8);
  else
    read_range(entry, descriptor_bytes[fd], 8);
}

}  // namespace

void fd_opened(const Entry& entry, int fd) { opened(entry, fd, ChannelId::kNew); }
void fd_opened_socket(const Entry& entry, int fd) { opened(entry, fd, ChannelId::kSockets); }

void fd_opened_pair(const Entry& entry, int a, int b, bool two_ways) {
  if (!known(entry, a) || !known(entry, b)) return;
  begin_number(entry, a);
  begin_number(entry, b);
  Gone gone;
  const BusyGuard held(table_lock);
  if (two_ways) {
    Channel* const to_a = new_channel(ChannelId::kNew);
    Channel* const to_b = new_channel(ChannelId::kNew);
    put(entry, a, new_object(to_a, to_b), gone);
    put(entry, b, new_object(to_b, to_a), gone);
  } else {
    FdObject* object = new_object(ChannelId::kNew);
    put(entry, a, object, gone);
    put(entry, b, object, gone);
  }
}

namespace {

void use_channels(int fd, ChannelId in, ChannelId out) {
  Gone gone;
  const BusyGuard held(table_lock);
  Descriptor& d = table[fd];
  FdObject* const object = new_object(connection_channel(in), connection_channel(out));
  if (d.object != nullptr) {
    // Duplicates made before the connection keep what they have; nobody makes any.
    for (unsigned i = 0; i < d.object->in->watcher_count; ++i) add_watcher(*object->in, d.object->in->watchers[i]);
    drop(d.object, gone);
  }
  ++object->descriptors;
  d.object = object;
}

}  // namespace

void fd_listens(const Entry& entry, int fd, uint64_t name) {
  if (known(entry, fd) && options.io_sync != 0) use_channels(fd, connection(name), connection(name));
}

void fd_connecting(const Entry& entry, uint64_t name) {
  if (entry.thread() == nullptr || options.io_sync == 0) return;
  Channel copy;
  {
    const BusyGuard held(table_lock);
    Channel* const listener = find_connection(connection(name));
    if (listener == nullptr) return;  // of another process
    copy = *listener;
  }
  acquire(entry, clock_of(copy.id));  // what was done before it listened
  release_to(entry, copy);
}

void fd_connected(const Entry& entry, int fd, uint64_t own_end, uint64_t other_end) {
  if (!known(entry, fd) || options.io_sync == 0 || own_end == other_end) return;
  const auto way = [](uint64_t from, uint64_t to) { return connection(mix(from, to)); };
  use_channels(fd, way(other_end, own_end), way(own_end, other_end));
}

void fd_duplicated(const Entry& entry, int from, int to) {
  if (!known(entry, from) || !known(entry, to)) return;
  touch(entry, from, false);
  if (from == to) return;
  bool replaced;
  {
    const BusyGuard held(table_lock);
    replaced = table[to].object != nullptr && !table[to].closed;
  }
  // Putting another file in place of one that others use is done on purpose: it does not race with uses, but with a
  // close.
  if (replaced)
    touch(entry, to, false);
  else
    begin_number(entry, to);
  Gone gone;
  const BusyGuard held(table_lock);
  put(entry, to, &object_of(from), gone);
}

void fd_closed(const Entry& entry, int fd) {
  if (!known(entry, fd)) return;
  touch(entry, fd, true);
  if (options.io_sync != 0) release(entry, clock_of_number(fd));
  Gone gone;
  const BusyGuard held(table_lock);
  Descriptor& d = table[fd];
  drop(d.object, gone);
  d.object = nullptr;
  d.closed = true;
}

void fd_used(const Entry& entry, int fd) {
  if (known(entry, fd)) touch(entry, fd, false);
}

void fd_acquire(const Entry& entry, int fd) {
  if (!known(entry, fd)) return;
  touch(entry, fd, false);
  if (options.io_sync == 0) return;
  ChannelId id;
  {
    const BusyGuard held(table_lock);
    id = object_of(fd).in->id;
  }
  acquire(entry, clock_of(id));
}

void fd_release(const Entry& entry, int fd) {
  if (!known(entry, fd)) return;
  touch(entry, fd, false);
  if (options.io_sync == 0) return;
  Channel copy;
  {
    const BusyGuard held(table_lock);
    copy = *object_of(fd).out;
  }
  release_to(entry, copy);
}

void fd_passes(const Entry& entry, int from, int to) {
  if (!known(entry, from) || !known(entry, to)) return;
  fd_release(entry, to);
  if (options.io_sync == 0) return;
  const BusyGuard held(table_lock);
  Channel& channel = *object_of(from).in;
  const ChannelId target = object_of(to).out->id;
  join_clock(clock_of(channel.id), clock_of(target));
  add_watcher(channel, target);  // what is written there from now on may be passed on, too
}

namespace {

bool identity_of(int fd, Sent& of) {
  struct stat about = {};
  if (sys::failed(sys::call(SYS_fstat, fd, reinterpret_cast<long>(&about)))) return false;
  of.device = about.st_dev;
  of.inode = about.st_ino;
  return true;
}

}  // namespace

void fd_sent(const Entry& entry, int fd) {
  Sent one = {};
  if (!known(entry, fd) || !identity_of(fd, one)) return;
  Gone gone;
  const BusyGuard held(table_lock);
  one.object = &object_of(fd);
  ++one.object->descriptors;
  Sent& place = sent[sent_next++ % kMostSent];
  drop(place.object, gone);  // long ago, and to another process
  place = one;
}

void fd_received(const Entry& entry, int fd) {
  Sent wanted = {};
  if (!known(entry, fd)) return;
  fd_opened_socket(entry, fd);  // from another process
  if (!identity_of(fd, wanted)) return;
  Gone gone;
  const BusyGuard held(table_lock);
  for (unsigned i = 0; i < kMostSent; ++i) {
    Sent& one = sent[(sent_next + i) % kMostSent];
    if (one.object == nullptr || one.device != wanted.device || one.inode != wanted.inode) continue;
    put(entry, fd, one.object, gone);
    drop(one.object, gone);
    one.object = nullptr;
    return;
  }
}

void fd_takes_signals(const Entry& entry, int fd, uint64_t signals) {
  if (!known(entry, fd)) return;
  const BusyGuard held(table_lock);
  Channel& channel = *object_of(fd).in;
  if (channel.signals == 0 && signals != 0) {
    channel.next = with_signals;
    with_signals = &channel;
  }
  if (signals != 0) channel.signals = signals;
}

void fd_signal_sent(const Entry& entry, int signal) {
  if (entry.thread() == nullptr || options.io_sync == 0 || __atomic_load_n(&with_signals, __ATOMIC_RELAXED) == nullptr)
    return;
  for (unsigned number = 0;; ++number) {
    Channel copy;
    {
      const BusyGuard held(table_lock);
      const Channel* at = with_signals;
      for (unsigned i = 0; at != nullptr && i < number; ++i) at = at->next;
      if (at == nullptr) return;
      copy = *at;
    }
    if ((copy.signals >> (signal - 1) & 1) != 0) release_to(entry, copy);
  }
}

void fd_watched(const Entry& entry, int epoll, int fd) {
  if (!known(entry, epoll) || !known(entry, fd) || options.io_sync == 0) return;
  const BusyGuard held(table_lock);
  Channel& channel = *object_of(fd).in;
  const ChannelId watcher = object_of(epoll).in->id;
  join_clock(clock_of(channel.id), clock_of(watcher));  // it may be ready already
  add_watcher(channel, watcher);
}

void fd_acquire_watched(const Entry& entry, int epoll) {
  fd_acquire(entry, epoll);
  if (options.io_sync != 0) acquire(entry, clock_of(ChannelId::kManyWatchers));
}

bool descriptor_of(uintptr_t address, DescriptorInfo& info) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(descriptor_bytes);
  if (address < begin || address >= begin + sizeof descriptor_bytes) return false;
  const int fd = static_cast<int>((address - begin) / 8);
  const BusyGuard held(table_lock);
  info = {fd, table[fd].opened_by, table[fd].opened_at, table[fd].closed};
  return true;
}

DEADHEAT_TAKEN_AT_FORK(kDescriptors, table_lock)

}  // namespace deadheat::live
