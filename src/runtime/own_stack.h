// A stack for what needs more of it than a program may have left: threads of the smallest size and signal handlers on
// alternative stacks of a few kilobytes can race, too.
// Tested by test/programs/quiet_small_stack.c
#pragma once

namespace deadheat::live {

void own_stack_start();

// Calls `function` on the stack; on the present one if there was no memory for it. One call at a time: who calls holds
// the lock of the reports.
void call_on_own_stack(void (*function)(void* data), void* data);

template <class Body>
void on_own_stack(Body body) {
  call_on_own_stack([](void* data) { (*static_cast<Body*>(data))(); }, &body);
}

}  // namespace deadheat::live
