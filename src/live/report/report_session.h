// A session is what one report, or one question of the program about symbols, needs for itself: the draft of a finding,
// the texts and lists that it consists of, and a stack.
//
// Any number of sessions may be open at once, so that no report waits for another: threads report side by side, and
// what the program does in __tsan_on_report may be reported, too. A thread's sessions are nested. They come from a pool
// that grows by mapping.
//
// The stack is there because threads of the smallest size and signal handlers on alternative stacks of a few kilobytes
// can race, too, and because programs are called back from reports. Tested by test/programs/quiet_small_stack.c
//
// Made     Until its report is written, a session is being made, and the end of the program waits for it.
// Told     Then the thread calls the program back, outside of the run time and with no lock held, as if the function
//          that made the access had called it.
#pragma once

#include <cstddef>
#include <string_view>

#include "live/report/draft.h"

namespace deadheat::live {

struct Session {
  Draft draft;
  bool told;   // the program is being called back
  bool halts;  // the program ends after this one

  Session* outer;  // of the same thread
  struct SessionBlock* memory;
  char* stack;      // its lowest address
  uint64_t number;  // in the order in which they were opened
  bool being_made;  // guarded by the lock of the sessions, as what follows
  Session *next, *previous;
};

void sessions_start();

// Calls `function` with a session, on its stack, inside the run time. Where the system has no memory for a session, it
// waits for another thread's; if it has one open itself, nothing is called.
enum class SessionFor : uint8_t { kReport, kQuestion };
void call_in_session(SessionFor purpose, void (*function)(Session& session, void* data), void* data);

template <class Body>
void in_session(SessionFor purpose, Body body) {
  call_in_session(purpose, [](Session& session, void* data) { (*static_cast<Body*>(data))(session); }, &body);
}

// Memory of the innermost session of the calling thread, aligned to 8; null where the system has none.
void* session_memory(size_t bytes);
template <class T>
T* session_list(size_t count) {
  return count == 0 ? nullptr : static_cast<T*>(session_memory(count * sizeof(T)));
}
// Keeps a text there, with a zero at its end; null without memory.
const char* session_text(const char* text, size_t length);
std::string_view session_text(const char* text);

// Of a text that is not known: nothing.
constexpr std::string_view view_of(const char* text) { return text == nullptr ? std::string_view{} : text; }

// The report is written, or there will be none.
void session_made(Session& session);
// Calls the program back; errno is as before afterwards.
void call_program_back(Session& session, void (*function)(void* data), void* data);
template <class Body>
void call_program_back(Session& session, Body body) {
  call_program_back(session, [](void* data) { (*static_cast<Body*>(data))(); }, &body);
}
Session* innermost_session();  // of the calling thread

// Waits until other threads have written the reports that they are making now; not for ever.
void wait_for_reports();

void sessions_after_fork();  // in the child

}  // namespace deadheat::live
