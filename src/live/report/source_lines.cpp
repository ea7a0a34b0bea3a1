#include "live/report/source_lines.h"

#include "live/ground/spin_lock.h"
#include "live/ground/tables.h"
#include "live/modules/loaded.h"
#include "live/modules/symbols.h"
#include "race/code_place.h"

namespace deadheat::live {
namespace {

// What the frames at a place in the code are: an interceptor's, a library's without instrumentation, or the program's,
// of which some are in headers of the system (inlined ones are frames, too).
enum Whose : uint64_t { kOurs, kLibrary, kHeader, kProgram };
constexpr uint64_t kWhoseBits = 3;

// A place and whose it is: the key with the two lowest bits replaced.
using Place = uint64_t;
Whose whose(Place place) { return static_cast<Whose>(place & kWhoseBits); }
Place make_place(uint64_t key, Whose its) { return (key & ~kWhoseBits) | its; }

constinit SpinLock known_lock(Lock::kSourceLines);
// Guarded by the lock. Both are emptied when full: they only save questions.
constexpr uint32_t kMostKnown = 1u << 16;
KeyMap known_places(kMostKnown);  // by pc
KeyMap known_paths(kMostKnown);   // by node
uint32_t known_generation;        // of the modules

// Nothing is known of modules that are not there any more. The lock is held.
bool is_current(uint32_t generation) {
  if (generation == known_generation) return true;
  if (generation < known_generation) return false;  // found out before another thread unloaded something
  known_places.clear();
  known_paths.clear();
  known_generation = generation;
  return true;
}

// What `find_out` says of the key, once.
template <class FindOut>
uint64_t remembered(KeyMap& map, uint64_t key, FindOut find_out) {
  uint32_t generation = 0;
  const bool stable = modules_stable(generation);
  if (stable) {
    const SpinGuard held(known_lock);
    if (is_current(generation))
      if (const uint64_t* value = map.find(key)) return *value;
  }
  const uint64_t value = find_out();
  uint32_t now = 0;
  if (stable && modules_stable(now) && now == generation) {
    const SpinGuard held(known_lock);
    if (is_current(generation)) {
      if (map.is_full()) map.clear();
      map.put(key, value);
    }
  }
  return value;
}

uint64_t line_of(const SourceFrame& frame) {
  return mix(text_key(frame.file), frame.line != 0 ? static_cast<uint64_t>(frame.line) : ~text_key(frame.function));
}

Place ask_for_place(uintptr_t pc) {
  Module module;
  if (pc == 0 || !module_of(pc - 1, module)) return make_place(mix(pc, 0), kProgram);
  if (module.ours) return make_place(0, kOurs);
  const uintptr_t offset = pc - module.bias;
  const uint64_t address = mix(text_key(module.path), offset);
  if (!instrumented_at(pc - 1)) return make_place(address, kLibrary);
  SourceFrame frames[16];
  const unsigned count = symbolize_code(module, offset - 1, frames, 16);
  for (unsigned i = 0; i < count; ++i)
    if (frames[i].file != nullptr && !is_system_header(frames[i].file)) return make_place(line_of(frames[i]), kProgram);
  if (count == 0 || frames[0].file == nullptr) return make_place(address, kProgram);
  return make_place(line_of(frames[0]), kHeader);
}

Place place_at(uintptr_t pc) {
  return remembered(known_places, pc, [pc] { return ask_for_place(pc); });
}

}  // namespace

uint64_t text_key(const char* text) {
  uint64_t hash = 0;
  for (; text != nullptr && *text != 0; ++text) hash = mix(hash, static_cast<unsigned char>(*text));
  return hash;
}

uint64_t line_key(OriginId origin) {
  uint64_t libraries = 0, header = 0;
  for (NodeId node = unpack(origin).access; node != kNoNode; node = node_at(node).parent) {
    const Place place = place_at(node_at(node).address());
    if (whose(place) == kProgram) return mix(libraries, place);
    if (whose(place) == kLibrary) libraries = mix(libraries, place);
    if (whose(place) == kHeader && header == 0) header = place;
  }
  return mix(libraries, header);
}

uint64_t path_key(NodeId path) {
  return remembered(known_paths, number_of(path), [path] {
    uint64_t hash = 0;
    for (NodeId node = path; node != kNoNode; node = node_at(node).parent) {
      const Place place = place_at(node_at(node).address());
      if (whose(place) != kOurs) hash = mix(hash, place);
    }
    return hash;
  });
}

uint64_t call_key(uintptr_t pc) {
  const Place place = place_at(pc);
  return whose(place) == kOurs || whose(place) == kLibrary ? 0 : place;
}

DEADHEAT_TAKEN_AT_FORK(kSourceLines, known_lock)

}  // namespace deadheat::live
