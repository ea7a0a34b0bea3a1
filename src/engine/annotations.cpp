#include "engine/annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "race/suppressions.h"

namespace deadheat {

namespace {

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

std::string_view function_of(std::string_view location) {
  const size_t blank = location.find(' ');
  const size_t colon = location.substr(0, blank).rfind(':');
  if (blank == std::string_view::npos || colon == std::string_view::npos || colon + 1 == blank) return location;
  const std::string_view line = location.substr(colon + 1, blank - colon - 1);
  if (line.find_first_not_of("0123456789") != std::string_view::npos) return location;
  return location.substr(blank + 1);
}

Annotations Annotations::parse(std::string_view text, const std::string& file) {
  struct Kind {
    std::string_view word;
    Patterns Annotations::* patterns;
  };
  static constexpr Kind kKinds[] = {{"Field", &Annotations::fields_},
                                    {"Method", &Annotations::methods_},
                                    {"Class", &Annotations::classes_},
                                    {"Acquire", &Annotations::acquires_},
                                    {"Release", &Annotations::releases_}};
  Annotations annotations;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.front() == '#') continue;
    const size_t blank = line.find_first_of(" \t");
    const std::string_view kind = line.substr(0, blank);
    const std::string_view name = blank == std::string_view::npos ? "" : trimmed(line.substr(blank));
    const Kind* known =
        std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind& k) { return k.word == kind; });
    if (known == std::end(kKinds) || name.empty())
      throw AnnotationError(fmt::format("{}:{}: '{}'; expected Field, Method, Class, Acquire or Release, and a name",
                                        file, number, line));
    (annotations.*known->patterns).push_back(fmt::format("^{}$", name));  // the whole name, as the paper has it
  }
  return annotations;
}

Annotations Annotations::read(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf() || file.eof()))
    throw AnnotationError(fmt::format("{}: cannot be read; expected a file of annotations", path));
  return parse(text.str(), path);
}

bool Annotations::matches(const Patterns& patterns, std::string_view name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [name](const std::string& pattern) { return matches_pattern(pattern, name); });
}

bool Annotations::matches_location(const Patterns& patterns, std::string_view location, RealNames* names,
                                   bool callers) {
  if (patterns.empty()) return false;
  if (names == nullptr) return matches(patterns, location) || matches(patterns, function_of(location));
  const std::vector<std::string> functions = names->functions(location, callers);
  // With its parameters, or without.
  return std::any_of(functions.begin(), functions.end(), [&patterns](const std::string_view function) {
    return matches(patterns, function) || matches(patterns, function.substr(0, function.find('(')));
  });
}

bool Annotations::hides_bytes(const RealNames::Bytes& bytes) const {
  return hides_class(bytes.name) || (!bytes.is_type && hides_field(bytes.name));
}

// ---- What is not watched ------------------------------------------------------------------------------------------

bool Unwatched::is_hidden(const Event& e, uint64_t number) {
  if (e.location != kNoLocation &&
      locations_.of(index(e.location), [&] { return annotations_.hides_method(names_.location(e.location), real_); }))
    return true;
  if (e.is_range)
    return (!hidden_blocks_.empty() && is_in_hidden_block(e)) ||
           (real_ != nullptr && annotations_.has_variables() && is_in_hidden_global(e, number));
  return variables_.of(index(e.variable()), [&] {
    const ObjectId object = names_.variable_info[index(e.variable())].object;
    return annotations_.hides_field(names_.variables[e.variable()]) || annotations_.hides_class(names_.objects[object]);
  });
}

bool Unwatched::is_in_hidden_block(const Event& e) const {
  const auto after = hidden_blocks_.upper_bound(e.target);
  if (after == hidden_blocks_.begin()) return false;
  const auto& [address, bytes] = *std::prev(after);
  return e.target - address < bytes && e.size <= bytes - (e.target - address);
}

// All of the access is in something that is hidden.
bool Unwatched::is_in_hidden_global(const Event& e, uint64_t number) {
  const auto [known, is_new] = globals_.try_emplace({e.target, e.size});
  if (is_new) {
    const std::vector<RealNames::Bytes> names = real_->bytes_at(e.target, number);
    known->second = std::any_of(names.begin(), names.end(), [&](const RealNames::Bytes& b) {
      return e.target - b.begin < b.bytes && e.size <= b.bytes - (e.target - b.begin) && annotations_.hides_bytes(b);
    });
  }
  return known->second;
}

// What was there before is no more; what is hidden is kept.
void Unwatched::allocate(const Event& e) {
  auto at = hidden_blocks_.upper_bound(e.target);
  if (at != hidden_blocks_.begin() && e.target - std::prev(at)->first < std::prev(at)->second) --at;
  while (at != hidden_blocks_.end() && (at->first < e.target || at->first - e.target < e.size))
    at = hidden_blocks_.erase(at);
  if (e.location != kNoLocation &&
      allocations_.of(index(e.location), [&] { return annotations_.hides_block(names_.location(e.location), real_); }))
    hidden_blocks_.emplace(e.target, e.size);
}

void Unwatched::apply(Batch& batch) {
  for (size_t i = 0; i < batch.events.size(); ++i) {
    Event& e = batch.events[i];
    if (e.kind == EventKind::kAlloc && e.is_range) allocate(e);
    if (is_plain_access(e.kind) && is_hidden(e, batch.first_event + i)) e.kind = EventKind::kNothing;
  }
}

// ---- User-defined locks -------------------------------------------------------------------------------------------

void UserLocks::apply(Batch& batch) {
  for (Event& e : batch.events) {
    // The locks of the trace and the user's share one table of numbers: even ones and odd ones.
    if (info(e.kind).operand == Operand::kLock) e.target *= 2;
    if (e.kind != EventKind::kNothing) apply(e);
  }
}

void UserLocks::apply(Event& e) {
  if (index(e.thread) >= threads_.size()) threads_.resize(index(e.thread) + 1);
  Thread& thread = threads_[index(e.thread)];
  const std::string_view location = names_.location(e.location);
  const bool acquires = e.location != kNoLocation &&
                        acquires_.of(index(e.location), [&] { return annotations_.acquires(location, real_); });
  if (!acquires) thread.is_acquiring = false;
  if (!is_atomic_access(e.kind)) return;
  if (acquires) {
    acquire(e, thread);
  } else if (info(e.kind).access == AccessKind::kAtomicWrite && e.location != kNoLocation &&
             releases_.of(index(e.location), [&] { return annotations_.releases(location, real_); })) {
    release(e, thread);
  }
}

void UserLocks::acquire(Event& e, Thread& thread) {
  const Word word{e.is_range, e.target};
  if (!thread.is_acquiring) {
    const uint64_t lock = locks_.emplace(word, locks_.size()).first->second;
    std::erase_if(thread.held, [lock](const Acquisition& old) { return old.lock == lock; });  // its end was not seen
    thread.held.push_back({lock, {}});
  }
  thread.is_acquiring = true;
  Acquisition& acquisition = thread.held.back();
  if (std::find(acquisition.words.begin(), acquisition.words.end(), word) == acquisition.words.end())
    acquisition.words.push_back(word);
  e.kind = EventKind::kAcquire;
  e.target = 2 * acquisition.lock + 1;
  e.is_range = false;
  e.size = 0;
}

void UserLocks::release(Event& e, Thread& thread) {
  const Word word{e.is_range, e.target};
  for (size_t i = thread.held.size(); i-- > 0;) {
    const std::vector<Word>& words = thread.held[i].words;
    if (std::find(words.begin(), words.end(), word) == words.end()) continue;
    e.kind = EventKind::kRelease;
    e.target = 2 * thread.held[i].lock + 1;
    e.is_range = false;
    e.size = 0;
    thread.held.erase(thread.held.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

}  // namespace deadheat
