// What functions of the C library write into memory of their caller is written by the caller.
// EXPECT race
// FLAGS -fno-builtin -Wno-deprecated-declarations
#include <arpa/inet.h>
#include <dirent.h>
#include <netdb.h>
#include <poll.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "order.h"
static const time_t when = 1000000;
static const struct tm day;
static const struct in_addr address;
static sem_t semaphore;
static DIR* directory;
static int listener, watched, epoll, pipe_ends[2];
static int less(const void* a, const void* b) { return a < b ? -1 : 1; }  // reads nothing
// Each use has memory of its own.
static char memory[64][1024];
static _Thread_local int used;
static void* next(void) { return memory[used++]; }
static int print(char* to, const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int n = vsnprintf(to, 100, format, values);  // race vsnprintf
  va_end(values);
  return n;
}
static void all(void) {
  used = 0;
  snprintf(next(), 100, "%d", 5);  // race snprintf
  sprintf(next(), "%s", "text");   // race sprintf
  print(next(), "%d", 5);
  clock_gettime(CLOCK_MONOTONIC, next());             // race clock
  clock_getres(CLOCK_MONOTONIC, next());              // race resolution
  gettimeofday(next(), NULL);                         // race gettimeofday
  time(next());                                       // race time
  times(next());                                      // race times
  getitimer(ITIMER_REAL, next());                     // race getitimer
  localtime(&when);                                   // race localtime
  localtime_r(&when, next());                         // race localtimer
  gmtime_r(&when, next());                            // race gmtimer
  ctime_r(&when, next());                             // race ctimer
  asctime_r(&day, next());                            // race asctimer
  strptime("2020", "%Y", next());                     // race strptime
  strftime(next(), 20, "%Y", &day);                   // race strftime
  stat("/", next());                                  // race stat
  lstat("/", next());                                 // race lstat
  fstat(listener, next());                            // race fstat
  statfs("/", next());                                // race statfs
  statvfs("/", next());                               // race statvfs
  getcwd(next(), 1024);                               // race getcwd
  MUST(readlink("/proc/self/exe", next(), 999) > 0);  // race readlink
  MUST(realpath("/", next()) != NULL);                // race realpath
  rewinddir(directory);
  readdir(directory);                        // race readdir
  inet_ntop(AF_INET, &address, next(), 50);  // race inetntop
  inet_pton(AF_INET, "1.2.3.4", next());     // race inetpton
  inet_aton("1.2.3.4", next());              // race inetaton
  socklen_t length = 100;
  getsockname(listener, next(), &length);  // race getsockname
  length = 100;
  getsockopt(listener, SOL_SOCKET, SO_TYPE, next(), &length);  // race getsockopt
  struct pollfd* polled = next();
  poll(polled, 1, 0);                          // race poll
  MUST(epoll_wait(epoll, next(), 1, 0) == 1);  // race epoll
  getrusage(RUSAGE_SELF, next());              // race getrusage
  uname(next());                               // race uname
  sysinfo(next());                             // race sysinfo
  sem_getvalue(&semaphore, next());            // race semgetvalue
  gethostname(next(), 100);                    // race gethostname
  MUST(getloadavg(next(), 3) == 3);            // race getloadavg
  MUST(getrandom(next(), 9, 0) == 9);          // race getrandom
  MUST(getentropy(next(), 9) == 0);            // race getentropy
  explicit_bzero(next(), 9);                   // race explicitbzero
  wmemset(next(), 1, 9);                       // race wmemset
  wmemcpy(next(), L"text", 4);                 // race wmemcpy
  qsort(next(), 9, sizeof(int), less);         // race qsort
}
static void first(void) {
  all();
  reach(1);
}
static void second(void) {
  await(1);
  all();
}
int main(void) {
  MUST(sem_init(&semaphore, 0, 1) == 0);
  directory = opendir("/");
  listener = socket(AF_INET, SOCK_STREAM, 0);
  epoll = epoll_create1(0);
  MUST(pipe(pipe_ends) == 0);
  watched = pipe_ends[1];
  struct epoll_event event = {.events = EPOLLOUT};
  MUST(directory != NULL && listener >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, watched, &event) == 0);
  RUN(first, second);
}
