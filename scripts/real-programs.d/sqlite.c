/* Work for sqlite: threads with a connection each fill, change and read one database, in two modes one after the other:
   a write-ahead log, and a cache that the connections share. Prints what is in it at the end. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sqlite3.h"

enum { kThreads = 4 };
static const char* file;
static int rows;

static int patience(void* unused, int tries) {
  (void)unused;
  (void)tries;
  struct timespec pause = {0, 200000};
  nanosleep(&pause, NULL);
  return 1;
}
static void run(sqlite3* connection, const char* text) {
  char* message = NULL;
  int status;
  do { /* a shared cache says "locked", which no busy handler hears of */
    sqlite3_free(message);
    message = NULL;
    status = sqlite3_exec(connection, text, NULL, NULL, &message);
    if ((status & 0xff) == SQLITE_LOCKED) patience(NULL, 0);
  } while ((status & 0xff) == SQLITE_LOCKED || (status & 0xff) == SQLITE_BUSY);
  if (status != SQLITE_OK) {
    fprintf(stderr, "%s: %s\n", text, message);
    exit(1);
  }
}
static sqlite3* open_connection(void) {
  sqlite3* connection;
  if (sqlite3_open_v2(file, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, NULL)) exit(1);
  sqlite3_busy_handler(connection, patience, NULL);
  run(connection, "PRAGMA synchronous=off");
  return connection;
}
static void* work(void* argument) {
  const int me = (int)(long)argument;
  sqlite3* connection = open_connection();
  char text[200];
  for (int i = 0; i < rows; i += 20) {
    run(connection, "BEGIN IMMEDIATE");
    for (int j = i; j < i + 20; ++j) {
      snprintf(text, sizeof text, "INSERT INTO t VALUES(%d, %d, 'row %d of thread %d')", me * 1000000 + j, j % 31, j,
               me);
      run(connection, text);
    }
    snprintf(text, sizeof text, "UPDATE t SET b = b || '!' WHERE a = %d AND id / 1000000 = %d", i % 31, me);
    run(connection, text);
    run(connection, "COMMIT");
    run(connection, "SELECT a, count(*), max(b) FROM t WHERE a < 5 GROUP BY a ORDER BY 2");
  }
  sqlite3_close(connection);
  return NULL;
}
static int show(void* unused, int columns, char** values, char** names) {
  (void)unused;
  (void)names;
  for (int i = 0; i < columns; ++i) printf("%s%s", i ? " " : "", values[i]);
  printf("\n");
  return 0;
}
static void all(const char* name, const char* mode) {
  file = name;
  sqlite3* connection = open_connection();
  run(connection, mode);
  run(connection,
      "DROP TABLE IF EXISTS t; CREATE TABLE t(id INTEGER PRIMARY KEY, a INT, b TEXT); CREATE INDEX i ON t(a)");
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  sqlite3_exec(connection, "SELECT count(*), sum(a), sum(length(b)), min(b), max(b) FROM t; PRAGMA integrity_check",
               show, NULL, NULL);
  sqlite3_close(connection);
}
int main(int argc, char** argv) {
  rows = atoi(argv[1]);
  const time_t end = time(NULL) + (argc > 2 ? atoi(argv[2]) : 0);
  do {
    all("file:log.db", "PRAGMA journal_mode=wal");
    all("file:shared.db?cache=shared", "PRAGMA journal_mode=memory");
  } while (time(NULL) < end);
  return 0;
}
