// Fingerprints: names of bugs that stay the same when the program is rebuilt.
//
// Idea     A bug is told from others by the functions that access the memory and by what the memory is. Lines,
//          addresses, threads, callers and the order of the two accesses differ from build to build and from run to run.
// Made of  Of each access, the function of the innermost frame of the program (neither an interceptor's nor, if there
//          is another, in a header of the system), and the name of its file without folders; of the memory, the name of
//          a global, or the function that allocated the block. Of a function's name only its scopes and itself count:
//          neither parameters nor arguments of templates, since debug information does not have them at all levels,
//          nor suffixes that optimisers give to copies of functions (.constprop.0, .isra.0, [clone ...]), the numbers of
//          lambdas and the names of functions that initialise globals. Neither does whether an access reads or writes:
//          `x++` races as both.
// Promises The same for records with the accesses swapped. Edits elsewhere, other optimisation levels and other
//          addresses do not change it, as long as functions and variables keep their names. Without symbols a place is
//          module and offset: that is as stable as the build.
// Tested by test/unit/report_model_test.cpp, test/report/ways (rebuilt)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "race/finding.h"

namespace deadheat {

// A function's name without what optimisers add.
std::string_view stable_function(std::string_view function);
// The same without all that differs between builds (above).
std::string stable_name(std::string_view function);

// What the functions that initialise globals are called.
constexpr std::string_view kStaticInitialisation = "{static initialisation}";

// Code in a header of the system: by its file, or by its name where the file is not known. Instructions that optimisers
// moved have no line.
bool is_of_the_system(const StackFrame& frame);

// The frame that stands for a stack; null for an empty one.
const StackFrame* place_frame(StackView stack);

// "cache.cpp:31", "libz.so+0x1f30", "?"
std::string place_text(const StackFrame* frame);

// What the memory is, over all builds; empty if nothing tells it from other memory.
std::string memory_identity(const Finding& finding);
constexpr std::string_view kThreadLocalMemory = "thread-local";
// Whether that tells one variable of the program from all others. Thread-local memory has no name, but is no other memory.
bool names_variable(const Finding& finding);

// The stacks that a finding is about: of both accesses, or of anything else than a race all that it shows.
std::vector<StackView> stacks_of(const Finding& finding);

uint64_t fingerprint_of(const Finding& finding);
std::string fingerprint_text(uint64_t fingerprint);

// A hash that is the same everywhere and in all versions.
uint64_t stable_hash(std::string_view text, uint64_t seed = 0);

}  // namespace deadheat
