// A meta-search: workers fetch pages from local servers through sockets, and put what they got into shared tasks.
// After the hedc benchmark of ETH, as used by FastTrack: a crawler of web archives
//
// Known races of the original: somebody who is impatient asks for the state of a task, for its worker and for its result
// without the task's lock, while a worker writes them.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <string>

#include "program.h"

namespace {

constexpr int kPage = 1024;
enum class State { kNew, kRunning, kDone };

class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  ~Socket() { ::close(descriptor_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  bool send(const char* bytes, std::size_t count) const {
    while (count > 0) {
      const ssize_t sent = ::write(descriptor_, bytes, count);
      if (sent <= 0) return false;
      bytes += sent;
      count -= static_cast<std::size_t>(sent);
    }
    return true;
  }
  bool receive(char* bytes, std::size_t count) const {
    while (count > 0) {
      const ssize_t got = ::read(descriptor_, bytes, count);
      if (got <= 0) return false;
      bytes += got;
      count -= static_cast<std::size_t>(got);
    }
    return true;
  }

 private:
  int descriptor_;
};

char page_byte(int page, int offset) { return static_cast<char>('a' + (page * 31 + offset * 7) % 26); }

// Answers every number of a page with the page, until the client hangs up.
void serve(const Socket& client) {
  int page = 0;
  std::array<char, kPage> text;
  while (client.receive(reinterpret_cast<char*>(&page), sizeof page)) {
    for (int i = 0; i < kPage; ++i) text[i] = page_byte(page, i);
    if (!client.send(text.data(), text.size())) return;
  }
}

class Task {
 public:
  void start(int worker) {
    std::scoped_lock lock(mutex_);
    set_worker(worker);
    set_state(State::kRunning);
  }
  void finish(const std::array<char, kPage>& text) {
    std::scoped_lock lock(mutex_);
    set_result(std::accumulate(text.begin(), text.end(), 0));
    set_state(State::kDone);
  }
  bool is_done() {
    std::scoped_lock lock(mutex_);
    return state_ == State::kDone && worker_ >= 0;
  }
  int result() {
    std::scoped_lock lock(mutex_);
    return result_;
  }

  // Without the lock: the known races.
  OWN_LINES int peek_state() const {
    return static_cast<int>(state_);  // race state
  }
  OWN_LINES int peek_worker() const {
    return worker_;  // race worker
  }
  OWN_LINES int peek_result() const {
    return result_;  // race result
  }

 private:
  OWN_LINES void set_state(State state) {
    state_ = state;  // race state
  }
  OWN_LINES void set_worker(int worker) {
    worker_ = worker;  // race worker
  }
  OWN_LINES void set_result(int result) {
    result_ = result;  // race result
  }

  std::mutex mutex_;
  State state_ = State::kNew;
  int worker_ = -1;
  int result_ = 0;
};

class Pool {
 public:
  explicit Pool(int tasks) : tasks_(static_cast<std::size_t>(tasks)) {}
  int next() {
    std::scoped_lock lock(mutex_);
    return next_ < static_cast<int>(tasks_.size()) ? next_++ : -1;
  }
  std::vector<Task>& tasks() { return tasks_; }

 private:
  std::mutex mutex_;
  int next_ = 0;
  std::vector<Task> tasks_;
};

}  // namespace

int main(int argc, char** argv) {
  const program::Arguments given = program::arguments("hedc", argc, argv);
  Pool pool(std::max(1000 * given.size, given.threads));

  int seen = 0;
  std::thread impatient([&] {
    if (!given.race) return;
    for (const Task& task : pool.tasks()) seen += task.peek_state() + task.peek_worker() + task.peek_result();
  });
  program::run_threads(given.threads, [&](int me) {
    std::array<int, 2> ends;
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) {
      std::perror("hedc: socketpair");
      std::exit(1);
    }
    std::thread server([end = ends[1]] {
      const Socket client(end);
      serve(client);
    });
    {
      const Socket connection(ends[0]);
      std::array<char, kPage> text;
      for (int number = pool.next(); number >= 0; number = pool.next()) {
        Task& task = pool.tasks()[number];
        task.start(me);
        if (connection.send(reinterpret_cast<const char*>(&number), sizeof number) &&
            connection.receive(text.data(), kPage))
          task.finish(text);
      }
    }
    server.join();
  });
  impatient.join();

  bool right = seen >= -static_cast<int>(pool.tasks().size());
  for (int number = 0; number < static_cast<int>(pool.tasks().size()); ++number) {
    int sum = 0;
    for (int i = 0; i < kPage; ++i) sum += page_byte(number, i);
    right = right && pool.tasks()[number].is_done() && pool.tasks()[number].result() == sum;
  }
  return program::verdict("hedc", given, right);
}
