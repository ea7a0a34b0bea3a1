#include "event/event_block.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/fatal.h"
#include "event/text_notation.h"

namespace deadheat {

namespace {

constexpr size_t kDifferenceSizes = 9;  // 0 to 8 bytes
constexpr size_t kPredictors = 2;
constexpr size_t kFirstSiteTable = 1024;
constexpr size_t kLastSites = 4096;

// The space of a site's targets; sites without an operand have a space of their own, in which all targets are 0.
size_t space_of(const EventSite& site) {
  return site.is_range ? kMemorySpace : static_cast<size_t>(info(site.kind).operand);
}

uint64_t zigzag(uint64_t difference) { return difference << 1 ^ (0 - (difference >> 63)); }
uint64_t unzigzag(uint64_t value) { return value >> 1 ^ (0 - (value & 1)); }

// Bytes for a difference, by its number of bits. 5 to 7 do not occur, so that fewer steps differ in nothing else.
constexpr std::array<uint8_t, 65> kBytesForBits = [] {
  std::array<uint8_t, 65> table{};
  for (size_t bits = 0; bits < table.size(); ++bits)
    table[bits] = static_cast<uint8_t>(bits <= 32 ? (bits + 7) / 8 : 8);
  return table;
}();
uint8_t bytes_for(uint64_t value) { return kBytesForBits[static_cast<size_t>(std::bit_width(value))]; }

// What the encoder knows of a site while it finishes a block.
struct SiteWork {
  uint32_t steps[kPredictors][kDifferenceSizes];  // kNoStep: not used yet
  uint8_t space;
  uint8_t favourite;  // the predictor the site used last: ties go to it
};
constexpr uint32_t kNoStep = UINT32_MAX;

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

void EventBlockEncoder::add(std::span<const Event> events) {
  const uint32_t before = count();
  DEADHEAT_DCHECK(before + events.size() <= kMaxBlockEvents);
  sites_of_.resize(before + events.size());
  targets_.resize(before + events.size());
  uint16_t* const site_of_event = sites_of_.data() + before;
  uint64_t* const target_of_event = targets_.data() + before;
  uint64_t running = runs_.empty() ? UINT64_MAX : runs_.back().thread;
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    site_of_event[i] = site_of({event.size, event.location, event.kind, event.order, event.is_range});
    target_of_event[i] = event.target;
    const auto thread = static_cast<uint32_t>(event.thread);
    // An event without effect belongs to no thread and need not end a run.
    if (running != thread && (event.kind != EventKind::kNothing || runs_.empty())) [[unlikely]] {
      if (!runs_.empty()) runs_.back().end = before + static_cast<uint32_t>(i);
      const auto slot = slots_.try_emplace(thread, static_cast<uint32_t>(slots_.size())).first->second;
      runs_.push_back({thread, slot, 0});
      running = thread;
    }
  }
  if (!runs_.empty()) runs_.back().end = count();
}

// Most places in the code are one site.
inline uint16_t EventBlockEncoder::site_of(const EventSite& site) {
  uint16_t& last = last_sites_[static_cast<uint32_t>(site.location) % kLastSites];
  if (last < sites_.size() && sites_[last] == site) [[likely]]
    return last;
  return last = find_site(site);
}

uint16_t EventBlockEncoder::find_site(const EventSite& site) {
  const size_t mask = site_table_.size() - 1;
  size_t place = hash_of(site) & mask;
  while (site_table_[place] != 0) {
    const uint32_t known = site_table_[place] - 1;
    if (sites_[known] == site) return static_cast<uint16_t>(known);
    place = (place + 1) & mask;
  }
  sites_.push_back(site);
  site_table_[place] = static_cast<uint32_t>(sites_.size());
  if (sites_.size() * 2 > site_table_.size()) grow_site_table();
  return static_cast<uint16_t>(sites_.size() - 1);
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

const EventColumns& EventBlockEncoder::finish() {
  auto& [dictionary, runs, low, high, differences] = columns_;
  for (std::string& column : columns_) column.clear();

  append_varint(dictionary, sites_.size());
  for (const EventSite& site : sites_) {
    dictionary += static_cast<char>(site.kind);
    dictionary += static_cast<char>(static_cast<unsigned>(site.order) << 1 | (site.is_range ? 1u : 0u));
    append_varint(dictionary, site.location == kNoLocation ? 0 : index(site.location) + 1);
    append_varint(dictionary, site.size);
  }

  history_.reset(static_cast<uint32_t>(slots_.size()), static_cast<uint32_t>(sites_.size()));
  std::vector<SiteWork> work(sites_.size());
  for (size_t site = 0; site < work.size(); ++site) {
    for (auto& steps : work[site].steps) std::fill(std::begin(steps), std::end(steps), kNoStep);
    work[site].space = static_cast<uint8_t>(space_of(sites_[site]));
  }
  std::string steps;
  uint32_t step_count = 0;
  low.resize(count());
  high.resize(count());
  // Each is stored whole and the next one overlaps it.
  if (differences_.size() < count() * sizeof(uint64_t)) differences_.resize(count() * sizeof(uint64_t));
  // The bytes that are stored may be anything's, as far as the compiler knows: what the loop reads has names of its own.
  char* difference = differences_.data();
  char* const low_bytes = low.data();
  char* const high_bytes = high.data();
  const uint16_t* const site_of_event = sites_of_.data();
  const uint64_t* const target_of_event = targets_.data();
  uint64_t* const by_site = history_.by_site();
  const uint32_t mask = history_.mask();
  uint32_t i = 0;
  append_varint(runs, runs_.size());
  for (const ThreadRun& run : runs_) {
    append_varint(runs, run.thread);
    append_varint(runs, run.end - i);
    uint64_t* const by_thread = history_.of_thread(run.slot);
    const uint32_t first_place = history_.first_place(run.slot);
    for (const uint32_t end = run.end; i < end; ++i) {
      const uint16_t site = site_of_event[i];
      const uint64_t target = target_of_event[i];
      SiteWork& w = work[site];
      uint64_t& last_by_thread = by_thread[w.space];
      uint64_t& last_by_site = by_site[(first_place + site) & mask];
      const uint64_t values[kPredictors] = {zigzag(target - last_by_thread), zigzag(target - last_by_site)};
      const uint8_t bytes[kPredictors] = {bytes_for(values[0]), bytes_for(values[1])};
      last_by_thread = last_by_site = target;
      const unsigned p = bytes[0] == bytes[1] ? w.favourite : bytes[1] < bytes[0];
      w.favourite = static_cast<uint8_t>(p);
      uint32_t& step = w.steps[p][bytes[p]];
      if (step == kNoStep) [[unlikely]] {
        step = step_count++;
        append_varint(steps, site);
        steps += static_cast<char>(p << 4 | bytes[p]);
      }
      low_bytes[i] = static_cast<char>(step);
      high_bytes[i] = static_cast<char>(step >> 8);
      std::memcpy(difference, &values[p], sizeof values[p]);
      difference += bytes[p];
    }
  }
  differences.assign(differences_.data(), difference);
  append_varint(dictionary, step_count);
  dictionary += steps;
  if (step_count <= 256) high.clear();

  sites_.clear();
  site_table_.assign(kFirstSiteTable, 0);
  sites_of_.clear();
  targets_.clear();
  runs_.clear();
  slots_.clear();
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
