// Calls a function on another stack than the present one.
#pragma once

namespace deadheat::live {

void call_on_stack(char* top, void (*function)(void* data), void* data);

}  // namespace deadheat::live
