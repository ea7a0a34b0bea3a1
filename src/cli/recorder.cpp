#include "cli/recorder.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>

#include "cli/commands.h"

namespace deadheat::cli {

namespace {

namespace fs = std::filesystem;

// Shared memory, where there is a place for it.
class ChannelFolder {
 public:
  ChannelFolder() {
    std::error_code error;
    const fs::path parent = access("/dev/shm", W_OK) == 0 ? fs::path("/dev/shm") : fs::temp_directory_path(error);
    std::string pattern = parent / "deadheat-record-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr)
      throw UsageError(fmt::format("{}: cannot make a folder: {}", pattern, std::strerror(errno)));
    path_ = pattern;
  }
  ~ChannelFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ChannelFolder(const ChannelFolder&) = delete;
  ChannelFolder& operator=(const ChannelFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// State and time of start of a process, from the system; false if there is none.
bool process_state(uint32_t process, char& state, uint64_t& started) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text;
  if (!std::getline(file, text)) return false;
  const size_t end = text.rfind(')');  // of the name, which may have anything in it
  if (end == std::string::npos) return false;
  std::istringstream rest(text.substr(end + 1));
  rest >> state;
  std::string skipped;
  for (int i = 0; i < 18; ++i) rest >> skipped;
  return static_cast<bool>(rest >> started);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

volatile sig_atomic_t toggles = 0;
void toggle(int) { toggles = toggles + 1; }

class Recorder {
 public:
  Recorder(const RunRequest& request, int toggle_signal, const Consume& consume)
      : command_(joined(request.command)), toggle_signal_(toggle_signal), consume_(consume) {}

  RecordedEnd run(std::vector<std::string> words, const fs::path& folder) {
    forward_signals(true);
    if (toggle_signal_ != 0) {
      struct sigaction action = {};
      action.sa_handler = toggle;
      action.sa_flags = SA_RESTART;
      sigaction(toggle_signal_, &action, nullptr);
    }
    program_ = spawn(words);
    RecordedEnd end;
    for (bool is_over = false;;) {
      if (!is_over) {
        const pid_t ended = waitpid(program_, &end.status, WNOHANG);
        if (ended == program_ || (ended < 0 && errno != EINTR)) {
          is_over = true;
          program_ended_.store(true, std::memory_order_release);
        }
      }
      const bool found = look_for_processes(folder);
      toggle_readers();
      if (is_over && !found && running_.load(std::memory_order_acquire) == 0) break;
      usleep(is_over ? 200 : 2000);
    }
    for (std::thread& thread : threads_) thread.join();
    end.processes = static_cast<unsigned>(threads_.size());
    end.failed = failed_.load();
    return end;
  }

 private:
  // The signal means the processes that there are, and those that come.
  void toggle_readers() {
    const std::lock_guard lock(readers_mutex_);
    for (; toggled_ != static_cast<unsigned>(toggles); ++toggled_)
      for (record::RecordingReader* const reader : readers_) reader->toggle();
  }

  bool look_for_processes(const fs::path& folder) {
    bool found = false;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename();
      if (seen_.contains(name)) continue;
      std::unique_ptr<record::Channel> channel = record::Channel::open(entry.path());
      if (channel == nullptr) continue;  // not yet
      seen_.insert(name);
      found = true;
      RecordedProcess process{channel->process(), name == std::to_string(program_), name};
      running_.fetch_add(1);
      threads_.emplace_back(
          [this, process, owned = std::move(channel)]() mutable { follow(std::move(owned), process); });
    }
    return found;
  }

  void follow(std::unique_ptr<record::Channel> channel, const RecordedProcess& process) {
    char state = 0;
    uint64_t started = 0;
    const bool was_there = process_state(process.process, state, started);
    const bool is_child = process.process == static_cast<uint32_t>(program_);
    const auto is_over = [&, process, is_child] {
      if (is_child) return program_ended_.load(std::memory_order_acquire);
      char now = 0;
      uint64_t then = 0;
      return !was_there || !process_state(process.process, now, then) || now == 'Z' || now == 'X' || then != started;
    };
    record::RecordingReader reader(std::move(channel), command_, is_over);
    {
      const std::lock_guard lock(readers_mutex_);
      readers_.insert(&reader);
      if (toggled_ % 2 != 0) reader.toggle();
    }
    try {
      consume_(reader, process);
    } catch (const std::exception& error) {
      note(error.what());
      failed_ = true;
      Batch rest;
      while (reader.next(rest)) {
      }
    }
    {
      const std::lock_guard lock(readers_mutex_);
      readers_.erase(&reader);
    }
    running_.fetch_sub(1, std::memory_order_release);
  }

  const std::string command_;
  const int toggle_signal_;
  const Consume& consume_;
  pid_t program_ = 0;
  std::atomic<bool> program_ended_{false};
  std::atomic<int> running_{0};
  std::atomic<bool> failed_{false};
  std::mutex readers_mutex_;
  std::set<record::RecordingReader*> readers_;
  unsigned toggled_ = 0;
  std::set<std::string> seen_;
  std::vector<std::thread> threads_;
};

}  // namespace

RecordedEnd record_program(const RunRequest& request, const RecordingOptions& options, const Consume& consume) {
  const ChannelFolder folder;
  RunRequest recorded = request;
  recorded.annotations.clear();  // for the analysis
  recorded.options.push_back("record_to=" + folder.path().string());
  recorded.options.push_back(fmt::format("recorder={}", getpid()));
  if (options.paused) recorded.options.push_back("record_paused=1");
  if (options.every_access) recorded.options.push_back("record_full=1");
  std::vector<std::string> words = request.command;
  const std::string path = find_program(words[0]);
  prepare(path, request.no_preload, installed_run_time().tsan_folder + "-record");
  setenv("DEADHEAT_OPTIONS", merged_options(recorded).c_str(), 1);
  words[0] = path;
  Recorder recorder(request, options.toggle_signal, consume);
  return recorder.run(std::move(words), folder.path());
}

}  // namespace deadheat::cli
