/* A call whose end we notice in every case: return, exception or cancellation.
   This is C, because C's cleanup needs no C++ library, which the program may not have. */
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
