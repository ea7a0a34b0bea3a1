// Threads are divided into classes, each with read cells of its own (live/shadow/shadow.h). A class has at most one live
// thread, but for the last, which has all those that found no other. More classes would cost address space.
#pragma once

#include <cstdint>

#include "live/ground/limits.h"

namespace deadheat::live {

enum class ReaderClass : uint8_t {};

inline constexpr unsigned kReaderClasses = limit(6, 3);
inline constexpr ReaderClass kCommonClass{kReaderClasses - 1};
inline constexpr ReaderClass kNoClass{kReaderClasses};

// A set of them.
class ReaderSet {
 public:
  constexpr ReaderSet() = default;
  static constexpr ReaderSet all() { return ReaderSet((1u << kReaderClasses) - 1); }
  explicit constexpr ReaderSet(ReaderClass c) : bits_(static_cast<uint16_t>(1u << static_cast<unsigned>(c))) {}

  constexpr bool has(ReaderClass c) const { return (bits_ >> static_cast<unsigned>(c) & 1) != 0; }
  constexpr bool is_empty() const { return bits_ == 0; }
  constexpr ReaderSet without(ReaderClass c) const { return ReaderSet(bits_ & ~ReaderSet(c).bits_); }
  constexpr ReaderSet with(ReaderClass c) const { return ReaderSet(bits_ | ReaderSet(c).bits_); }

  struct Iterator {
    unsigned left;
    ReaderClass operator*() const { return static_cast<ReaderClass>(__builtin_ctz(left)); }
    Iterator& operator++() {
      left &= left - 1;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return left != other.left; }
  };
  Iterator begin() const { return {bits_}; }
  Iterator end() const { return {0}; }

 private:
  explicit constexpr ReaderSet(unsigned bits) : bits_(static_cast<uint16_t>(bits)) {}
  uint16_t bits_ = 0;
};
static_assert(sizeof(ReaderSet) == 2);
inline constexpr ReaderSet kNoReaders;

// One value for each class.
template <class T>
struct PerClass {
  T of[kReaderClasses];
  T& operator[](ReaderClass c) { return of[static_cast<unsigned>(c)]; }
  const T& operator[](ReaderClass c) const { return of[static_cast<unsigned>(c)]; }
};

}  // namespace deadheat::live
