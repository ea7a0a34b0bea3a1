// Functions of the C library that read or write memory of the program: strings, blocks of memory, streams.
//
// Only those bytes are checked that the function had to look at: a comparison ends with the first difference, a search
// with what it found. Functions that only read are checked after the call, because they change nothing. While a thread
// is alone, nothing can race, and the first byte is enough to see that the memory was freed.
#include <cstdio>
#include <cstring>
#include <cwchar>

#include "capture/intercept.h"

using namespace deadheat::live;

namespace {

size_t length_of(const char* text) {
  size_t n = 0;
  while (text[n] != 0) ++n;
  return n;
}
size_t length_within(const char* text, size_t most) {
  size_t n = 0;
  while (n < most && text[n] != 0) ++n;
  return n;
}
// How many bytes of a text have to be checked: it is read up to its end, or to `most`.
size_t looked_at(const Entry& entry, const char* text) { return entry.is_alone() ? 1 : length_of(text) + 1; }
size_t looked_at(const Entry& entry, const char* text, size_t most) {
  const size_t n = entry.is_alone() ? 0 : length_within(text, most);
  return n < most ? n + 1 : n;
}
void text_read(const Entry& entry, const char* text) { read_range(entry, text, looked_at(entry, text)); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// How many bytes of both a comparison looked at.
template <class Same>
size_t compared(const char* a, const char* b, size_t most, Same same) {
  size_t n = 0;
  while (n < most && same(a[n], b[n]) && a[n] != 0) ++n;
  return n < most ? n + 1 : n;
}
template <class Same>
void both_read(const Entry& entry, const char* a, const char* b, size_t most, Same same) {
  const size_t n = compared(a, b, entry.is_alone() && most > 1 ? 1 : most, same);
  read_range(entry, a, n);
  read_range(entry, b, n);
}
// How many bytes at the beginning are the same in both.
size_t same_bytes(const char* a, const char* b, size_t bytes) {
  size_t n = 0;
  for (; n + 8 <= bytes; n += 8) {
    uint64_t x, y;
    __builtin_memcpy(&x, a + n, 8);
    __builtin_memcpy(&y, b + n, 8);
    if (x != y) return n + static_cast<size_t>(__builtin_ctzll(x ^ y)) / 8;
  }
  while (n < bytes && a[n] == b[n]) ++n;
  return n;
}
void blocks_read(const Entry& entry, const char* a, const char* b, size_t bytes) {
  const size_t same = entry.is_alone() ? 0 : same_bytes(a, b, bytes);
  const size_t n = same < bytes ? same + 1 : bytes;
  read_range(entry, a, n);
  read_range(entry, b, n);
}
void appended(const Entry& entry, const char* to, const char* from, size_t read, size_t added) {
  const size_t before = entry.is_alone() ? 0 : length_of(to);
  read_range(entry, from, read);
  read_range(entry, to, before);
  write_range(entry, to + before, added);
}
constexpr auto kSame = [](char x, char y) { return x == y; };
constexpr auto kSameLetter = [](char x, char y) { return lower(x) == lower(y); };

}  // namespace

// ---- reading ----

DEADHEAT_INTERCEPT(size_t, strlen, const char* text) {
  Entry entry(Called::kStrlen, DEADHEAT_CALLER);
  if (!entry.watched()) return length_of(text);  // called before anything is bound, too
  const size_t n = REAL(strlen)(text);
  read_range(entry, text, entry.is_alone() ? 1 : n + 1);
  return n;
}
DEADHEAT_INTERCEPT(size_t, strnlen, const char* text, size_t most) {
  Entry entry(DEADHEAT_CALLER);
  const size_t n = REAL(strnlen)(text, most);
  read_range(entry, text, n < most ? n + 1 : n);
  return n;
}
DEADHEAT_INTERCEPT(int, strcmp, const char* a, const char* b) {
  Entry entry(Called::kStrcmp, DEADHEAT_CALLER);
  both_read(entry, a, b, SIZE_MAX, kSame);
  return REAL(strcmp)(a, b);
}
DEADHEAT_WATCHED(int, strncmp, (const char* a, const char* b, size_t most), both_read(entry, a, b, most, kSame),
                 REAL(strncmp)(a, b, most))
DEADHEAT_WATCHED(int, strcasecmp, (const char* a, const char* b), both_read(entry, a, b, SIZE_MAX, kSameLetter),
                 REAL(strcasecmp)(a, b))
DEADHEAT_WATCHED(int, strncasecmp, (const char* a, const char* b, size_t most),
                 both_read(entry, a, b, most, kSameLetter), REAL(strncasecmp)(a, b, most))
#define MEMCMP(name)                                                                     \
  DEADHEAT_INTERCEPT(int, name, const void* a, const void* b, size_t bytes) {            \
    Entry entry(Called::kMemcmp, DEADHEAT_CALLER);                                       \
    blocks_read(entry, static_cast<const char*>(a), static_cast<const char*>(b), bytes); \
    return REAL(name)(a, b, bytes);                                                      \
  }
MEMCMP(memcmp)
MEMCMP(bcmp)
DEADHEAT_INTERCEPT(void*, memchr, const void* block, int value, size_t bytes) {
  Entry entry(DEADHEAT_CALLER);
  void* found = REAL(memchr)(block, value, bytes);
  const size_t looked =
      found == nullptr ? bytes : static_cast<size_t>(static_cast<char*>(found) - static_cast<const char*>(block)) + 1;
  read_range(entry, block, looked);
  return found;
}
DEADHEAT_INTERCEPT(void*, memrchr, const void* block, int value, size_t bytes) {
  Entry entry(DEADHEAT_CALLER);
  void* found = REAL(memrchr)(block, value, bytes);
  const char* end = static_cast<const char*>(block) + bytes;
  const char* from = found == nullptr ? static_cast<const char*>(block) : static_cast<const char*>(found);
  read_range(entry, from, static_cast<size_t>(end - from));
  return found;
}
DEADHEAT_INTERCEPT(void*, memmem, const void* block, size_t bytes, const void* wanted, size_t wanted_bytes) {
  Entry entry(DEADHEAT_CALLER);
  void* found = REAL(memmem)(block, bytes, wanted, wanted_bytes);
  read_range(entry, block,
             found == nullptr
                 ? bytes
                 : static_cast<size_t>(static_cast<char*>(found) - static_cast<const char*>(block)) + wanted_bytes);
  read_range(entry, wanted, wanted_bytes);
  return found;
}

#define FIND(name, when_not_found)                                                                              \
  DEADHEAT_INTERCEPT(char*, name, const char* text, int wanted) {                                               \
    Entry entry(DEADHEAT_CALLER);                                                                               \
    char* found = REAL(name)(text, wanted);                                                                     \
    read_range(entry, text, (when_not_found) ? looked_at(entry, text) : static_cast<size_t>(found - text) + 1); \
    return found;                                                                                               \
  }
FIND(strchr, found == nullptr)
FIND(strchrnul, false)
FIND(strrchr, true)

#define TWO_TEXTS(type, name) \
  DEADHEAT_WATCHED(type, name, (const char* a, const char* b), text_read(entry, a), text_read(entry, b), REAL(name)(a, b))
TWO_TEXTS(char*, strstr)
TWO_TEXTS(char*, strcasestr)
TWO_TEXTS(char*, strpbrk)
TWO_TEXTS(size_t, strspn)
TWO_TEXTS(size_t, strcspn)

// ---- writing ----

#define COPY(name)                                              \
  DEADHEAT_INTERCEPT(char*, name, char* to, const char* from) { \
    Entry entry(DEADHEAT_CALLER);                               \
    const size_t n = looked_at(entry, from);                    \
    read_range(entry, from, n);                                 \
    write_range(entry, to, n);                                  \
    return REAL(name)(to, from);                                \
  }
COPY(strcpy)
COPY(stpcpy)
#define COPY_WITHIN(name) \
  DEADHEAT_WATCHED(char*, name, (char* to, const char* from, size_t bytes),             \
                   read_range(entry, from, looked_at(entry, from, bytes)),              \
                   write_range(entry, to, bytes), REAL(name)(to, from, bytes))
COPY_WITHIN(strncpy)
COPY_WITHIN(stpncpy)
DEADHEAT_WATCHED(char*, strcat, (char* to, const char* from),
                 appended(entry, to, from, looked_at(entry, from), looked_at(entry, from)), REAL(strcat)(to, from))
DEADHEAT_WATCHED(char*, strncat, (char* to, const char* from, size_t most),
                 appended(entry, to, from, looked_at(entry, from, most),
                          length_within(from, entry.is_alone() ? 0 : most) + 1),
                 REAL(strncat)(to, from, most))
DEADHEAT_WATCHED(void*, mempcpy, (void* to, const void* from, size_t bytes), read_range(entry, from, bytes),
                 write_range(entry, to, bytes), REAL(mempcpy)(to, from, bytes))
#define BZERO(name) DEADHEAT_WATCHED(void, name, (void* to, size_t bytes), write_range(entry, to, bytes), REAL(name)(to, bytes))
BZERO(bzero)
BZERO(__bzero)

// The copy is a block of the program: malloc is asked by its own name.
#define DUPLICATE(name) DEADHEAT_WATCHED(char*, name, (const char* text), text_read(entry, text), REAL(name)(text))
DUPLICATE(strdup)
DUPLICATE(__strdup)
#define DUPLICATE_WITHIN(name) \
  DEADHEAT_WATCHED(char*, name, (const char* text, size_t most), \
                   read_range(entry, text, looked_at(entry, text, most)), REAL(name)(text, most))
DUPLICATE_WITHIN(strndup)
DUPLICATE_WITHIN(__strndup)

DEADHEAT_INTERCEPT(char*, strerror_r, int error, char* buffer, size_t bytes) {
  Entry entry(DEADHEAT_CALLER);
  char* text = REAL(strerror_r)(error, buffer, bytes);
  if (text == buffer) write_range(entry, buffer, looked_at(entry, buffer));
  return text;
}
DEADHEAT_INTERCEPT(int, __xpg_strerror_r, int error, char* buffer, size_t bytes) {
  Entry entry(DEADHEAT_CALLER);
  const int result = REAL(__xpg_strerror_r)(error, buffer, bytes);
  write_range(entry, buffer, looked_at(entry, buffer, bytes));
  return result;
}

// ---- streams: the buffers of the caller; a stream has its own lock ----

DEADHEAT_INTERCEPT(size_t, fread, void* to, size_t size, size_t count, FILE* stream) {
  Entry entry(DEADHEAT_CALLER);
  const size_t n = REAL(fread)(to, size, count, stream);
  write_range(entry, to, n * size);
  return n;
}
DEADHEAT_WATCHED(size_t, fwrite, (const void* from, size_t size, size_t count, FILE* stream),
                 read_range(entry, from, size* count), REAL(fwrite)(from, size, count, stream))
DEADHEAT_INTERCEPT(char*, fgets, char* to, int most, FILE* stream) {
  Entry entry(DEADHEAT_CALLER);
  char* result = REAL(fgets)(to, most, stream);
  if (result != nullptr) write_range(entry, to, looked_at(entry, to));
  return result;
}
DEADHEAT_WATCHED(int, fputs, (const char* text, FILE* stream), text_read(entry, text), REAL(fputs)(text, stream))
DEADHEAT_WATCHED(int, puts, (const char* text), text_read(entry, text), REAL(puts)(text))
