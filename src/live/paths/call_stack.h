// Stacks that go through code which is not instrumented.
#pragma once

#include "live/api.h"
#include "live/paths/stacks.h"

namespace deadheat::live {

// Where an interceptor was called, its own frame included. Between the innermost instrumented function and the call
// there may be a library that pushes no frames (libstdc++ calls pthread_create for std::thread): those are found by the
// unwinder that comes with C++ programs. Slower than `context_node`; for what happens seldom.
NodeId call_stack(const Entry& entry, Thread& t);

}  // namespace deadheat::live
