// Queues and semaphores of the system: POSIX message queues, and messages and semaphores of System V.
//
// A send is ordered before every later receive from the same queue. Raising a semaphore is ordered before every later
// wait for a semaphore of its set, because we cannot know which of them answers which. POSIX queues are descriptors;
// queues and semaphores of System V have a clock by their number. Tested by test/programs/queue_*.c
#include <mqueue.h>
#include <sys/msg.h>
#include <sys/sem.h>

#include <cstdarg>

#include "capture/intercept.h"

using namespace deadheat::live;

// ---- POSIX message queues ----

DEADHEAT_INTERCEPT(mqd_t, mq_open, const char* name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  mq_attr* const attributes = va_arg(arguments, mq_attr*);
  va_end(arguments);
  Entry entry(DEADHEAT_CALLER);
  const mqd_t queue = REAL(mq_open)(name, flags, mode, attributes);
  if (queue >= 0) fd_opened(entry, queue);
  return queue;
}
DEADHEAT_WATCHED(int, mq_close, (mqd_t queue), fd_closed(entry, queue), REAL(mq_close)(queue))
DEADHEAT_WATCHED(int, mq_send, (mqd_t queue, const char* data, size_t bytes, unsigned priority),
                 read_range(entry, data, bytes), fd_release(entry, queue),
                 REAL(mq_send)(queue, data, bytes, priority))
DEADHEAT_WATCHED(int, mq_timedsend,
                 (mqd_t queue, const char* data, size_t bytes, unsigned priority, const timespec* until),
                 read_range(entry, data, bytes), fd_release(entry, queue),
                 REAL(mq_timedsend)(queue, data, bytes, priority, until))

namespace {

ssize_t received(const Entry& entry, mqd_t queue, const char* data, const unsigned* priority, ssize_t result) {
  if (result < 0) return result;
  fd_acquire(entry, queue);
  write_range(entry, data, static_cast<size_t>(result));
  if (priority != nullptr) write_range(entry, priority, sizeof *priority);
  return result;
}

}  // namespace

DEADHEAT_WATCHED(ssize_t, mq_receive, (mqd_t queue, char* data, size_t bytes, unsigned* priority),
                 received(entry, queue, data, priority, REAL(mq_receive)(queue, data, bytes, priority)))
DEADHEAT_WATCHED(ssize_t, mq_timedreceive,
                 (mqd_t queue, char* data, size_t bytes, unsigned* priority, const timespec* until),
                 received(entry, queue, data, priority, REAL(mq_timedreceive)(queue, data, bytes, priority, until)))

// ---- System V ----

namespace {

enum class Kind : uintptr_t { kQueue = 0, kSemaphores = 1 };

// No program has an address there, nor has a descriptor its clock.
const void* clock_of(Kind kind, int id) {
  return reinterpret_cast<const void*>(uintptr_t{1} << 61 | static_cast<uintptr_t>(kind) << 50 |
                                       uintptr_t{static_cast<uint32_t>(id)} << 6);
}

// Its number may be given to another one.
void removing(Kind kind, int id, int command) {
  if (command == IPC_RMID) forget(clock_of(kind, id));
}

}  // namespace

DEADHEAT_WATCHED(int, msgsnd, (int id, const void* message, size_t bytes, int flags),
                 read_range(entry, message, sizeof(long) + bytes), release(entry, clock_of(Kind::kQueue, id)),
                 REAL(msgsnd)(id, message, bytes, flags))
DEADHEAT_INTERCEPT(ssize_t, msgrcv, int id, void* message, size_t bytes, long type, int flags) {
  Entry entry(DEADHEAT_CALLER);
  const ssize_t result = REAL(msgrcv)(id, message, bytes, type, flags);
  if (result < 0) return result;
  acquire(entry, clock_of(Kind::kQueue, id));
  write_range(entry, message, sizeof(long) + static_cast<size_t>(result));
  return result;
}
DEADHEAT_INTERCEPT(int, msgctl, int id, int command, msqid_ds* about) {
  const int result = REAL(msgctl)(id, command, about);
  if (result == 0) removing(Kind::kQueue, id, command);
  return result;
}

namespace {

void raising(const Entry& entry, int id, const sembuf* operations, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (operations[i].sem_op > 0) return release(entry, clock_of(Kind::kSemaphores, id));
}
int waited(const Entry& entry, int id, const sembuf* operations, size_t count, int result) {
  for (size_t i = 0; result == 0 && i < count; ++i)
    if (operations[i].sem_op <= 0) return acquire(entry, clock_of(Kind::kSemaphores, id)), result;
  return result;
}

}  // namespace

DEADHEAT_WATCHED(int, semop, (int id, sembuf* operations, size_t count), raising(entry, id, operations, count),
                 waited(entry, id, operations, count, REAL(semop)(id, operations, count)))
DEADHEAT_WATCHED(int, semtimedop, (int id, sembuf* operations, size_t count, const timespec* limit),
                 raising(entry, id, operations, count),
                 waited(entry, id, operations, count, REAL(semtimedop)(id, operations, count, limit)))
// Setting values raises them, too. The fourth argument is a number or a pointer; as a register it is the same.
DEADHEAT_INTERCEPT(int, semctl, int id, int number, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  Entry entry(DEADHEAT_CALLER);
  if (command == SETVAL || command == SETALL) release(entry, clock_of(Kind::kSemaphores, id));
  const int result = REAL(semctl)(id, number, command, argument);
  if (result == 0) removing(Kind::kSemaphores, id, command);
  return result;
}
