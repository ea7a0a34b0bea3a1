#include "event/run_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "event/binary_format.h"

namespace deadheat {

namespace {

enum Item : uint8_t {
  kAbout = 1,
  kModule = 2,
  kPath = 3,
  kThread = 4,
  kLoad = 5,
  kMove = 6,
  kPauses = 7,
  kBenign = 8,
  kSuppressions = 9,  // more of their text
};

constexpr size_t kMostBytes = kMaxRawBytes / 4;  // of one block
constexpr size_t kMostText = 1 << 16;

void append_text(std::string& out, std::string_view text) {
  text = text.substr(0, kMostText);
  append_varint(out, text.size());
  out += text;
}

std::string_view base_name(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace

bool RunInfo::Module::is_run_time() const {
  const std::string_view name = base_name(path);
  return name == "libtsan.so.2" || name == "libdeadheat.so";
}

uint64_t RunInfo::address_of(uint64_t name, uint64_t event) const {
  const auto found = std::find_if(moves.rbegin(), moves.rend(),
                                  [name, event](const Move& m) { return m.event <= event && name - m.name < m.bytes; });
  return found == moves.rend() ? name : found->address + (name - found->name);
}

bool RunInfo::is_benign(uint64_t begin, uint64_t end, uint64_t event) const {
  return std::any_of(benign.begin(), benign.end(),
                     [&](const Benign& b) { return b.event <= event && begin >= b.begin && end - b.begin <= b.bytes; });
}

// A library is noticed a little late if its first event is another thread's.
const RunInfo::Module* RunInfo::module_at(uint64_t address, uint64_t event) const {
  const auto is_loaded = [&](const Module& module) {
    const auto load =
        std::find_if(loads.begin(), loads.end(), [&](const Load& l) { return l.module == &module - modules.data(); });
    return load == loads.end() || load->event <= event;
  };
  const Module* found = nullptr;
  for (const Module& module : modules)
    if (address - module.begin < module.bytes && (found == nullptr || is_loaded(module))) found = &module;
  return found;
}

const RunInfo::Thread* RunInfo::thread(uint32_t number) const {
  const auto found =
      std::find_if(threads.rbegin(), threads.rend(), [number](const Thread& t) { return t.number == number; });
  return found == threads.rend() ? nullptr : &*found;
}

std::optional<uint32_t> RunInfo::path_in(std::string_view location) {
  const size_t at = location.rfind('@');
  uint32_t path = 0;
  if (at == std::string_view::npos) return std::nullopt;
  const char* const end = location.data() + location.size();
  const auto [stop, error] = std::from_chars(location.data() + at + 1, end, path);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return path;
}

std::string RunInfo::location_name(uint32_t path) const {
  uint32_t innermost = path;  // of the program: interceptors are frames, too
  while (paths[innermost].parent != 0 && paths[innermost].module != 0 &&
         modules[paths[innermost].module - 1].is_run_time())
    innermost = paths[innermost].parent;
  const PathNode& node = paths[innermost];
  std::string module(node.module == 0 ? "?" : base_name(modules[node.module - 1].path));
  // What a name in a trace cannot hold.
  std::replace_if(
      module.begin(), module.end(),
      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '|' || c == '\x7f'; }, '?');
  return fmt::format("{}+{:#x}@{}", module, node.offset, path);
}

std::string_view called_function(uint8_t called) {
  static constexpr std::array<std::string_view, 32> kNames = {"",
                                                              "",
                                                              "at_exit_callback_installed_at",
                                                              "cxa_at_exit_callback_installed_at",
                                                              "on_exit_callback_installed_at",
                                                              "malloc",
                                                              "calloc",
                                                              "realloc",
                                                              "memalign",
                                                              "aligned_alloc",
                                                              "valloc",
                                                              "pvalloc",
                                                              "posix_memalign",
                                                              "free",
                                                              "operator new(unsigned long)",
                                                              "operator new[](unsigned long)",
                                                              "operator delete(void*)",
                                                              "operator delete[](void*)",
                                                              "memcpy",
                                                              "memmove",
                                                              "memset",
                                                              "pthread_mutex_lock",
                                                              "pthread_mutex_trylock",
                                                              "pthread_mutex_unlock",
                                                              "pthread_rwlock_rdlock",
                                                              "pthread_rwlock_wrlock",
                                                              "pthread_rwlock_unlock",
                                                              "pthread_spin_lock",
                                                              "pthread_spin_unlock",
                                                              "memcmp",
                                                              "strlen",
                                                              "strcmp"};
  return kNames[called % kNames.size()];
}

uint32_t RunInfoEncoder::encode(const RunInfo& info, std::string& out) {
  uint32_t items = 0;
  if (!about_) {
    out += static_cast<char>(kAbout);
    append_varint(out, info.every_access);
    append_varint(out, info.process);
    append_text(out, info.command);
    about_ = true;
    ++items;
  }
  if (info.has_pauses && !pauses_) {
    out += static_cast<char>(kPauses);
    pauses_ = true;
    ++items;
  }
  for (; modules_ < info.modules.size() && out.size() < kMostBytes; ++modules_, ++items) {
    const RunInfo::Module& module = info.modules[modules_];
    out += static_cast<char>(kModule);
    append_varint(out, module.begin);
    append_varint(out, module.bytes);
    append_varint(out, module.bias);
    append_text(out, module.path);
    append_text(out, module.build_id);
  }
  for (; paths_ < info.paths.size() && out.size() < kMostBytes; ++paths_, ++items) {
    const RunInfo::PathNode& node = info.paths[paths_];
    out += static_cast<char>(kPath);
    append_varint(out, paths_ - node.parent);
    append_varint(out, node.module);
    append_varint(out, node.offset);
    out += static_cast<char>(node.called);
  }
  for (; threads_ < info.threads.size() && out.size() < kMostBytes; ++threads_, ++items) {
    const RunInfo::Thread& thread = info.threads[threads_];
    out += static_cast<char>(kThread);
    append_varint(out, thread.number);
    append_varint(out, thread.created_by);
    append_varint(out, thread.created_at);
    append_text(out, thread.name);
  }
  for (; loads_ < info.loads.size() && out.size() < kMostBytes; ++loads_, ++items) {
    out += static_cast<char>(kLoad);
    append_varint(out, info.loads[loads_].event);
    append_varint(out, info.loads[loads_].module);
  }
  for (; moves_ < info.moves.size() && out.size() < kMostBytes; ++moves_, ++items) {
    const RunInfo::Move& move = info.moves[moves_];
    out += static_cast<char>(kMove);
    append_varint(out, move.event);
    append_varint(out, move.name);
    append_varint(out, move.bytes);
    append_varint(out, move.address);
  }
  for (; benign_ < info.benign.size() && out.size() < kMostBytes; ++benign_, ++items) {
    const RunInfo::Benign& benign = info.benign[benign_];
    out += static_cast<char>(kBenign);
    append_varint(out, benign.event);
    append_varint(out, benign.begin);
    append_varint(out, benign.bytes);
  }
  for (; suppressions_ < info.suppressions.size() && out.size() < kMostBytes; ++items) {
    const std::string_view part = std::string_view(info.suppressions).substr(suppressions_, kMostText);
    out += static_cast<char>(kSuppressions);
    append_text(out, part);
    suppressions_ += part.size();
  }
  return items;
}

const char* decode_run_info(std::string_view payload, uint32_t count, RunInfo& info) {
  PayloadCursor cursor(payload);
  const auto text = [&cursor] { return std::string(cursor.take(cursor.varint())); };
  uint32_t items = 0;
  for (; !cursor.rest().empty() && cursor.ok(); ++items) {
    switch (cursor.byte()) {
      case kAbout:
        info.every_access = cursor.varint() != 0;
        info.process = static_cast<uint32_t>(cursor.varint());
        info.command = text();
        break;
      case kModule: {
        RunInfo::Module& module = info.modules.emplace_back();
        module.begin = cursor.varint();
        module.bytes = cursor.varint();
        module.bias = cursor.varint();
        module.path = text();
        module.build_id = text();
        break;
      }
      case kPath: {
        RunInfo::PathNode node;
        const uint64_t back = cursor.varint(), module = cursor.varint();
        node.offset = cursor.varint();
        node.called = cursor.byte();
        if (back > info.paths.size() || back == 0) return "it has a call path without a beginning";
        if (module > info.modules.size()) return "it has a call path in an unknown module";
        node.parent = static_cast<uint32_t>(info.paths.size() - back);
        node.module = static_cast<uint32_t>(module);
        info.paths.push_back(node);
        break;
      }
      case kThread: {
        RunInfo::Thread& thread = info.threads.emplace_back();
        thread.number = static_cast<uint32_t>(cursor.varint());
        thread.created_by = static_cast<uint32_t>(cursor.varint());
        const uint64_t path = cursor.varint();
        if (path >= info.paths.size()) return "it has a thread with an unknown call path";
        thread.created_at = static_cast<uint32_t>(path);
        thread.name = text();
        break;
      }
      case kPauses:
        info.has_pauses = true;
        break;
      case kLoad: {
        RunInfo::Load& load = info.loads.emplace_back();
        load.event = cursor.varint();
        const uint64_t module = cursor.varint();
        if (module >= info.modules.size()) return "it says when an unknown module was loaded";
        load.module = static_cast<uint32_t>(module);
        break;
      }
      case kMove: {
        RunInfo::Move& move = info.moves.emplace_back();
        move.event = cursor.varint();
        move.name = cursor.varint();
        move.bytes = cursor.varint();
        move.address = cursor.varint();
        break;
      }
      case kBenign: {
        RunInfo::Benign& benign = info.benign.emplace_back();
        benign.event = cursor.varint();
        benign.begin = cursor.varint();
        benign.bytes = cursor.varint();
        break;
      }
      case kSuppressions:
        info.suppressions += text();
        break;
      default:
        return "it has an unknown item";
    }
  }
  if (!cursor.ok()) return "it is cut short";
  return items == count ? nullptr : "it has another number of items than it says";
}

}  // namespace deadheat
