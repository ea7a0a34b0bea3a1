#include "live/report/record.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/utsname.h>
#include <time.h>

#include <atomic>

#include "base/version.h"
#include "live/ground/options.h"
#include "live/ground/own_file.h"
#include "live/ground/sys.h"
#include "live/modules/module_table.h"
#include "live/report/log.h"
#include "report/record_format.h"

namespace deadheat::live {
namespace {

constinit OwnFile record_file;
std::atomic<bool> recorded{false};
std::atomic<bool> run_told{false};  // the line of the run is written
char run_id[64];

Sink sink_of(Text& text) {
  return {[](void* to, std::string_view part) { static_cast<Text*>(to)->put(part); }, &text};
}

// Start time and process tell a run from others; the time is that of the machine, in nanoseconds.
uint64_t name_run() {
  timespec now{};
  sys::call(SYS_clock_gettime, CLOCK_REALTIME, reinterpret_cast<long>(&now));
  Text id(run_id, sizeof run_id);
  const uint64_t nanoseconds = static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
  id.add("%lx-%d", nanoseconds, sys::process_id());
  return static_cast<uint64_t>(now.tv_sec);
}

// The arguments as the system knows them, up to what a line needs.
void read_arguments(Text& text) {
  const long file = sys::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (sys::failed(file)) return;
  char part[512];
  constexpr size_t kMost = 16384;
  for (long n; text.size() < kMost && ((n = sys::read(static_cast<int>(file), part, sizeof part)) > 0 || n == -EINTR);)
    for (long i = 0; i < n; ++i) text.put(part[i]);
  sys::close(static_cast<int>(file));
}

std::atomic<uint64_t> started{0};

void tell_run() {
  if (run_told.exchange(true)) return;
  utsname system{};
  sys::call(SYS_uname, reinterpret_cast<long>(&system));
  GrowingText arguments, line;
  read_arguments(arguments);
  Sink sink = sink_of(line);
  write_run_record({.id = run_id,
                    .version = kVersion,
                    .process = sys::process_id(),
                    .started = started.load(std::memory_order_relaxed),
                    .host = system.nodename,
                    .program = program_path(),
                    .arguments = {arguments.data(), arguments.size()},
                    .label = options.record_label.view()},
                   sink);
  write_whole(record_file.fd(), line.data(), line.size());
}

}  // namespace

void record_start() {
  if (options.record_path.empty()) return;
  const long file = sys::open(options.record_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (sys::failed(file)) {
    say("cannot write %s (error %ld)", options.record_path.c_str(), -file);
    return;
  }
  record_file.take(static_cast<int>(file));
  started.store(name_run(), std::memory_order_relaxed);
  recorded.store(true, std::memory_order_release);
  tell_run();
}

bool is_recorded() { return recorded.load(std::memory_order_acquire); }

void describe_for_record(const Finding& finding, Text& text) {
  if (!is_recorded()) return;
  Sink sink = sink_of(text);
  write_finding_record(finding, run_id, sys::process_id(), sink);
}

void write_record(const Text& text) {
  if (!is_recorded() || text.size() == 0) return;
  tell_run();
  write_whole(record_file.fd(), text.data(), text.size());
}

void record_end(uint64_t reports, uint64_t suppressed, uint64_t repeated) {
  if (!is_recorded() || !run_told.load(std::memory_order_relaxed)) return;
  GrowingText line;
  Sink sink = sink_of(line);
  write_end_record(run_id, {reports, suppressed, repeated}, sink);
  write_whole(record_file.fd(), line.data(), line.size());
}

void record_after_fork() {
  if (!is_recorded()) return;
  started.store(name_run(), std::memory_order_relaxed);
  run_told.store(false, std::memory_order_relaxed);
}

}  // namespace deadheat::live
