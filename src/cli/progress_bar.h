// A line on the terminal that says how far a long analysis is: bar, events (or what else is counted) and how many a
// second, time left.
//
// It appears only if standard error is a terminal and the work has taken more than a second; piped, it never writes.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "engine/analysis.h"

namespace deadheat::cli {

// The line for a moment of the work; without bar and time left when the size of the input is not known.
std::string progress_line(const Progress& progress, double seconds, std::string_view counted = "events");

class ProgressBar {
 public:
  // Events are counted, or what is said here.
  explicit ProgressBar(std::string_view counted = "events");
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(const Progress& progress);
  // Takes the line off the terminal again; what is printed next starts in an empty line.
  void clear();

 private:
  using Time = std::chrono::steady_clock::time_point;

  std::string_view counted_;
  bool is_terminal_;
  bool is_shown_ = false;
  Time start_;
  Time next_;
};

}  // namespace deadheat::cli
