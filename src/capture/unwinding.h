/* A call whose end is noticed however it comes: by return, by an exception or by cancellation.
   In C, because the cleanup of C needs nothing of the C++ library, which the program may not have. */
#ifndef DEADHEAT_CAPTURE_UNWINDING_H
#define DEADHEAT_CAPTURE_UNWINDING_H

#ifdef __cplusplus
extern "C" {
#endif

/* Calls `function`, then `end` with `argument`. */
void deadheat_call_then(void (*function)(void), void (*end)(void*), void* argument);

#ifdef __cplusplus
}
#endif

#endif
