// Functions of the C library that write what they found out into memory of the caller: an access like any other.
//
// Where a function fails, nothing was written. Functions of libm are left out: they are called in inner loops, and
// their results hardly ever lie in shared memory. Tested by test/programs/results_race.c, results_own.c
#include <arpa/inet.h>
#include <dirent.h>
#include <netdb.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

#include <cstdarg>
#include <cstdio>
#include <cwchar>

#include "capture/intercept.h"

using namespace deadheat::live;

namespace {

template <class T>
void wrote(const Entry& entry, T* to, size_t count = 1) {
  if (to != nullptr) write_range(entry, to, count * sizeof(T));
}
void wrote_text(const Entry& entry, const char* text) {
  size_t n = 0;
  while (text[n] != 0) ++n;
  write_range(entry, text, n + 1);
}
// What is printed into a buffer of this size, the final zero included.
int printed(const Entry& entry, char* to, size_t size, int result) {
  if (result >= 0 && size != 0) {
    const size_t wanted = static_cast<size_t>(result) + 1;
    write_range(entry, to, wanted < size ? wanted : size);
  }
  return result;
}

}  // namespace

// The object that `to` points to is written if the call succeeded.
#define FILLS(type, name, parameters, arguments, succeeded, to)   \
  DEADHEAT_INTERCEPT(type, name, DEADHEAT_UNWRAPPED parameters) { \
    Entry entry(DEADHEAT_CALLER);                                 \
    type const result = REAL(name) arguments;                     \
    if (succeeded) wrote(entry, to);                              \
    return result;                                                \
  }
// A text is returned where the caller wants it.
#define FILLS_TEXT(name, parameters, arguments)                    \
  DEADHEAT_INTERCEPT(char*, name, DEADHEAT_UNWRAPPED parameters) { \
    Entry entry(DEADHEAT_CALLER);                                  \
    char* const result = REAL(name) arguments;                     \
    if (result != nullptr) wrote_text(entry, result);              \
    return result;                                                 \
  }

// ---- printing ----

DEADHEAT_WATCHED(int, vsnprintf, (char* to, size_t size, const char* format, va_list values),
                 printed(entry, to, size, REAL(vsnprintf)(to, size, format, values)))
DEADHEAT_WATCHED(int, vsprintf, (char* to, const char* format, va_list values),
                 printed(entry, to, SIZE_MAX, REAL(vsprintf)(to, format, values)))
DEADHEAT_WATCHED(int, __vsnprintf_chk,
                 (char* to, size_t size, int flag, size_t room, const char* format, va_list values),
                 printed(entry, to, size, REAL(__vsnprintf_chk)(to, size, flag, room, format, values)))
DEADHEAT_WATCHED(int, __vsprintf_chk, (char* to, int flag, size_t room, const char* format, va_list values),
                 printed(entry, to, SIZE_MAX, REAL(__vsprintf_chk)(to, flag, room, format, values)))

// One with variable arguments is the one with a list of them.
#define PRINTS(name, parameters, size, call)                                                        \
  extern "C" __attribute__((visibility("default"))) int intercept_##name parameters __asm__(#name); \
  DEADHEAT_ALSO_AS(name)                                                                            \
  extern "C" __attribute__((visibility("default"))) int intercept_##name parameters {               \
    Entry entry(DEADHEAT_CALLER);                                                                   \
    va_list values;                                                                                 \
    va_start(values, format);                                                                       \
    const int result = printed(entry, to, size, call);                                              \
    va_end(values);                                                                                 \
    return result;                                                                                  \
  }
PRINTS(snprintf, (char* to, size_t size, const char* format, ...), size, REAL(vsnprintf)(to, size, format, values))
PRINTS(sprintf, (char* to, const char* format, ...), SIZE_MAX, REAL(vsprintf)(to, format, values))
PRINTS(__snprintf_chk, (char* to, size_t size, int flag, size_t room, const char* format, ...), size,
       REAL(__vsnprintf_chk)(to, size, flag, room, format, values))
PRINTS(__sprintf_chk, (char* to, int flag, size_t room, const char* format, ...), SIZE_MAX,
       REAL(__vsprintf_chk)(to, flag, room, format, values))

// ---- time ----

FILLS(int, clock_gettime, (clockid_t clock, timespec* to), (clock, to), result == 0, to)
FILLS(int, clock_getres, (clockid_t clock, timespec* to), (clock, to), result == 0, to)
FILLS(int, gettimeofday, (timeval * to, void* zone), (to, zone), result == 0, to)
FILLS(time_t, time, (time_t* to), (to), result != -1, to)
FILLS(clock_t, times, (struct tms * to), (to), result != -1, to)
FILLS(int, getitimer, (int which, itimerval* to), (which, to), result == 0, to)
// Of the variants without `_r`, all threads share the result.
#define BROKEN_DOWN(name, parameters, arguments)                 \
  DEADHEAT_INTERCEPT(tm*, name, DEADHEAT_UNWRAPPED parameters) { \
    Entry entry(DEADHEAT_CALLER);                                \
    read_range(entry, from, sizeof *from);                       \
    tm* const result = REAL(name) arguments;                     \
    wrote(entry, result);                                        \
    return result;                                               \
  }
BROKEN_DOWN(localtime, (const time_t* from), (from))
BROKEN_DOWN(gmtime, (const time_t* from), (from))
BROKEN_DOWN(localtime_r, (const time_t* from, tm* to), (from, to))
BROKEN_DOWN(gmtime_r, (const time_t* from, tm* to), (from, to))
FILLS_TEXT(ctime, (const time_t* from), (from))
FILLS_TEXT(asctime, (const tm* from), (from))
FILLS_TEXT(ctime_r, (const time_t* from, char* to), (from, to))
FILLS_TEXT(asctime_r, (const tm* from, char* to), (from, to))
FILLS(time_t, mktime, (tm * both), (both), true, both)
FILLS(char*, strptime, (const char* text, const char* format, tm* to), (text, format, to), result != nullptr, to)
DEADHEAT_INTERCEPT(size_t, strftime, char* to, size_t size, const char* format, const tm* from) {
  Entry entry(DEADHEAT_CALLER);
  read_range(entry, from, sizeof *from);
  const size_t result = REAL(strftime)(to, size, format, from);
  if (result != 0) write_range(entry, to, result + 1);
  return result;
}

// ---- files ----

#define ABOUT_FILES(suffix)                                                                                          \
  FILLS(int, stat##suffix, (const char* path, struct stat##suffix* to), (path, to), result == 0, to)                 \
  FILLS(int, lstat##suffix, (const char* path, struct stat##suffix* to), (path, to), result == 0, to)                \
  FILLS(int, fstat##suffix, (int fd, struct stat##suffix* to), (fd, to), result == 0, to)                            \
  FILLS(int, fstatat##suffix, (int fd, const char* path, struct stat##suffix* to, int flags), (fd, path, to, flags), \
        result == 0, to)                                                                                             \
  FILLS(int, statfs##suffix, (const char* path, struct statfs##suffix* to), (path, to), result == 0, to)             \
  FILLS(int, fstatfs##suffix, (int fd, struct statfs##suffix* to), (fd, to), result == 0, to)                        \
  FILLS(int, statvfs##suffix, (const char* path, struct statvfs##suffix* to), (path, to), result == 0, to)           \
  FILLS(int, fstatvfs##suffix, (int fd, struct statvfs##suffix* to), (fd, to), result == 0, to)
ABOUT_FILES()
ABOUT_FILES(64)

FILLS_TEXT(getcwd, (char* to, size_t size), (to, size))
FILLS_TEXT(realpath, (const char* path, char* to), (path, to))
#define READS_LINK(name, parameters, arguments)                          \
  DEADHEAT_INTERCEPT(ssize_t, name, DEADHEAT_UNWRAPPED parameters) {     \
    Entry entry(DEADHEAT_CALLER);                                        \
    const ssize_t result = REAL(name) arguments;                         \
    if (result > 0) write_range(entry, to, static_cast<size_t>(result)); \
    return result;                                                       \
  }
READS_LINK(readlink, (const char* path, char* to, size_t size), (path, to, size))
READS_LINK(readlinkat, (int fd, const char* path, char* to, size_t size), (fd, path, to, size))

// The line, and where and how large it is: that changes only when it grows.
#define READS_LINE(name, parameters, arguments)                                             \
  DEADHEAT_INTERCEPT(ssize_t, name, DEADHEAT_UNWRAPPED parameters) {                        \
    Entry entry(DEADHEAT_CALLER);                                                           \
    const char* const line_before = line == nullptr ? nullptr : *line;                      \
    const ssize_t result = REAL(name) arguments;                                            \
    if (line == nullptr || size == nullptr) return result;                                  \
    const bool grown = *line != line_before;                                                \
    grown ? write_range(entry, line, sizeof *line) : read_range(entry, line, sizeof *line); \
    grown ? write_range(entry, size, sizeof *size) : read_range(entry, size, sizeof *size); \
    if (result > 0) write_range(entry, *line, static_cast<size_t>(result) + 1);             \
    return result;                                                                          \
  }
READS_LINE(getline, (char** line, size_t* size, FILE* from), (line, size, from))
READS_LINE(getdelim, (char** line, size_t* size, int end, FILE* from), (line, size, end, from))
READS_LINE(__getdelim, (char** line, size_t* size, int end, FILE* from), (line, size, end, from))

// An entry lies in the directory's buffer, which threads that share the directory share as well.
#define READS_ENTRY(name, entry_type)                                    \
  DEADHEAT_INTERCEPT(entry_type*, name, DIR* directory) {                \
    Entry entry(DEADHEAT_CALLER);                                        \
    entry_type* const result = REAL(name)(directory);                    \
    if (result != nullptr) write_range(entry, result, result->d_reclen); \
    return result;                                                       \
  }
READS_ENTRY(readdir, dirent)
READS_ENTRY(readdir64, dirent64)

// ---- the network ----

DEADHEAT_INTERCEPT(const char*, inet_ntop, int family, const void* from, char* to, socklen_t size) {
  Entry entry(DEADHEAT_CALLER);
  const char* const result = REAL(inet_ntop)(family, from, to, size);
  if (result != nullptr) wrote_text(entry, result);
  return result;
}
DEADHEAT_INTERCEPT(int, inet_pton, int family, const char* text, void* to) {
  Entry entry(DEADHEAT_CALLER);
  const int result = REAL(inet_pton)(family, text, to);
  if (result == 1) write_range(entry, to, family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr));
  return result;
}
FILLS(int, inet_aton, (const char* text, in_addr* to), (text, to), result != 0, to)
FILLS(int, getaddrinfo, (const char* name, const char* service, const addrinfo* hints, addrinfo** to),
      (name, service, hints, to), result == 0, to)
// As much as there is room for; then the length says how much there was.
#define NAMES_END(name, parameters, arguments)                   \
  DEADHEAT_INTERCEPT(int, name, DEADHEAT_UNWRAPPED parameters) { \
    Entry entry(DEADHEAT_CALLER);                                \
    const socklen_t room = length == nullptr ? 0 : *length;      \
    const int result = REAL(name) arguments;                     \
    if (result != 0) return result;                              \
    write_range(entry, to, *length < room ? *length : room);     \
    wrote(entry, length);                                        \
    return result;                                               \
  }
NAMES_END(getsockname, (int fd, sockaddr* to, socklen_t* length), (fd, to, length))
NAMES_END(getpeername, (int fd, sockaddr* to, socklen_t* length), (fd, to, length))
NAMES_END(getsockopt, (int fd, int level, int option, void* to, socklen_t* length), (fd, level, option, to, length))

// ---- the process and the system ----

FILLS(int, getrusage, (int who, struct rusage* to), (who, to), result == 0, to)
FILLS(int, uname, (utsname * to), (to), result == 0, to)
FILLS(int, sysinfo, (struct sysinfo * to), (to), result == 0, to)
FILLS(pid_t, wait, (int* to), (to), result > 0, to)
FILLS(pid_t, waitpid, (pid_t process, int* to, int options), (process, to, options), result > 0, to)
DEADHEAT_INTERCEPT(int, gethostname, char* to, size_t size) {
  Entry entry(DEADHEAT_CALLER);
  const int result = REAL(gethostname)(to, size);
  if (result == 0 && size != 0) wrote_text(entry, to);
  return result;
}
DEADHEAT_INTERCEPT(int, getloadavg, double* to, int count) {
  Entry entry(DEADHEAT_CALLER);
  const int result = REAL(getloadavg)(to, count);
  if (result > 0) wrote(entry, to, static_cast<size_t>(result));
  return result;
}
DEADHEAT_INTERCEPT(ssize_t, getrandom, void* to, size_t size, unsigned flags) {
  Entry entry(DEADHEAT_CALLER);
  const ssize_t result = REAL(getrandom)(to, size, flags);
  if (result > 0) write_range(entry, to, static_cast<size_t>(result));
  return result;
}
DEADHEAT_INTERCEPT(int, getentropy, void* to, size_t size) {
  Entry entry(DEADHEAT_CALLER);
  const int result = REAL(getentropy)(to, size);
  if (result == 0) write_range(entry, to, size);
  return result;
}

// ---- blocks ----

DEADHEAT_WATCHED(void, explicit_bzero, (void* to, size_t bytes), write_range(entry, to, bytes),
                 REAL(explicit_bzero)(to, bytes))
DEADHEAT_WATCHED(wchar_t*, wmemset, (wchar_t * to, wchar_t value, size_t count), wrote(entry, to, count),
                 REAL(wmemset)(to, value, count))
#define WIDE_COPY(name) \
  DEADHEAT_WATCHED(wchar_t*, name, (wchar_t * to, const wchar_t* from, size_t count),          \
                   read_range(entry, from, count * sizeof *from), wrote(entry, to, count),     \
                   REAL(name)(to, from, count))
WIDE_COPY(wmemcpy)
WIDE_COPY(wmemmove)

// The array counts as written before it is sorted: the comparison is code of the program, and may leave.
template <class Sort>
void sorting(const void* caller, const void* array, size_t count, size_t size, Sort sort) {
  {
    Entry entry(caller);
    if (count > 1) write_range(entry, array, count * size);
  }
  sort();
}
DEADHEAT_INTERCEPT(void, qsort, void* array, size_t count, size_t size, int (*compare)(const void*, const void*)) {
  sorting(DEADHEAT_CALLER, array, count, size, [&] { REAL(qsort)(array, count, size, compare); });
}
DEADHEAT_INTERCEPT(void, qsort_r, void* array, size_t count, size_t size,
                   int (*compare)(const void*, const void*, void*), void* data) {
  sorting(DEADHEAT_CALLER, array, count, size, [&] { REAL(qsort_r)(array, count, size, compare, data); });
}
