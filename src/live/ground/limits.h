// Limits that only large or long runs reach, and their small forms for tests.
//
// A build with DEADHEAT_SMALL_LIMITS (the preset `small`) has the second of each pair of values: few numbers of epochs in
// a chunk, few classes of readers, tables that are full after a few entries. What otherwise happens to one program in a
// thousand then happens to every one: test/live_oracle plays its programs there.
#pragma once

namespace deadheat::live {

#ifdef DEADHEAT_SMALL_LIMITS
inline constexpr bool kSmallLimits = true;
#else
inline constexpr bool kSmallLimits = false;
#endif

template <class Value>
constexpr Value limit(Value usual, Value small) {
  return kSmallLimits ? small : usual;
}

}  // namespace deadheat::live
