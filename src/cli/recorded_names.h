// What places and bytes of a recorded program are called, by the files that were loaded, as far as they are as they were.
// Tested by test/record
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/annotations.h"
#include "event/run_info.h"
#include "symbolize/module.h"

namespace deadheat::cli {

// The files, opened when they are first asked for.
class RecordedModules {
 public:
  explicit RecordedModules(const RunInfo& run) : run_(run) {}
  // Null if it is gone or was built anew: its build id says so.
  symbolize::Module* of(uint32_t number);

 private:
  const RunInfo& run_;
  std::map<uint32_t, std::unique_ptr<symbolize::Module>> modules_;
};

// For annotations.
class RecordedNames final : public RealNames {
 public:
  explicit RecordedNames(const RunInfo& run) : run_(run), modules_(run) {}
  std::vector<std::string> functions(std::string_view location, bool callers) override;
  std::vector<Bytes> bytes_at(uint64_t address, uint64_t event) override;

 private:
  const RunInfo& run_;
  RecordedModules modules_;
};

}  // namespace deadheat::cli
