// Where reports go: standard error, or the file that log_path names. (write_log is in message.h.)
//
// A program that was started without standard error may get that number for a file of its own; we write nothing into
// it. Tested by test/programs/closed_stderr_*.c, option_log_path.c
#pragma once

#include <cstddef>

namespace deadheat::live {

void log_start();  // before anything is said
void open_log();   // as log_path says
void set_log(int fd);
bool log_in_colour();
// All of the bytes, however many parts the system makes of them.
void write_whole(int file, const char* data, size_t bytes);
void log_after_fork();

}  // namespace deadheat::live
