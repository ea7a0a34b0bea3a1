// What a recorded trace knows of its program beyond the events: how complete it is, modules, call paths, threads.
//
// Locations of recorded events are named `module+0xOFFSET@PATH`: the innermost place, and the number of the call path
// that leads there. So other tools have a place in the code, and reports find the whole stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deadheat {

struct RunInfo {
  struct Module {
    std::string path;
    std::string build_id;  // lower-case hex; empty if it has none
    uint64_t begin = 0, bytes = 0;
    uint64_t bias = 0;  // address - bias is what the file's own headers say

    bool is_run_time() const;  // Deadheat's own library
  };
  struct PathNode {
    uint32_t parent = 0;  // 0: none
    uint32_t module = 0;  // number + 1; 0: in none that is known
    uint64_t offset = 0;  // of the return address, in the module's own count; an address without a module
    uint8_t called = 0;   // a function of the C library that was called there (kCalledFunctions)
  };
  struct Thread {
    uint32_t number = 0;
    uint32_t created_by = 0;  // number + 1; 0: nobody
    uint32_t created_at = 0;  // a path
    std::string name;
  };

  // A module that came while the program ran, perhaps to the place of one that is gone.
  struct Load {
    uint64_t event = 0;  // before which it came
    uint32_t module = 0;
  };
  // Bytes that moved keep their first address as their name.
  struct Move {
    uint64_t event = 0;  // before which they moved
    uint64_t name = 0, bytes = 0;
    uint64_t address = 0;  // where they are from then on
  };
  // Bytes whose races the program says are none to tell, from an event on.
  struct Benign {
    uint64_t event = 0;
    uint64_t begin = 0, bytes = 0;
  };

  bool has_pauses = false;    // now and then plain accesses were left out, as the user asked
  bool every_access = false;  // repeated accesses of an epoch, too
  uint32_t process = 0;
  std::string command;
  std::vector<Module> modules;
  std::vector<PathNode> paths = std::vector<PathNode>(1);  // the first one is the empty path
  std::vector<Thread> threads;  // in the order of their beginnings; a later one with the same number says more

  std::vector<Load> loads;  // these three by event
  std::vector<Move> moves;
  std::vector<Benign> benign;
  std::string suppressions;  // the program's own (__tsan_default_suppressions)

  // Whether races of all these bytes are not told if they are completed by that event.
  bool is_benign(uint64_t begin, uint64_t end, uint64_t event) const;

  // Where named bytes were at an event.
  uint64_t address_of(uint64_t name, uint64_t event) const;
  // The module around an address at an event; null if there is none.
  const Module* module_at(uint64_t address, uint64_t event) const;
  // The last that is known of a thread; null if nothing is.
  const Thread* thread(uint32_t number) const;
  // The path in a location's name.
  static std::optional<uint32_t> path_in(std::string_view location);
  std::string location_name(uint32_t path) const;
};

// What stands between an access and its caller (`called`), as the run time numbers them; "" for none.
std::string_view called_function(uint8_t called);

// What came up since the last call, for a block of the file.
class RunInfoEncoder {
 public:
  // The number of items, 0 if there is nothing new.
  uint32_t encode(const RunInfo& info, std::string& out);

 private:
  bool about_ = false, pauses_ = false;
  size_t modules_ = 0, paths_ = 1, threads_ = 0, loads_ = 0, moves_ = 0, benign_ = 0, suppressions_ = 0;
};
// Returns what is wrong, or nullptr.
const char* decode_run_info(std::string_view payload, uint32_t count, RunInfo& info);

}  // namespace deadheat
