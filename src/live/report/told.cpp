#include "live/report/told.h"

#include "live/ground/degraded.h"
#include "live/ground/message.h"
#include "live/ground/options.h"
#include "live/ground/spin_lock.h"
#include "live/ground/tables.h"

namespace deadheat::live {
namespace {

constexpr uint32_t kMostReports = 1u << 20;
constexpr uint32_t kMostSuppressed = 1u << 16;

// Guards all here, for moments.
constinit SpinLock told_lock(Lock::kTold);
KeyMap told(kMostReports);
KeyMap told_words(kMostReports);     // a mask of bytes for each word, for suppress_equal_addresses
KeyMap suppressed(kMostSuppressed);  // emptied when full

uint64_t repeated;  // races that were told before

constexpr uintptr_t kWord = 8;

uint64_t bytes_in(uintptr_t word, uintptr_t begin, uintptr_t end) {
  uint64_t bytes = 0xff;
  if (word < begin) bytes &= 0xffu << (begin - word);
  if (word + kWord > end) bytes &= 0xffu >> (word + kWord - end);
  return bytes;
}

// The lock is held in these three.
bool is_told(const Subject& subject) {
  if (options.suppress_equal_stacks && told.find(subject.key) != nullptr) return true;
  if (!options.suppress_equal_addresses) return false;
  for (uintptr_t word = subject.begin & ~(kWord - 1); word < subject.end; word += kWord) {
    const uint64_t* const before = told_words.find(word);
    if (before != nullptr && (*before & bytes_in(word, subject.begin, subject.end)) != 0) return true;
  }
  return false;
}
bool has_room() {
  return !(options.suppress_equal_stacks && told.is_full()) &&
         !(options.suppress_equal_addresses && told_words.is_full());
}

// False if there was no room for all of it.
bool remember(const Subject& subject) {
  bool remembered = !options.suppress_equal_stacks || told.put(subject.key, 0);
  if (!options.suppress_equal_addresses) return remembered;
  for (uintptr_t word = subject.begin & ~(kWord - 1); word < subject.end && remembered; word += kWord) {
    const uint64_t* const before = told_words.find(word);
    remembered = told_words.put(word, (before != nullptr ? *before : 0) | bytes_in(word, subject.begin, subject.end));
  }
  return remembered;
}

void note_full() {
  if (note_degraded(Degradation::kReports)) say("there is no room to remember more reports: new ones are not told");
}

}  // namespace

uint64_t pair_key(uint64_t a, uint64_t b, uint64_t object) { return mix(a < b ? mix(a, b) : mix(b, a), object); }

bool keeps_quiet(const Subject& subject) {
  {
    const SpinGuard held(told_lock);
    if (is_told(subject)) {
      ++repeated;
      return true;
    }
    if (has_room()) return false;
  }
  note_full();
  return true;
}

bool claim(const Subject& subject) {
  {
    const SpinGuard held(told_lock);
    if (is_told(subject)) return false;
    if (has_room() && remember(subject)) return true;
  }
  note_full();
  return false;
}

uint64_t repeated_reports() {
  const SpinGuard held(told_lock);
  return repeated;
}

bool is_known_suppressed(uint64_t paths) {
  const SpinGuard held(told_lock);
  return options.suppress_equal_stacks && suppressed.find(paths) != nullptr;
}

void note_suppressed(uint64_t paths) {
  const SpinGuard held(told_lock);
  if (suppressed.is_full()) suppressed.clear();
  suppressed.put(paths, 0);
}

void told_start() {
  if (options.told_reports <= 0) return;
  told.set_most(static_cast<uint32_t>(options.told_reports));
  told_words.set_most(static_cast<uint32_t>(options.told_reports));
}

DEADHEAT_TAKEN_AT_FORK(kTold, told_lock)

}  // namespace deadheat::live
