// Reports: many, with long stacks, of other kinds, and questions about symbols meanwhile.
#include <cstring>

#include "pairs.h"

extern "C" {
__attribute__((weak)) void __sanitizer_symbolize_pc(void* pc, const char* format, char* buffer, size_t capacity);
__attribute__((weak)) const char* __tsan_locate_address(void* address, char* name, size_t capacity, void** begin,
                                                        size_t* bytes);
__attribute__((weak)) int __sanitizer_get_module_and_offset_for_pc(void* pc, char* path, size_t capacity,
                                                                   void** offset);
}

// Names that are asked for.
int apple[3], pear[5];
__attribute__((noinline)) int plum(int a) { return apple[a % 3] + 1; }
__attribute__((noinline)) int cherry(int a) { return pear[a % 5] + 2; }

// Races of the same two lines on different globals are told one by one.
#define GLOBALS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9)
#define DEFINE(n) int many_raced_##n[2];
GLOBALS(DEFINE)
#undef DEFINE

namespace pairs {

// Not within this file alone: a compiler leaves out writes that nobody could read.
int deep_raced[2];

namespace {

#define ADDRESS(n) many_raced_##n,
int* const many[] = {GLOBALS(ADDRESS)};
#undef ADDRESS

void many_round(Side& side) {
  if (side.round != 0) return;
  one_after_the_other(
      [&] {
        for (int* one : many) {
          one[side.index] = 1;  // race many
        }
      },
      [&] {
        for (int* one : many) {
          one[side.index] = 2;  // race many
        }
      });
}

__attribute__((noinline)) void write_deep(int side, int depth, int value) {
  if (depth > 0) {
    write_deep(side, depth - 1, value);
    __asm__ volatile("");
  } else if (value == 1) {
    deep_raced[side] = 1;  // race deep
  } else {
    deep_raced[side] = 2;  // race deep
  }
}
void deep_round(Side& side) {
  if (side.round != 0) return;
  one_after_the_other([&] { write_deep(side.index, 240, 1); }, [&] { write_deep(side.index, 240, 2); });
}

void order_round(Side& side) {
  if (side.round != 0) return;
  static pthread_mutex_t mutexes[2][2] = {{PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER},
                                          {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER}};
  pthread_mutex_t *const one = &mutexes[side.index][0], *const other = &mutexes[side.index][1];
  one_after_the_other(
      [&] {
        pthread_mutex_lock(one);
        pthread_mutex_lock(other);
        pthread_mutex_unlock(other);
        pthread_mutex_unlock(one);
      },
      [&] {
        pthread_mutex_lock(other);
        pthread_mutex_lock(one);
        pthread_mutex_unlock(one);
        pthread_mutex_unlock(other);
      });
}

void ask(void* code, const char* function, int* data, const char* variable, size_t bytes) {
  char text[4096];
  void* begin = nullptr;
  size_t size = 0;
  __sanitizer_symbolize_pc(static_cast<char*>(code) + 1, "%f", text, sizeof text);
  must(std::strcmp(text, function) == 0);
  const char* const kind = __tsan_locate_address(data + 1, text, sizeof text, &begin, &size);
  must(std::strcmp(kind, "global") == 0 && std::strcmp(text, variable) == 0 && begin == data && size == bytes);
  must(__sanitizer_get_module_and_offset_for_pc(code, text, sizeof text, &begin) == 1);
  must(std::strstr(text, "pairs") != nullptr);
}
void question_round(Side&) {
  if (!watched()) return;
  Running first([] {
    for (int i = 0; i < 5; ++i) ask(reinterpret_cast<void*>(&plum), "plum(int)", apple, "apple", sizeof apple);
  });
  for (int i = 0; i < 5; ++i) ask(reinterpret_cast<void*>(&cherry), "cherry(int)", pear, "pear", sizeof pear);
}

constexpr Feature kFeatures[] = {
    {.name = "report-many", .round = many_round, .tells = "many*10"},
    {.name = "report-deep", .round = deep_round, .tells = "deep"},
    {.name = "report-lock-order", .round = order_round, .tells = "@lock-order-inversion"},
    {.name = "report-questions", .round = question_round},
};

}  // namespace

std::span<const Feature> report_features() { return kFeatures; }

}  // namespace pairs
