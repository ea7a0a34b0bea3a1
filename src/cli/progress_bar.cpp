#include "cli/progress_bar.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace deadheat::cli {

namespace {

constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kPeriod = std::chrono::milliseconds(100);

std::string count(double n) {
  if (n >= 1e9) return fmt::format("{:.2f} G", n / 1e9);
  if (n >= 1e6) return fmt::format("{:.1f} M", n / 1e6);
  if (n >= 1e3) return fmt::format("{:.1f} k", n / 1e3);
  return fmt::format("{:.0f}", n);
}

std::string clock_time(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  return whole >= 3600 ? fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
                       : fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

std::string progress_line(const Progress& progress, double seconds, std::string_view counted) {
  const double events = static_cast<double>(progress.events);
  std::string speed = fmt::format("{} {}, {} {}/s", count(events), counted, count(events / seconds), counted);
  if (progress.fraction < 0) return speed;
  constexpr int kWidth = 24;
  const double fraction = std::clamp(progress.fraction, 0.0, 1.0);
  const int full = static_cast<int>(fraction * kWidth);
  std::string line = fmt::format("[{:#<{}}{:.<{}}] {:3.0f} %  {}", "", full, "", kWidth - full, fraction * 100, speed);
  if (fraction > 0) line += fmt::format(", {} left", clock_time(seconds * (1 - fraction) / fraction));
  return line;
}

ProgressBar::ProgressBar(std::string_view counted)
    : counted_(counted),
      is_terminal_(isatty(STDERR_FILENO) != 0),
      start_(std::chrono::steady_clock::now()),
      next_(start_ + kPatience) {}

void ProgressBar::update(const Progress& progress) {
  if (!is_terminal_) return;
  const Time now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kPeriod;
  is_shown_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::fputs(fmt::format("\r{}\x1b[K", progress_line(progress, seconds, counted_)).c_str(), stderr);
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (is_shown_) std::fputs("\r\x1b[K", stderr);
  is_shown_ = false;
}

}  // namespace deadheat::cli
