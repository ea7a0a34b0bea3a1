// Limits that only large or long runs reach, and their small forms for tests.
//
// A build with DEADHEAT_SMALL_LIMITS (the preset `small`) has the second of each pair of values: few epoch ids in a
// chunk, few classes of readers, tables that are full after a few entries. Then every program reaches limits that
// otherwise one in a thousand reaches. test/live_oracle runs its programs there, too.
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
