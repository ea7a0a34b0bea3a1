#include "wrapper/run_time.h"

#include <filesystem>

namespace deadheat::wrapper {

namespace fs = std::filesystem;

std::string own_folder() {
  std::error_code error;
  return fs::canonical("/proc/self/exe", error).parent_path();
}

std::optional<RunTime> find_run_time(const std::string& program_folder) {
  for (const char* place : {"../lib", "../" DEADHEAT_LIBDIR, "../lib64"}) {
    std::error_code error;
    const fs::path folder = fs::canonical(fs::path(program_folder) / place, error);
    if (!error && fs::exists(folder / "libdeadheat.so", error)) {
      const fs::path pass = folder / "deadheat" / "libdeadheat-pass.so";
      return RunTime{folder / "libdeadheat.so", folder / "deadheat", fs::exists(pass, error) ? pass.string() : ""};
    }
  }
  return std::nullopt;
}

}  // namespace deadheat::wrapper
