// File descriptors against a naive model: what they lead to as shared objects, clocks as sets of what happened before.
//
// Random operations are played on both sides. Every access of a thread is remembered; it happens before what a thread
// does now, or it does not, and both sides must say the same.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <vector>

#include "live/descriptors.h"
#include "live/order/descriptors.h"
#include "live_rooms.h"

namespace deadheat::live::test {
namespace {

// As an interceptor that the actor called.
template <class Do>
void call(Actor& actor, Do action) {
  actor.run([&](Thread&) {
    const Outside outside;
    const Entry entry(reinterpret_cast<const void*>(0x1000));
    action(entry);
  });
}
Epoch access(Actor& actor) {
  return actor.run([](Thread& t) {
    t.used = true;
    return t.C.own();
  });
}

using Known = std::set<size_t>;  // accesses, by number
struct Way {
  Known clock;
  std::vector<std::shared_ptr<Way>> watchers;
};
using WayPtr = std::shared_ptr<Way>;
struct Open {
  WayPtr in, out;
};

class Play {
 public:
  explicit Play(uint64_t seed) : random_(seed) {
    for (int fd = 0; fd < kFds; ++fd) close(0, fd);  // what earlier plays left
  }

  void step() {
    const size_t me = any(kActors);
    const int a = any_fd(), b = any_fd();
    switch (any(10)) {
      case 0:
        return open(me, a);
      case 1:
        return open_pair(me, a, b, any(2) == 0);
      case 2:
        return duplicate(me, a, b);
      case 3:
        return close(me, a);
      case 4:
        return watch(me, a, b);
      case 5:
        return pass(me, a, b);
      case 6:
      case 7:
        return write(me, a);
      case 8:
        return read(me, a, any(2) == 0);
      default:
        return access_by(me);
    }
  }

  void compare() {
    for (size_t i = 0; i < kActors; ++i)
      for (size_t n = 0; n < accesses_.size(); ++n)
        ASSERT_EQ(actors_[i].thread().C.knows(accesses_[n]), known_[i].contains(n))
            << "thread " << i << ", access " << n;
  }

 private:
  static constexpr size_t kActors = 3;
  static constexpr int kFds = 6;

  size_t any(size_t count) { return random_() % count; }
  int any_fd() { return static_cast<int>(any(kFds)); }

  void learn(size_t me, const Known& clock) { known_[me].insert(clock.begin(), clock.end()); }
  void publish(size_t me, Known& clock) { clock.insert(known_[me].begin(), known_[me].end()); }
  void publish(size_t me, const WayPtr& way) {
    publish(me, way->clock);
    for (const WayPtr& watcher : way->watchers) publish(me, watcher->clock);
  }
  static void add_watcher(const WayPtr& way, const WayPtr& watcher) {
    for (const WayPtr& other : way->watchers)
      if (other == watcher) return;
    way->watchers.push_back(watcher);
  }

  void access_by(size_t me) {
    accesses_.push_back(access(actors_[me]));
    known_[me].insert(accesses_.size() - 1);
  }
  void open(size_t me, int fd) {
    call(actors_[me], [&](const Entry& entry) { fd_opened(entry, fd); });
    learn(me, numbers_[fd]);
    const WayPtr way = std::make_shared<Way>();
    fds_[fd] = {way, way};
  }
  void open_pair(size_t me, int a, int b, bool two_ways) {
    if (a == b) return;
    call(actors_[me], [&](const Entry& entry) { fd_opened_pair(entry, a, b, two_ways); });
    learn(me, numbers_[a]);
    learn(me, numbers_[b]);
    const WayPtr to_a = std::make_shared<Way>(), to_b = two_ways ? std::make_shared<Way>() : to_a;
    fds_[a] = {to_a, to_b};
    fds_[b] = {to_b, to_a};
  }
  void duplicate(size_t me, int from, int to) {
    if (fds_[from].in == nullptr) return;
    const bool replaced = fds_[to].in != nullptr;
    call(actors_[me], [&](const Entry& entry) { fd_duplicated(entry, from, to); });
    if (from == to) return;
    if (!replaced) learn(me, numbers_[to]);
    fds_[to] = fds_[from];
  }
  void close(size_t me, int fd) {
    call(actors_[me], [&](const Entry& entry) { fd_closed(entry, fd); });
    publish(me, numbers_[fd]);
    fds_[fd] = {};
  }
  void write(size_t me, int fd) {
    if (fds_[fd].in == nullptr) return;
    call(actors_[me], [&](const Entry& entry) { fd_release(entry, fd); });
    publish(me, fds_[fd].out);
  }
  void read(size_t me, int fd, bool watched) {
    if (fds_[fd].in == nullptr) return;
    call(actors_[me], [&](const Entry& entry) { watched ? fd_acquire_watched(entry, fd) : fd_acquire(entry, fd); });
    learn(me, fds_[fd].in->clock);
  }
  void watch(size_t me, int epoll, int fd) {
    if (fds_[epoll].in == nullptr || fds_[fd].in == nullptr || fds_[fd].in->watchers.size() == 3) return;
    call(actors_[me], [&](const Entry& entry) { fd_watched(entry, epoll, fd); });
    Known& to = fds_[epoll].in->clock;
    to.insert(fds_[fd].in->clock.begin(), fds_[fd].in->clock.end());
    add_watcher(fds_[fd].in, fds_[epoll].in);
  }
  void pass(size_t me, int from, int to) {
    if (fds_[from].in == nullptr || fds_[to].in == nullptr || fds_[from].in->watchers.size() == 3) return;
    call(actors_[me], [&](const Entry& entry) { fd_passes(entry, from, to); });
    publish(me, fds_[to].out);
    Known& clock = fds_[to].out->clock;
    clock.insert(fds_[from].in->clock.begin(), fds_[from].in->clock.end());
    add_watcher(fds_[from].in, fds_[to].out);
  }

  std::mt19937_64 random_;
  Actor actors_[kActors];
  Known known_[kActors];
  std::vector<Epoch> accesses_;
  Open fds_[kFds];
  Known numbers_[kFds];
};

TEST(LiveDescriptors, OrderAsTheModelSays) {
  start_rooms();
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Play play(seed);
    for (int i = 0; i < 120; ++i) {
      play.step();
      play.compare();
      if (HasFatalFailure()) return;
    }
  }
}

TEST(LiveDescriptors, UsesReadAndClosesWrite) {
  start_rooms();
  Actor actor;
  const auto accessed = [&](auto action) {
    above.accesses.clear();
    call(actor, action);
    std::vector<std::pair<int, AccessKind>> found;
    for (const Above::Access& a : above.accesses) {
      DescriptorInfo info;
      EXPECT_TRUE(descriptor_of(a.address, info));
      found.emplace_back(info.fd, a.kind);
    }
    return found;
  };
  using Found = std::vector<std::pair<int, AccessKind>>;
  constexpr AccessKind kRead = AccessKind::kRead, kWrite = AccessKind::kWrite;
  EXPECT_EQ(accessed([](const Entry& e) { fd_opened_pair(e, 40, 41); }), Found());
  EXPECT_EQ(accessed([](const Entry& e) { fd_release(e, 41); }), (Found{{41, kRead}}));
  EXPECT_EQ(accessed([](const Entry& e) { fd_acquire(e, 40); }), (Found{{40, kRead}}));
  EXPECT_EQ(accessed([](const Entry& e) { fd_used(e, 40); }), (Found{{40, kRead}}));
  EXPECT_EQ(accessed([](const Entry& e) { fd_duplicated(e, 40, 42); }), (Found{{40, kRead}}));
  EXPECT_EQ(accessed([](const Entry& e) { fd_duplicated(e, 40, 41); }), (Found{{40, kRead}, {41, kRead}}));
  EXPECT_EQ(accessed([](const Entry& e) { fd_closed(e, 40); }), (Found{{40, kWrite}}));
  DescriptorInfo info;
  EXPECT_FALSE(descriptor_of(reinterpret_cast<uintptr_t>(&info), info));
  EXPECT_TRUE(descriptor_of(above.accesses[0].address, info));
  EXPECT_TRUE(info.closed);
  EXPECT_EQ(accessed([](const Entry& e) { fd_used(e, -1), fd_used(e, 1 << 20); }), Found());
  EXPECT_EQ(above.fresh, 3u);
}

// The two ends of a connection find each other by their addresses, in either order, and what was sent before the other
// end was accepted arrives.
TEST(LiveDescriptors, ConnectionsMeetByTheirAddresses) {
  start_rooms();
  Actor server, client, other;
  constexpr uint64_t kServer = 0x7f0000010050, kClient = 0x7f0000019999, kThird = 0x7f0000018888;
  const Epoch sent = access(client);
  call(client, [&](const Entry& e) {
    fd_opened_socket(e, 50);
    fd_connected(e, 50, kClient, kServer);
    fd_release(e, 50);
    fd_closed(e, 50);
  });
  call(other, [&](const Entry& e) {
    fd_opened_socket(e, 51);
    fd_connected(e, 51, kServer, kThird);
    fd_acquire(e, 51);
  });
  EXPECT_FALSE(other.thread().C.knows(sent));
  call(server, [&](const Entry& e) {
    fd_opened_socket(e, 52);
    fd_connected(e, 52, kServer, kClient);
  });
  EXPECT_FALSE(server.thread().C.knows(sent));
  call(server, [](const Entry& e) { fd_acquire(e, 52); });
  EXPECT_TRUE(server.thread().C.knows(sent));
  for (const int fd : {51, 52}) call(server, [fd](const Entry& e) { fd_closed(e, fd); });
}

TEST(LiveDescriptors, SignalsAreReadFromThem) {
  start_rooms();
  Actor sender, reader;
  const Epoch before = access(sender);
  call(reader, [](const Entry& e) {
    fd_opened(e, 60);
    fd_takes_signals(e, 60, uint64_t{1} << 9);  // signal 10
  });
  call(sender, [](const Entry& e) { fd_signal_sent(e, 12); });
  call(reader, [](const Entry& e) { fd_acquire(e, 60); });
  EXPECT_FALSE(reader.thread().C.knows(before));
  call(sender, [](const Entry& e) { fd_signal_sent(e, 10); });
  call(reader, [](const Entry& e) { fd_acquire(e, 60); });
  EXPECT_TRUE(reader.thread().C.knows(before));
  call(reader, [](const Entry& e) { fd_closed(e, 60); });
}

}  // namespace
}  // namespace deadheat::live::test
