/* Work for libuv that goes on: jobs of the pool that are queued again when they are done, threads that wake the loop.
 */
#include <stdlib.h>
#include <uv.h>

enum { kJobs = 32, kWakers = 2 };
static uv_work_t jobs[kJobs];
static int sums[kJobs];
static uv_async_t asyncs[kWakers];
static uv_thread_t wakers[kWakers];
static uv_mutex_t lock;
static uint64_t woken, end;
static int ending;

static int is_ending(void) {
  uv_mutex_lock(&lock);
  const int result = ending;
  uv_mutex_unlock(&lock);
  return result;
}
static void work(uv_work_t* job) {
  char* memory = malloc(1000);
  for (int i = 0; i < 1000; ++i) memory[i] = (char)i;
  for (int i = 0; i < 1000; ++i) sums[job - jobs] += memory[i];
  free(memory);
}
static void done(uv_work_t* job, int status) {
  (void)status;
  if (uv_hrtime() < end) {
    uv_queue_work(job->loop, job, work, done);
    return;
  }
  uv_mutex_lock(&lock);
  ending = 1;
  uv_mutex_unlock(&lock);
}
static void on_wake(uv_async_t* async) {
  ++woken;
  if (is_ending() && !uv_is_closing((uv_handle_t*)async)) uv_close((uv_handle_t*)async, NULL);
}
static void wake(void* argument) {
  while (!is_ending()) {
    uv_async_send(argument);
    uv_sleep(1);
  }
}
int main(int argc, char** argv) {
  uv_loop_t* loop = uv_default_loop();
  end = uv_hrtime() + strtoull(argv[argc - 1], NULL, 10) * 1000000000u;
  uv_mutex_init(&lock);
  for (int i = 0; i < kWakers; ++i) {
    uv_async_init(loop, &asyncs[i], on_wake);
    uv_thread_create(&wakers[i], wake, &asyncs[i]);
  }
  for (int i = 0; i < kJobs; ++i) uv_queue_work(loop, &jobs[i], work, done);
  while (!is_ending()) uv_run(loop, UV_RUN_ONCE);
  for (int i = 0; i < kWakers; ++i) uv_thread_join(&wakers[i]);
  for (int i = 0; i < kWakers; ++i) uv_async_send(&asyncs[i]);
  uv_run(loop, UV_RUN_DEFAULT);
  return woken == 0;
}
