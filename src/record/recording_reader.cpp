#include "record/recording_reader.h"

#include <elf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

namespace deadheat::record {

namespace {

template <class T>
bool read_at(std::ifstream& file, uint64_t offset, T& value) {
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(file.read(reinterpret_cast<char*>(&value), sizeof value));
}

}  // namespace

std::string build_id_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr head;
  if (!file || !read_at(file, 0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_ident[EI_CLASS] != ELFCLASS64)
    return "";
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!read_at(file, head.e_phoff + uint64_t{i} * head.e_phentsize, segment)) return "";
    if (segment.p_type != PT_NOTE) continue;
    const uint64_t end = segment.p_offset + segment.p_filesz;
    for (uint64_t at = segment.p_offset; at + sizeof(Elf64_Nhdr) <= end;) {
      Elf64_Nhdr note;
      if (!read_at(file, at, note)) return "";
      const uint64_t data = at + sizeof note + ((note.n_namesz + 3) & ~3u);
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz <= 64) {
        std::string bytes(note.n_descsz, 0), id;
        file.clear();
        file.seekg(static_cast<std::streamoff>(data));
        if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) return "";
        for (const char c : bytes) id += fmt::format("{:02x}", static_cast<unsigned char>(c));
        return id;
      }
      at = data + ((note.n_descsz + 3) & ~3u);
    }
  }
  return "";
}

namespace {

// Whose operand is `address` and a number of bytes, and whose is an address in `more`.
bool is_about_bytes(What what) {
  return (what >= What::kRead && what <= What::kExchangeFailed) || (what >= What::kAllocate && what <= What::kFresh);
}
EventKind atomic_kind(What what) {
  return what == What::kLoad       ? EventKind::kAtomicLoad
         : what == What::kStore    ? EventKind::kAtomicStore
         : what == What::kExchange ? EventKind::kAtomicRmw
                                   : EventKind::kCasFail;
}
bool is_about_object(What what) { return what >= What::kLock && what <= What::kWaited; }

uint64_t bytes_of(const Record& r) {
  const bool is_short = r.what <= What::kUse && r.detail != recording::kRangeDetail;
  return is_short ? uint64_t{1} << (r.detail & 31) : r.more;
}

}  // namespace

RecordingReader::RecordingReader(std::unique_ptr<Channel> channel, std::string command, std::function<bool()> is_over)
    : channel_(std::move(channel)), is_over_(std::move(is_over)) {
  run_.every_access = channel_->is_full();
  run_.has_pauses = channel_->is_paused();
  run_.process = channel_->process();
  run_.command = std::move(command);
  nodes_.at(arena_, 0);  // the root
}

// What can be said now. After a while without anything it is kNothing.
Channel::Found RecordingReader::look() {
  constexpr unsigned kAWhile = 100;
  for (unsigned idle = 0; !ended_ && idle < kAWhile; ++idle) {
    for (; toggles_done_ != toggles_.load(std::memory_order_relaxed); ++toggles_done_) {
      channel_->pause(!channel_->is_paused());
      run_.has_pauses = true;
    }
    // Asked before the look: what it wrote before its end is seen by a look after it.
    const bool over = is_over_();
    const Channel::Found found = channel_->look(over, *this);
    ended_ = over && found != Channel::Found::kMore;
    if (found != Channel::Found::kNothing) return found;
    if (!over) usleep(idle < 20 ? 100 : 1000);
  }
  return Channel::Found::kNothing;
}

bool RecordingReader::next(Batch& batch) {
  batch.clear();
  while (events_.empty() && look() != Channel::Found::kNothing) continue;
  batch.first_event = next_event_;
  batch.events.swap(events_);
  next_event_ += batch.events.size();
  if (copy_ != nullptr) {
    copy_->write_run(run_);
    copy_->write(batch, names_);
  }
  return !batch.events.empty() || !ended_;
}

void RecordingReader::write_to(BinaryWriter& writer) {
  writer_ = &writer;
  while (!ended_) {
    look();
    write_events();
  }
  end_block();
}

// What the events of the block need comes before them.
void RecordingReader::end_block() {
  writer_->write_run(run_);
  writer_->end_block(names_);
}

void RecordingReader::write_events() {
  for (std::span<const Event> left(events_); !left.empty();) {
    left = left.subspan(writer_->write_events(left));
    if (!left.empty()) end_block();
  }
  events_.clear();
}

std::string RecordingReader::position(const Batch& batch, size_t i) const {
  return fmt::format("the recording of process {}: event {}", run_.process, batch.first_event + i);
}

// ---- Names --------------------------------------------------------------------------------------------------------

ThreadId RecordingReader::thread_of_new(uint32_t number) {
  if (number >= threads_.size()) {
    threads_.resize(number + 1);
    thread_known_.resize(number + 1);
    joined_.resize(number + 1);
  }
  if (!thread_known_[number]) {
    thread_known_[number] = true;
    threads_[number] = names_.threads.intern(fmt::format("T{}", number));
  }
  return threads_[number];
}

RecordingReader::LockState& RecordingReader::lock_at(uint64_t address) {
  LastLock& last = last_locks_[(address >> 3 ^ address >> 12) % kLastLocks];
  if (last.state != nullptr && last.address == address) return *last.state;
  const auto [at, is_new] = locks_.try_emplace(address);
  if (is_new) {
    const uint32_t number = ++locks_before_[address];
    at->second.id =
        names_.locks.intern(number == 1 ? fmt::format("{:#x}", address) : fmt::format("{:#x}#{}", address, number));
  }
  last = {address, &at->second};
  return at->second;
}

void RecordingReader::forget_locks(uint64_t begin, uint64_t bytes) {
  auto at = locks_.lower_bound(begin);
  if (at == locks_.end() || at->first - begin >= bytes) return;
  while (at != locks_.end() && at->first - begin < bytes) at = locks_.erase(at);
  last_locks_.assign(kLastLocks, {});
}

LocationId RecordingReader::location_of_new(uint32_t node) {
  const uint32_t path = path_of(node);
  if (path == 0) return kNoLocation;
  return nodes_.find(node)->location = names_.locations.intern(run_.location_name(path));
}

// ---- Call paths and modules ---------------------------------------------------------------------------------------

uint32_t RecordingReader::module_at(uint64_t address) {
  const auto after = loaded_.upper_bound(address);
  if (after == loaded_.begin()) return 0;
  const uint32_t number = std::prev(after)->second;
  return address - run_.modules[number].begin < run_.modules[number].bytes ? number + 1 : 0;
}

// What was loaded later, as the system knows it.
void RecordingReader::read_maps() {
  std::ifstream maps(fmt::format("/proc/{}/maps", run_.process));
  struct Found {
    uint64_t begin, end;
  };
  std::map<std::string, Found> found;
  for (std::string line; std::getline(maps, line);) {
    uint64_t begin = 0, end = 0, offset = 0;
    int path = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %lx %*s %*s %n", &begin, &end, &offset, &path) < 3) continue;
    const std::string name = line.substr(static_cast<size_t>(path));
    if (name.empty() || name[0] != '/') continue;
    const auto [at, is_new] = found.try_emplace(name, Found{begin, end});
    at->second.end = std::max(at->second.end, end);
  }
  for (const auto& [path, range] : found)
    if (module_at(range.begin) == 0)
      know_module({path, build_id_of(path), range.begin, range.end - range.begin, range.begin});
}

void RecordingReader::know_module(RunInfo::Module module) {
  forget_modules(module.begin, module.bytes);
  const uint32_t number = static_cast<uint32_t>(run_.modules.size());
  loaded_[module.begin] = number;
  if (const uint64_t event = next_event(); event != 0) run_.loads.push_back({event, number});
  run_.modules.push_back(std::move(module));
}

// Call paths that were used have their modules; from now on the same addresses may mean something else.
void RecordingReader::forget_modules(uint64_t begin, uint64_t bytes) {
  auto at = loaded_.lower_bound(begin);
  if (at != loaded_.begin() && begin - std::prev(at)->first < run_.modules[std::prev(at)->second].bytes) --at;
  if (at == loaded_.end() || (at->first >= begin && at->first - begin >= bytes)) return;
  while (at != loaded_.end() && (at->first < begin || at->first - begin < bytes)) at = loaded_.erase(at);
  nodes_.for_each([](Node& node) {
    if (node.key != 0) node.path = kUnresolved;  // not the root
    node.location = kNoLocation;
  });
  sites_.assign(sites_.size(), 0);
}

void RecordingReader::take_module(const Record& r, std::string_view text) {
  uint64_t bias = 0;
  std::memcpy(&bias, text.data(), sizeof bias);
  const std::string path(text.substr(recording::kUnit));
  const uint32_t known = module_at(r.address);
  if (known != 0 && run_.modules[known - 1].begin == r.address && run_.modules[known - 1].path == path) return;
  know_module({path, build_id_of(path), r.address, r.more, bias});
}

void RecordingReader::take_node(const Record& r) {
  nodes_.at(arena_, r.path) = {static_cast<uint32_t>(r.address), kUnresolved, r.more, kNoLocation};
  node_count_ = std::max(node_count_, r.path + 1);
  if (r.path < sites_.size()) sites_[r.path] = 0;
}

uint32_t RecordingReader::path_of(uint32_t node) {
  std::vector<Node*> unresolved;  // from the node outwards
  uint32_t path = 0;
  for (Node* at = nodes_.find(node); at != nullptr; at = nodes_.find(at->parent)) {
    path = at->path;
    if (path != kUnresolved || unresolved.size() > node_count_) break;
    unresolved.push_back(at);
  }
  for (; !unresolved.empty(); unresolved.pop_back()) {
    constexpr uint64_t kAddress = (uint64_t{1} << 47) - 1;
    Node& known = *unresolved.back();
    const uint64_t address = known.key & kAddress;
    const uint8_t called = known.key >> 55 & 31;
    uint32_t module = module_at(address);
    if (module == 0) {
      read_maps();
      module = module_at(address);
    }
    const PathKey key{address | uint64_t{called} << 47, path, module};
    const auto [at, is_new] = known_paths_.try_emplace(key, static_cast<uint32_t>(run_.paths.size()));
    if (is_new)
      run_.paths.push_back({path, module, module == 0 ? address : address - run_.modules[module - 1].bias, called});
    known.path = path = at->second;
  }
  return path;
}

// ---- Events -------------------------------------------------------------------------------------------------------

Event& RecordingReader::add(EventKind kind, ThreadId thread, uint32_t node) {
  Event& e = events_.emplace_back();
  e.kind = kind;
  e.thread = thread;
  e.location = location_of(node);
  return e;
}

void RecordingReader::add_atomic(EventKind kind, MemoryOrder order, ThreadId thread, uint64_t address, uint64_t bytes,
                                 uint32_t node) {
  Event& e = add(kind, thread, node);
  e.is_range = true;
  e.order = order;
  e.target = address;
  e.size = bytes;
}

// Of an access or of a pair.
EventSite RecordingReader::site_of(const recording::Unit& unit) {
  const What what = recording::what_in(unit.head);
  const uint8_t detail = recording::detail_in(unit.head);
  EventSite site;
  site.location = location_of(static_cast<uint32_t>(unit.when));
  if (what == What::kLock || what == What::kUnlock) {
    site.kind = what == What::kLock ? EventKind::kAcquire : EventKind::kRelease;
    return site;
  }
  site.is_range = true;
  if (is_pair(what)) {
    site.kind = atomic_kind(what);
    site.order = static_cast<MemoryOrder>(detail);
    site.size = tail_of(&unit).more;
    return site;
  }
  site.size = uint64_t{1} << (detail & 31);
  site.kind = what == What::kRead    ? EventKind::kRead
              : what == What::kWrite ? EventKind::kWrite
                                     : EventKind::kAtomicLoad;  // a use, which is relaxed
  return site;
}

// Accesses and pairs for the encoder, which knows their sites by number. It ends before a pair that is no ordinary one.
struct RecordingReader::UnitSource {
  RecordingReader& reader;
  const uint32_t thread;
  const recording::Unit* at;
  const recording::Unit* const end;
  const recording::Unit* last = at;  // whose site was asked for
  LockState* lock = nullptr;         // that it changed
  bool is_over = false;
  bool is_asking = false;  // for a site, which is not found yet
  uint64_t block = uint64_t{reader.writer_->block()} << 16;
  uint64_t* sites = reader.sites_.data();
  size_t site_count = reader.sites_.size();

  uint32_t known(size_t, uint64_t& target) {
    if (at == end) [[unlikely]]
      return over();
    const recording::Unit& unit = *at;
    const What what = recording::what_in(unit.head);
    target = recording::address_in(unit.head);
    last = at;
    if (is_pair(what)) {
      if (what == What::kLock || what == What::kUnlock) {
        lock = reader.take_ordinary(thread, what, tail_of(at).more);
        if (lock == nullptr) return over();
        target = index(lock->id);
      } else if (tail_of(at).more - 1 >= 16) {
        return over();  // its place does not say how many bytes it has
      }
      ++at;
    }
    ++at;
    const auto node = static_cast<uint32_t>(unit.when);
    if (node >= site_count) [[unlikely]]
      return EventBlockEncoder::kNoSite;
    const uint64_t known = sites[node];
    return known >> 16 == (block | unit.head >> 48) ? known & 0xffff : EventBlockEncoder::kNoSite;
  }
  uint32_t over() {
    is_over = true;
    return EventBlockEncoder::kOtherThread;
  }
  EventSite site(size_t) {
    is_asking = true;
    return reader.site_of(*last);
  }
  void found(size_t, uint32_t number) {
    is_asking = false;
    const auto node = static_cast<uint32_t>(last->when);
    if (node >= kMostSites) return;
    if (node >= site_count) reader.sites_.resize(node + 1);
    sites = reader.sites_.data();
    site_count = reader.sites_.size();
    sites[node] = (block | last->head >> 48) << 16 | number;
  }
  // The first unit that was not taken. There was no place for a site that is still asked for.
  const recording::Unit* rest() {
    if (!is_asking) return at;
    const What what = recording::what_in(last->head);
    if (what == What::kLock) lock->writer = kNobody;
    if (what == What::kUnlock) lock->writer = thread;
    return last;
  }
};

// The first unit that must be taken by itself, or the end.
const recording::Unit* RecordingReader::write_units(uint32_t thread, const recording::Unit* first,
                                                    const recording::Unit* end) {
  const ThreadId id = thread_of(thread);
  for (;;) {
    UnitSource source{*this, thread, first, end};
    writer_->write_accesses(id, static_cast<size_t>(end - first), source);
    first = source.rest();
    if (source.is_over || first == end) return first;
    end_block();
  }
}

namespace {

// The first of a row, as if it stood alone.
recording::Unit unit_of(const Record& row) {
  const What what = row.what == What::kReadRow ? What::kRead : What::kWrite;
  return {recording::head_of(what, row.detail, row.address), row.path};
}

}  // namespace

void RecordingReader::write_row(uint32_t thread, const Record& r) {
  recording::Row row = recording::row_in(r.more);
  const auto step = static_cast<uint64_t>(int64_t{row.step});
  recording::Unit units[2] = {unit_of(r), unit_of(r)};
  units[1].head += step;
  while (row.count != 0) {
    UnitSource source{*this, thread, units, units + 2};
    const auto taken = static_cast<uint32_t>(writer_->write_row(thread_of(thread), row.count, step, source));
    for (recording::Unit& unit : units) unit.head += taken * step;
    row.count -= taken;
    if (row.count != 0) end_block();
  }
}

void RecordingReader::take_row(uint32_t number, const Record& r) {
  if (writer_ != nullptr && moved_.empty()) {
    write_events();
    return write_row(number, r);
  }
  const recording::Row row = recording::row_in(r.more);
  const auto step = static_cast<uint64_t>(int64_t{row.step});
  const recording::Unit first = unit_of(r);
  Record one = r;
  one.what = recording::what_in(first.head);
  for (uint32_t i = 0; i < row.count; ++i, one.address += step) take(number, one);
}

void RecordingReader::add_accesses(uint32_t number, const recording::Unit* first, const recording::Unit* end) {
  if (!moved_.empty()) {
    for (const recording::Unit* unit = first; unit != end; ++unit) {
      Record r;
      r.what = recording::what_in(unit->head);
      r.detail = recording::detail_in(unit->head);
      r.address = recording::address_in(unit->head);
      r.path = static_cast<uint32_t>(unit->when);
      take(number, r);
    }
    return;
  }
  Event pattern;
  pattern.thread = thread_of(number);
  pattern.is_range = true;
  const size_t before = events_.size();
  events_.resize(before + static_cast<size_t>(end - first));
  Event* e = events_.data() + before;
  for (const recording::Unit* unit = first; unit != end; ++unit, ++e) {
    const EventSite site = site_of(*unit);
    *e = pattern;
    e->target = recording::address_in(unit->head);
    e->size = site.size;
    e->location = site.location;
    e->kind = site.kind;
  }
}

void RecordingReader::units(uint32_t number, const recording::Unit* first, const recording::Unit* end) {
  while (first != end) {
    const recording::Unit* at = first;
    if (writer_ != nullptr && moved_.empty()) {
      write_events();
      at = write_units(number, first, end);
    } else {
      while (at != end && !is_pair(recording::what_in(at->head))) ++at;
      if (at != first) add_accesses(number, first, at);
    }
    if (at == end) return;
    Record pair;
    pair.what = recording::what_in(at->head);
    pair.detail = recording::detail_in(at->head);
    pair.address = recording::address_in(at->head);
    pair.path = static_cast<uint32_t>(at->when);
    pair.ticket = tail_of(at).ticket;
    pair.more = tail_of(at).more;
    record(number, pair, {});
    first = at + 2;
  }
}

void RecordingReader::record(uint32_t number, const Record& r, std::string_view text) {
  if (r.what >= What::kLock && r.what <= What::kUnlock && moved_.empty()) [[likely]]
    return take_lock(number, r);
  if (recording::is_row(r.what)) return take_row(number, r);
  switch (r.what) {
    case What::kNode:
      return take_node(r);
    case What::kModule:
      return take_module(r, text);
    case What::kThreadName: {
      const RunInfo::Thread* const known = run_.thread(static_cast<uint32_t>(r.more));
      RunInfo::Thread named = known != nullptr ? *known : RunInfo::Thread{static_cast<uint32_t>(r.more), 0, 0, ""};
      named.name = std::string(text.substr(0, text.find('\0')));
      run_.threads.push_back(named);
      return;
    }
    case What::kSuppression:
      run_.suppressions += text.substr(recording::kUnit);
      return;
    case What::kBenign:
      run_.benign.push_back({next_event(), r.address, r.more});
      return;
    case What::kPaused:
      run_.has_pauses = true;
      return;
    case What::kModuleGone:
      return forget_modules(r.address, r.more);
    case What::kMove: {
      uint64_t to = 0;
      std::memcpy(&to, text.data(), sizeof to);
      return take_move(r, to);
    }
    default:
      break;
  }
  take(number, r);
}

// From here on bytes and objects have the names that they had before they moved.
void RecordingReader::take_move(const Record& r, uint64_t to) {
  if (r.more == 0 || (r.address < to + r.more && to < r.address + r.more)) return;
  moved_.move(r.address, to, r.more);
  const uint64_t event = next_event();
  for (const uint64_t place : {to, r.address})
    moved_.each(place, r.more, [&](uint64_t address, uint64_t bytes, uint64_t name) {
      run_.moves.push_back({event, name, bytes, address});
    });
}

void RecordingReader::take(uint32_t number, const Record& r) {
  if (moved_.empty()) return take_named(number, r);
  Record named = r;
  if (is_about_object(r.what)) {
    named.more = moved_.name_of(r.more);
  } else if (is_about_bytes(r.what)) {
    moved_.each(r.address, bytes_of(r), [&](uint64_t, uint64_t bytes, uint64_t name) {
      named.address = name;
      named.more = bytes;
      if (r.what <= What::kUse) named.detail = recording::kRangeDetail;
      take_named(number, named);
    });
    return;
  }
  take_named(number, named);
}

void RecordingReader::take_named(uint32_t number, const Record& r) {
  const ThreadId thread = thread_of(number);
  switch (r.what) {
    case What::kRead:
    case What::kWrite:
    case What::kUse:
    case What::kLoad:
    case What::kStore:
    case What::kExchange:
    case What::kExchangeFailed:
      return take_access(thread, r);
    case What::kFence:
      add(EventKind::kFence, thread, r.path).order = static_cast<MemoryOrder>(r.detail);
      return;
    case What::kLock:
    case What::kUnlock:
    case What::kReadLock:
    case What::kReadUnlock:
    case What::kUnlockForeign:
      return take_lock(number, r);
    case What::kLockGone:
      forget_locks(r.more, 1);
      add_atomic(EventKind::kAtomicStore, MemoryOrder::kRelaxed, thread, r.more, 0, 0);
      return;
    case What::kTake:
      return add_atomic(EventKind::kAtomicLoad, MemoryOrder::kAcquire, thread, r.more, 0, r.path);
    case What::kPost:
      return add_atomic(EventKind::kAtomicRmw, MemoryOrder::kRelease, thread, r.more, 0, r.path);
    case What::kPostAnew:
      return add_atomic(EventKind::kAtomicStore, MemoryOrder::kRelease, thread, r.more, 0, r.path);
    case What::kForget:
      return add_atomic(EventKind::kAtomicStore, MemoryOrder::kRelaxed, thread, r.more, 0, 0);
    case What::kToldTake:
      add_atomic(EventKind::kAtomicLoad, MemoryOrder::kAcquire, thread, r.more, 0, r.path);
      return add_atomic(EventKind::kVolatileRead, MemoryOrder::kRelaxed, thread, r.more, 0, r.path);
    case What::kToldPost:
      return add_atomic(EventKind::kVolatileWrite, MemoryOrder::kRelaxed, thread, r.more, 0, r.path);
    case What::kCreate: {
      const uint32_t child = static_cast<uint32_t>(r.more);
      run_.threads.push_back({child, number + 1, path_of(r.path), ""});
      const ThreadId id = thread_of(child);
      add(EventKind::kFork, thread, r.path).target = index(id);
      return;
    }
    case What::kBegin:
      if (run_.thread(number) == nullptr) run_.threads.push_back({number, 0, 0, ""});
      add(EventKind::kBegin, thread, 0);
      return;
    case What::kEnd:
      add(EventKind::kEnd, thread, 0);
      return;
    case What::kJoin: {
      const uint32_t other = static_cast<uint32_t>(r.more);
      const ThreadId id = thread_of(other);
      if (joined_[other] || other == number) return;
      joined_[other] = true;
      add(EventKind::kJoin, thread, r.path).target = index(id);
      return;
    }
    case What::kAllocate:
    case What::kRelease:
    case What::kFresh:
      return take_memory(thread, r);
    default:
      return;
  }
}

void RecordingReader::take_access(ThreadId thread, const Record& r) {
  const uint64_t bytes = bytes_of(r);
  switch (r.what) {
    case What::kRead:
    case What::kWrite: {
      if (bytes == 0) return;
      Event& e = add(r.what == What::kRead ? EventKind::kRead : EventKind::kWrite, thread, r.path);
      e.is_range = true;
      e.target = r.address;
      e.size = bytes;
      return;
    }
    case What::kUse:
      return add_atomic(EventKind::kAtomicLoad, MemoryOrder::kRelaxed, thread, r.address, bytes, r.path);
    default:
      return add_atomic(atomic_kind(r.what), static_cast<MemoryOrder>(r.detail), thread, r.address, bytes, r.path);
  }
}

// The lock, if it is taken while nobody has it, or is left by the thread that has it.
RecordingReader::LockState* RecordingReader::take_ordinary(uint32_t number, What what, uint64_t address) {
  LockState& m = lock_at(address);
  if (what == What::kUnlock && m.writer == number)
    m.writer = kNobody;
  else if (what == What::kLock && m.writer == kNobody && m.readers.empty() && !m.posted)
    m.writer = number;
  else
    return nullptr;
  return &m;
}

// Whatever the program does with its locks, the trace has each held by threads that took it.
void RecordingReader::take_lock(uint32_t number, const Record& r) {
  const ThreadId thread = thread_of(number);
  if (const LockState* const ordinary = take_ordinary(number, r.what, r.more)) {
    add(r.what == What::kLock ? EventKind::kAcquire : EventKind::kRelease, thread, r.path).target = index(ordinary->id);
    return;
  }
  LockState* m = &lock_at(r.more);
  const auto renew = [&] {
    const bool posted = m->posted;
    forget_locks(r.more, 1);
    m = &lock_at(r.more);
    m->posted = posted;
  };
  const auto reader = std::find(m->readers.begin(), m->readers.end(), number);
  switch (r.what) {
    case What::kLock:
      if (m->writer != kNobody || !m->readers.empty()) renew();
      m->writer = number;
      break;
    case What::kReadLock:
      if (m->writer != kNobody) renew();
      m->readers.push_back(number);
      break;
    case What::kUnlock:
    case What::kReadUnlock:
      if (m->writer == number) {
        m->writer = kNobody;
        add(EventKind::kRelease, thread, r.path).target = index(m->id);
        return;
      }
      if (reader != m->readers.end()) {
        m->readers.erase(reader);
        add(EventKind::kReadRelease, thread, r.path).target = index(m->id);
        return;
      }
      [[fallthrough]];
    default:
      renew();
      m->posted = true;
      return add_atomic(EventKind::kAtomicRmw, MemoryOrder::kRelease, thread, r.more, 0, r.path);
  }
  add(r.what == What::kLock ? EventKind::kAcquire : EventKind::kReadAcquire, thread, r.path).target = index(m->id);
  if (m->posted) add_atomic(EventKind::kAtomicLoad, MemoryOrder::kAcquire, thread, r.more, 0, r.path);
}

// One that begins there, free or not; null if there is none.
RecordingReader::Block* RecordingReader::block_at(uint64_t begin) {
  LastBlock& last = last_block(begin);
  if (last.block != nullptr && last.begin == begin) return last.block;
  const auto at = blocks_.find(begin);
  if (at == blocks_.end()) return nullptr;
  last = {begin, &at->second};
  return last.block;
}

RecordingReader::Blocks::iterator RecordingReader::erase_block(Blocks::iterator at) {
  LastBlock& last = last_block(at->first);
  if (last.begin == at->first) last = {};
  return blocks_.erase(at);
}

void RecordingReader::know_block(uint64_t begin, uint64_t bytes) {
  if (Block* const same = block_at(begin); same != nullptr && bytes <= same->bytes) {
    *same = {bytes, false};
    return;
  }
  auto at = blocks_.lower_bound(begin);
  while (at != blocks_.begin() && begin - std::prev(at)->first < std::prev(at)->second.bytes) --at;
  while (at != blocks_.end() && (at->first < begin || at->first - begin < bytes)) at = erase_block(at);
  blocks_.emplace_hint(at, begin, Block{bytes, false});
}

// False if no block is known to begin there.
bool RecordingReader::free_block(uint64_t begin) {
  Block* const block = block_at(begin);
  if (block == nullptr || block->is_free) return false;
  block->is_free = true;
  uint64_t& place = freed_[freed_count_++ % kLastBlocks];
  const Block* const oldest = block_at(place);
  if (oldest != nullptr && oldest->is_free && place != begin) erase_block(blocks_.find(place));
  place = begin;
  return true;
}

void RecordingReader::take_memory(ThreadId thread, const Record& r) {
  if (r.what == What::kRelease) {
    const bool was_known = free_block(r.address);
    Event& e = add(was_known ? EventKind::kFree : EventKind::kWrite, thread, r.path);
    e.is_range = true;
    e.target = r.address;
    if (!was_known) e.size = std::max<uint64_t>(r.more, 1);
    return;
  }
  const uint64_t bytes = std::max<uint64_t>(r.more, 1);
  forget_locks(r.address, bytes);
  know_block(r.address, bytes);
  Event& e = add(EventKind::kAlloc, thread, r.path);
  e.is_range = true;
  e.target = r.address;
  e.size = bytes;
}

}  // namespace deadheat::record
