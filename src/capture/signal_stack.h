// The stack on which signal handlers of a thread run, if it is one of ours (intercept_signal_stack.cpp).
#pragma once

namespace deadheat::live {

void leave_signal_stack();  // at the end of the thread

}  // namespace deadheat::live
