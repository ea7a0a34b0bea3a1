// Start, exit and fork of the run time.
#pragma once

namespace deadheat::live {

// At exit: the summary, and the exit status that says that something was reported.
void finish_runtime();
// Where a program ends at once (_exit): the same without waiting for threads, but for their reports under way; the
// status to end with.
int finish_at_once(int status);

void fork_before();
void fork_after(bool in_child);

}  // namespace deadheat::live
