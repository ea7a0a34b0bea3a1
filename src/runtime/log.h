// Where reports go: standard error, or the file that log_path names. (write_log is in message.h.)
//
// A program that was started without a standard error gets that number for a file of its own some day: then nothing is
// written there. Tested by test/programs/closed_stderr_*.c, option_log_path.c
#pragma once

namespace deadheat::live {

void log_start();  // before anything is said
void open_log();   // as log_path says
void set_log(int fd);
bool log_in_colour();

}  // namespace deadheat::live
