#include "live/report/report_session.h"

#include <cerrno>

#include "live/ground/inside.h"
#include "live/ground/message.h"
#include "live/ground/own_stack.h"
#include "live/ground/spin_lock.h"
#include "live/ground/sys.h"
#include "live/shadow/shadow.h"

namespace deadheat::live {

// Texts and stacks; the next block is as large as it has to be.
struct SessionBlock {
  SessionBlock* next;
  size_t bytes, used;
  char* begin() { return reinterpret_cast<char*>(this + 1); }
};

namespace {

constexpr size_t kPage = 4096;
constexpr size_t kStackBytes = size_t{1} << 20;  // programs are called back on it: as much as many a thread has
constexpr size_t kSessionBytes = (sizeof(Session) + kPage - 1) / kPage * kPage;
constexpr unsigned kMostKept = 64;  // in the pool; what is more goes back to the system

// Guarded by the lock.
constinit SpinLock lock(Lock::kSessions);
Session* pool;
unsigned pool_count;
Session* open_sessions;
uint64_t opened;  // until now

__thread Session* innermost __attribute__((tls_model("initial-exec")));

//   guard page | stack | session
Session* map_session() {
  char* const memory = static_cast<char*>(sys::reserve(kPage + kStackBytes + kSessionBytes));
  if (memory == nullptr) return nullptr;
  sys::call(SYS_mprotect, reinterpret_cast<long>(memory), kPage, PROT_NONE);
  Session* const session = reinterpret_cast<Session*>(memory + kPage + kStackBytes);  // of zeros, as it begins
  session->stack = memory + kPage;
  return session;
}

Session* take_session() {
  for (;;) {
    {
      const SpinGuard held(lock);
      if (Session* const session = pool) {
        pool = session->next;
        --pool_count;
        return session;
      }
    }
    if (Session* const session = map_session()) return session;
    if (innermost != nullptr) return nullptr;
    sys::sleep_ms(1);
  }
}

void forget_memory(Session& session) {
  while (SessionBlock* const block = session.memory) {
    session.memory = block->next;
    sys::unmap(block, block->bytes);
  }
}

void add_to_pool(Session* session) {
  session->next = pool;
  pool = session;
  ++pool_count;
}

void give_back(Session* session) {
  forget_memory(*session);
  {
    const SpinGuard held(lock);
    if (pool_count < kMostKept) return add_to_pool(session);
  }
  sys::unmap(session->stack - kPage, kPage + kStackBytes + kSessionBytes);
}

void add_to_open(Session* session) {
  session->previous = nullptr;
  session->next = open_sessions;
  if (open_sessions != nullptr) open_sessions->previous = session;
  open_sessions = session;
}

void open(Session* session, SessionFor purpose) {
  session->outer = innermost;
  session->told = session->halts = false;
  innermost = session;
  const SpinGuard held(lock);
  session->being_made = purpose == SessionFor::kReport;
  session->number = ++opened;
  add_to_open(session);
}

void close(Session* session) {
  innermost = session->outer;
  const SpinGuard held(lock);
  if (session->next != nullptr) session->next->previous = session->previous;
  (session->previous != nullptr ? session->previous->next : open_sessions) = session->next;
}

bool is_mine(const Session* session) {
  for (const Session* mine = innermost; mine != nullptr; mine = mine->outer)
    if (mine == session) return true;
  return false;
}

bool others_make_one(uint64_t until) {
  const SpinGuard held(lock);
  for (const Session* session = open_sessions; session != nullptr; session = session->next)
    if (session->being_made && session->number <= until && !is_mine(session)) return true;
  return false;
}

}  // namespace

void sessions_start() {
  if (Session* const session = map_session()) give_back(session);
}

void call_in_session(SessionFor purpose, void (*function)(Session& session, void* data), void* data) {
  const Inside inside;
  Session* const session = take_session();
  if (session == nullptr) {
    say("no memory for a report that was found while another one was told");
    return;
  }
  open(session, purpose);
  struct Call {
    void (*function)(Session& session, void* data);
    Session& session;
    void* data;
  } call{function, *session, data};
  call_on_stack(
      reinterpret_cast<char*>(session),
      [](void* what) {
        const Call& wanted = *static_cast<Call*>(what);
        wanted.function(wanted.session, wanted.data);
      },
      &call);
  close(session);
  give_back(session);
}

void* session_memory(size_t bytes) {
  if (innermost == nullptr) return nullptr;
  bytes = (bytes + 7) & ~size_t{7};
  SessionBlock* block = innermost->memory;
  if (block == nullptr || block->bytes - sizeof(SessionBlock) - block->used < bytes) {
    constexpr size_t kLeast = size_t{64} << 10;
    const size_t needed = (sizeof(SessionBlock) + bytes + kPage - 1) / kPage * kPage;
    const size_t mapped = needed < kLeast ? kLeast : needed;
    block = static_cast<SessionBlock*>(sys::reserve(mapped));
    if (block == nullptr) return nullptr;
    block->bytes = mapped;
    block->next = innermost->memory;
    innermost->memory = block;
  }
  block->used += bytes;
  return block->begin() + block->used - bytes;
}

const char* session_text(const char* text, size_t length) {
  char* const to = static_cast<char*>(session_memory(length + 1));
  if (to == nullptr) return nullptr;
  for (size_t i = 0; i < length; ++i) to[i] = text[i];
  to[length] = 0;
  return to;
}

std::string_view session_text(const char* text) {
  const size_t length = std::string_view(text).size();
  const char* const kept = session_text(text, length);
  return kept == nullptr ? std::string_view{} : std::string_view{kept, length};
}

void session_made(Session& session) {
  const SpinGuard held(lock);
  session.being_made = false;
}

void call_program_back(Session& session, void (*function)(void* data), void* data) {
  // Another thread that was called back may have left traces on this stack.
  forget_history(reinterpret_cast<uintptr_t>(session.stack), kStackBytes);
  const int error = errno;
  session.told = true;
  calling_out(Runs::kProgram);
  {
    const Outside outside;
    function(data);
  }
  session.told = false;
  errno = error;
}

Session* innermost_session() { return innermost; }

void wait_for_reports() {
  uint64_t until;
  {
    const BusyGuard held(lock);
    until = opened;
  }
  // A helper that does not answer is given up after this time, too.
  constexpr int kPatience = 20'000;  // ms
  for (int waited = 0; waited < kPatience && others_make_one(until); ++waited) sys::sleep_ms(1);
}

DEADHEAT_TAKEN_AT_FORK(kSessions, lock)

void sessions_after_fork() {
  const BusyGuard held(lock);
  Session* session = open_sessions;
  open_sessions = nullptr;
  while (session != nullptr) {
    Session* const following = session->next;
    if (is_mine(session)) {
      add_to_open(session);
    } else {  // its thread did not come along, and may have been about to change the memory
      session->memory = nullptr;
      add_to_pool(session);
    }
    session = following;
  }
}

}  // namespace deadheat::live
