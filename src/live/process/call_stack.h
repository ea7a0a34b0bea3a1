// Stacks that go through code which is not instrumented.
#pragma once

#include "live/order/thread.h"

namespace deadheat::live {

// Where an interceptor was called, its own frame (`pc`) included. Between the innermost instrumented function and the
// call there may be a library that pushes no frames (libstdc++ calls pthread_create for std::thread): those are found
// by the unwinder that comes with C++ programs. Slower than `context_node`; for what happens seldom.
NodeId call_stack(Thread& t, uintptr_t pc);

}  // namespace deadheat::live
