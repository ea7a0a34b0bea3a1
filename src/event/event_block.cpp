#include "event/event_block.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/fatal.h"
#include "event/text_notation.h"

namespace deadheat {

namespace {

constexpr size_t kFirstSiteTable = 1024;
constexpr size_t kLastSites = 4096;

// The space of a site's targets; sites without an operand have a space of their own, in which all targets are 0.
size_t space_of(const EventSite& site) {
  return site.is_range ? kMemorySpace : static_cast<size_t>(info(site.kind).operand);
}

uint64_t unzigzag(uint64_t value) { return value >> 1 ^ (0 - (value & 1)); }

size_t hash_of(const EventSite& site) {
  uint64_t hash = uint64_t{static_cast<uint32_t>(site.location)} << 24 |
                  uint64_t{static_cast<uint8_t>(site.kind)} << 8 | static_cast<uint64_t>(site.order) << 1 |
                  (site.is_range ? 1u : 0u);
  hash = (hash ^ site.size * 0xD6E8FEB86659FD93u) * 0x9E3779B97F4A7C15u;
  return static_cast<size_t>(hash >> 32);
}

bool may_be_range(EventKind kind) {
  return info(kind).operand == Operand::kVariable || info(kind).operand == Operand::kObject;
}

}  // namespace

EventBlockEncoder::EventBlockEncoder() : site_table_(kFirstSiteTable), last_sites_(kLastSites) {}

size_t EventBlockEncoder::add(std::span<const Event> events) {
  struct Source {
    const EventBlockEncoder& encoder;
    const Event* events;
    uint32_t thread;
    const uint16_t* last_sites = encoder.last_sites_.data();
    const EventSite* sites = encoder.sites_.data();
    size_t site_count = encoder.sites_.size();

    uint32_t known(size_t i, uint64_t& target) const {
      const Event& event = events[i];
      // An event without effect belongs to no thread and need not end a run.
      if (static_cast<uint32_t>(event.thread) != thread && event.kind != EventKind::kNothing) [[unlikely]]
        return kOtherThread;
      target = event.target;
      // Most places in the code are one site.
      const uint16_t last = last_sites[static_cast<uint32_t>(event.location) % kLastSites];
      return last < site_count && sites[last] == site(i) ? last : kNoSite;
    }
    EventSite site(size_t i) const {
      const Event& event = events[i];
      return {event.size, event.location, event.kind, event.order, event.is_range};
    }
    void found(size_t, uint32_t) {
      sites = encoder.sites_.data();
      site_count = encoder.sites_.size();
    }
  };
  size_t taken = 0;
  while (taken < events.size()) {
    const Event& first = events[taken];
    const bool is_nobodys = first.kind == EventKind::kNothing && !runs_.empty();
    const uint32_t thread = is_nobodys ? runs_.back().thread : static_cast<uint32_t>(first.thread);
    if (!begin_run(thread)) break;
    Source source{*this, events.data() + taken, thread};
    const size_t more = take(events.size() - taken, source);
    if (more == 0) break;
    taken += more;
  }
  return taken;
}

// `count` events more like the last one, which differs by `step` from the last target of its site and of its thread.
size_t EventBlockEncoder::repeat_last(size_t count, uint64_t step) {
  count = std::min<size_t>(count, kMaxBlockEvents - count_);
  std::memset(low_.data() + count_, low_[count_ - 1], count);
  std::memset(high_.data() + count_, high_[count_ - 1], count);
  const uint64_t value = zigzag(step);
  const size_t bytes = bytes_for(value);
  char* const differences = differences_.data() + difference_bytes_;
  if (bytes == 1)
    std::memset(differences, static_cast<char>(value), count);
  else
    for (size_t i = 0; i < count; ++i) std::memcpy(differences + i * bytes, &value, sizeof value);
  difference_bytes_ += count * bytes;
  ThreadHistory& history = history_[runs_.back().slot];
  history.by_space[work_[last_site_].space] += count * step;
  history.by_site[last_site_] += count * step;
  runs_.back().end = count_ += static_cast<uint32_t>(count);
  return count;
}

// A thread that was given a run may have found no room for an event.
void EventBlockEncoder::drop_empty_run() {
  if (!runs_.empty() && runs_.back().end == (runs_.size() == 1 ? 0 : runs_[runs_.size() - 2].end)) runs_.pop_back();
}

// False if the block has no room for the thread.
bool EventBlockEncoder::begin_run(uint32_t thread) {
  if (!runs_.empty() && runs_.back().thread == thread) return true;
  const auto [at, is_new] = slots_.try_emplace(thread, static_cast<uint32_t>(slots_.size()));
  if (is_new) {
    if (count_ == kMaxBlockEvents || slots_.size() * sites_.size() > TargetHistory::kPlaces) {
      slots_.erase(at);
      return false;
    }
    if (history_.size() < slots_.size()) history_.emplace_back();
  }
  drop_empty_run();
  runs_.push_back({thread, at->second, count_});
  return true;
}

uint32_t EventBlockEncoder::site_of(const EventSite& site) {
  const uint32_t found = find_site(site);
  if (found != kNoSite) last_sites_[static_cast<uint32_t>(site.location) % kLastSites] = static_cast<uint16_t>(found);
  return found;
}

// kNoSite if the block has no room for it.
uint32_t EventBlockEncoder::find_site(const EventSite& site) {
  const size_t mask = site_table_.size() - 1;
  size_t place = hash_of(site) & mask;
  while (site_table_[place] != 0) {
    const uint32_t known = site_table_[place] - 1;
    if (sites_[known] == site) return known;
    place = (place + 1) & mask;
  }
  if (slots_.size() * (sites_.size() + 1) > TargetHistory::kPlaces) return kNoSite;
  sites_.push_back(site);
  SiteWork& work = work_.emplace_back();
  for (auto& steps : work.steps) std::fill(std::begin(steps), std::end(steps), kNoStep);
  work.space = static_cast<uint8_t>(space_of(site));
  site_table_[place] = static_cast<uint32_t>(sites_.size());
  if (sites_.size() * 2 > site_table_.size()) grow_site_table();
  return static_cast<uint32_t>(sites_.size() - 1);
}

void EventBlockEncoder::grow_site_table() {
  site_table_.assign(site_table_.size() * 2, 0);
  const size_t mask = site_table_.size() - 1;
  for (size_t i = 0; i < sites_.size(); ++i) {
    size_t place = hash_of(sites_[i]) & mask;
    while (site_table_[place] != 0) place = (place + 1) & mask;
    site_table_[place] = static_cast<uint32_t>(i + 1);
  }
}

uint16_t EventBlockEncoder::new_step(uint32_t site, unsigned predictor, unsigned bytes) {
  append_varint(steps_, site);
  steps_ += static_cast<char>(predictor << 4 | bytes);
  return work_[site].steps[predictor][bytes] = static_cast<uint16_t>(step_count_++);
}

const EventColumns& EventBlockEncoder::finish() {
  dictionary_.clear();
  append_varint(dictionary_, sites_.size());
  for (const EventSite& site : sites_) {
    dictionary_ += static_cast<char>(site.kind);
    dictionary_ += static_cast<char>(static_cast<unsigned>(site.order) << 1 | (site.is_range ? 1u : 0u));
    append_varint(dictionary_, site.location == kNoLocation ? 0 : index(site.location) + 1);
    append_varint(dictionary_, site.size);
  }
  append_varint(dictionary_, step_count_);
  dictionary_ += steps_;

  run_bytes_.clear();
  drop_empty_run();
  append_varint(run_bytes_, runs_.size());
  uint32_t before = 0;
  for (const ThreadRun& run : runs_) {
    append_varint(run_bytes_, run.thread);
    append_varint(run_bytes_, run.end - before);
    before = run.end;
  }
  columns_ = {dictionary_, run_bytes_, std::string_view(low_.data(), count_),
              std::string_view(high_.data(), step_count_ <= 256 ? 0 : count_),
              std::string_view(differences_.data(), difference_bytes_)};

  for (size_t slot = 0; slot < slots_.size(); ++slot) {
    history_[slot].by_space = {};
    history_[slot].by_site.clear();
  }
  sites_.clear();
  work_.clear();
  site_table_.assign(kFirstSiteTable, 0);
  runs_.clear();
  slots_.clear();
  steps_.clear();
  step_count_ = count_ = 0;
  difference_bytes_ = 0;
  ++block_;
  return columns_;
}

const char* EventBlockDecoder::read_dictionary(PayloadCursor& cursor, const Names& names, uint32_t& site_count) {
  const size_t table_sizes[kTargetSpaces] = {0,
                                             names.variables.size(),
                                             names.objects.size(),
                                             names.locks.size(),
                                             names.threads.size(),
                                             names.messages.size(),
                                             names.barriers.size(),
                                             names.semaphores.size(),
                                             names.conditions.size()};
  const uint64_t sites = cursor.varint();
  if (sites > count_) return "it has more sites than events";
  sites_.clear();
  has_objects_ = false;
  for (uint64_t i = 0; i < sites; ++i) {
    EventSite site;
    const uint8_t kind = cursor.byte();
    const uint8_t detail = cursor.byte();
    const uint64_t location = cursor.varint();
    site.size = cursor.varint();
    if (!cursor.ok()) return "its sites are cut short";
    if (kind >= kEventKindCount) return "it has an unknown kind of event";
    site.kind = static_cast<EventKind>(kind);
    site.is_range = (detail & 1) != 0;
    site.order = static_cast<MemoryOrder>(detail >> 1);
    const EventKindInfo& row = info(site.kind);
    if (detail >> 1 >= kMemoryOrderNames.size() || (!row.has_order && detail >> 1 != 0))
      return "it has an impossible memory order";
    if (site.is_range && !may_be_range(site.kind)) return "it has bytes of memory where a name must be";
    const bool is_access = site.is_range && row.operand == Operand::kVariable;
    const bool only_orders = is_atomic_access(site.kind) && site.size == 0;
    if (is_access ? site.size == 0 && !only_orders : site.size != 0 && site.kind != EventKind::kAlloc)
      return "it has an impossible size";
    if (location > names.locations.size()) return "it has a location without a name";
    if (location != 0) site.location = static_cast<LocationId>(location - 1);
    if (site.kind == EventKind::kNothing && location != 0) return "it has a location for an event without effect";
    if (site.kind != EventKind::kNothing && names.threads.size() == 0) return "it has a thread without a name";
    has_objects_ |= row.operand == Operand::kObject && !site.is_range;
    sites_.push_back(site);
  }
  site_count = static_cast<uint32_t>(sites);

  const uint64_t steps = cursor.varint();
  if (steps > count_ || steps > kMaxBlockEvents) return "it has more steps than events";
  steps_.clear();
  for (uint64_t i = 0; i < steps; ++i) {
    const uint64_t site_index = cursor.varint();
    const uint8_t detail = cursor.byte();
    if (!cursor.ok()) return "its steps are cut short";
    if (site_index >= sites) return "it has a step without a site";
    if (detail >> 4 >= kPredictors || (detail & 15) >= kDifferenceSizes) return "it has a malformed step";
    const EventSite& site = sites_[site_index];
    const Operand operand = info(site.kind).operand;
    Step step;
    step.event = {0, site.size, ThreadId{}, site.location, site.kind, site.order, site.is_range};
    step.site = static_cast<uint32_t>(site_index);
    step.predictor = detail >> 4;
    step.bytes = detail & 15;
    step.mask = step.bytes == 0 ? 0 : UINT64_MAX >> (64 - 8 * step.bytes);
    step.space = static_cast<uint8_t>(space_of(site));
    step.thread_mask = site.kind == EventKind::kNothing ? 0 : UINT32_MAX;
    if (site.is_range) {
      step.max_target = site.size == 0 ? UINT64_MAX : UINT64_MAX - (site.size - 1);
    } else if (operand != Operand::kNone) {
      if (table_sizes[step.space] == 0) return "it has an operand without a name";
      step.max_target = table_sizes[step.space] - 1;
    }
    steps_.push_back(step);
  }
  return nullptr;
}

const char* EventBlockDecoder::read_runs(PayloadCursor& cursor, const Names& names, uint32_t& threads) {
  slot_of_thread_.resize(std::max<size_t>(1, names.threads.size()));
  ++block_;
  const uint64_t runs = cursor.varint();
  if (runs > count_) return "it has more runs of threads than events";
  runs_.clear();
  threads = 0;
  uint64_t end = 0;
  for (uint64_t i = 0; i < runs; ++i) {
    const uint64_t thread = cursor.varint();
    const uint64_t length = cursor.varint();
    if (!cursor.ok()) return "its runs of threads are cut short";
    if (thread >= slot_of_thread_.size()) return "it has a thread without a name";
    if (length == 0 || length > count_ - end) return "its runs of threads do not add up";
    end += length;
    auto& [block, slot] = slot_of_thread_[thread];
    if (block != block_) {
      block = block_;
      slot = threads++;
    }
    runs_.push_back({static_cast<uint32_t>(thread), slot, static_cast<uint32_t>(end)});
  }
  return end == count_ ? nullptr : "its runs of threads do not add up";
}

const char* EventBlockDecoder::begin(std::string_view payload, uint32_t count, const Names& names) {
  names_ = &names;
  count_ = count;
  done_ = count;  // nothing remains, should the payload be bad
  run_ = 0;
  PayloadCursor cursor(payload);
  uint32_t sites = 0;
  uint32_t threads = 0;
  if (const char* wrong = read_dictionary(cursor, names, sites)) return wrong;
  if (const char* wrong = read_runs(cursor, names, threads)) return wrong;
  const bool wide = steps_.size() > 256;
  const std::string_view low = cursor.take(count);
  const std::string_view high = cursor.take(wide ? count : 0);
  if (!cursor.ok()) return "its index column is cut short";
  low_ = reinterpret_cast<const unsigned char*>(low.data());
  high_ = wide ? reinterpret_cast<const unsigned char*>(high.data()) : nullptr;
  uint32_t largest = 0;
  for (uint32_t i = 0; i < count; ++i) largest = std::max<uint32_t>(largest, low_[i] | (wide ? high_[i] << 8 : 0));
  if (count > 0 && largest >= steps_.size()) return "it has an event without a step";
  difference_ = cursor.rest().data();
  difference_end_ = difference_ + cursor.rest().size();
  history_.reset(threads, sites);
  done_ = 0;
  return nullptr;
}

// Returns non-zero if some target is out of its bounds.
template <bool kWide>
uint64_t EventBlockDecoder::decode_run(Event* out, uint32_t count, const ThreadRun& run) {
  const unsigned char* low = low_ + done_;
  const unsigned char* high = kWide ? high_ + done_ : nullptr;
  const Step* steps = steps_.data();
  uint64_t* by_thread = history_.of_thread(run.slot);
  uint64_t* by_site = history_.by_site();
  const uint32_t first_place = history_.first_place(run.slot);
  const uint32_t mask = history_.mask();
  const char* difference = difference_;
  uint64_t bad = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const Step& step = steps[kWide ? low[i] | high[i] << 8 : low[i]];
    uint64_t* last[kPredictors] = {by_thread + step.space, by_site + ((first_place + step.site) & mask)};
    uint64_t value;
    std::memcpy(&value, difference, sizeof value);
    difference += step.bytes;
    const uint64_t target = *last[step.predictor] + unzigzag(value & step.mask);
    *last[0] = target;
    *last[1] = target;
    bad |= target > step.max_target;
    out[i] = step.event;
    out[i].target = target;
    out[i].thread = static_cast<ThreadId>(run.thread & step.thread_mask);
  }
  difference_ = difference;
  return bad;
}

// A name that reads as an address cannot be told from one where a block is allocated or freed.
bool EventBlockDecoder::has_valid_objects(std::span<const Event> events) const {
  return std::all_of(events.begin(), events.end(), [this](const Event& event) {
    return info(event.kind).operand != Operand::kObject || event.is_range ||
           is_valid_name(Operand::kObject, names_->objects[event.object()]);
  });
}

const char* EventBlockDecoder::decode(Event* out, uint32_t count) {
  const std::span all(out, count);
  uint64_t bad = 0;
  for (uint32_t left = count; left > 0;) {
    const ThreadRun& run = runs_[run_];
    const uint32_t n = std::min(left, run.end - done_);
    bad |= high_ != nullptr ? decode_run<true>(out, n, run) : decode_run<false>(out, n, run);
    out += n;
    left -= n;
    done_ += n;
    if (done_ == run.end) ++run_;
  }
  const char* wrong = nullptr;
  if (bad != 0) wrong = "it has an operand without a name or beyond the end of memory";
  if (bad == 0 && has_objects_ && !has_valid_objects(all))
    wrong = "it allocates or frees an object by an impossible name";
  if (difference_ > difference_end_ || (done_ == count_ && difference_ != difference_end_))
    wrong = "its differences do not add up";
  if (wrong != nullptr) done_ = count_;
  return wrong;
}

}  // namespace deadheat
