// Stacks as reports show them: node ids resolved to modules, functions and lines.
#pragma once

#include <string_view>

#include "live/paths/stacks.h"
#include "race/finding.h"

namespace deadheat::live {

// Frames are collected here, then kept in the session that the calling thread has open.
class StackDraft {
 public:
  // The frames of one place in the code, inlined ones first, as the symbolizer knows them.
  void add_code_place(uintptr_t pc);
  void add_path(NodeId path);
  // From frame `first` on; nothing where the system has no memory.
  StackView keep(unsigned first = 0) const;
  unsigned count() const { return count_; }

 private:
  static constexpr unsigned kMost = 256;
  void add(const StackFrame& frame) {
    if (count_ < kMost) frames_[count_++] = frame;
  }
  bool ends_with_main() const;

  StackFrame frames_[kMost];
  unsigned count_ = 0;
};

StackView stack_of(NodeId path);

// As reports show the name of a file (strip_path_prefix).
std::string_view without_prefix(const char* file);

}  // namespace deadheat::live
