// Memory that was freed and is handed out again, by whatever function, is as good as new.
// EXPECT none
#include <malloc.h>
#include <string.h>

#include <memory>
#include <string>
#include <vector>

#include "order.h"
static void use(void* block, size_t bytes) {
  auto* p = static_cast<volatile char*>(block);
  for (size_t i = 0; i < bytes; ++i) p[i] = static_cast<char>(i);
  for (size_t i = 0; i < bytes; ++i) USE(p[i]);
}
static void take_and_give() {
  for (size_t bytes : {24, 100, 1000, 3000, 20000, 100000, 300000}) {
    for (int i = 0; i < 3; ++i) {
      void* block = malloc(bytes);
      use(block, bytes);
      free(block);
      block = calloc(1, bytes);
      use(block, bytes);
      block = realloc(block, bytes * 2);
      use(block, bytes * 2);
      free(block);
      block = memalign(256, bytes);
      use(block, bytes);
      free(block);
      if (posix_memalign(&block, 4096, bytes) != 0) abort();
      use(block, bytes);
      free(block);
      block = aligned_alloc(64, bytes / 64 * 64 + 64);
      use(block, bytes);
      free(block);
      auto* array = new char[bytes];
      use(array, bytes);
      delete[] array;
      // In pieces: what was one block before.
      void* pieces[10];
      for (void*& piece : pieces) piece = malloc(bytes / 10 + 1);
      for (void* piece : pieces) use(piece, bytes / 10 + 1);
      for (void* piece : pieces) free(piece);
      std::string text(bytes, 'a');
      std::vector<std::shared_ptr<int>> all;
      for (int j = 0; j < 50; ++j) all.push_back(std::make_shared<int>(j));
      for (auto& one : all) *one += 1;
    }
  }
}
int main() {
  take_and_give();
  RUN(take_and_give, take_and_give);
  take_and_give();
}
