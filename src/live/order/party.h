// A live thread as the rules of order see it (detect/order_rules.h), while it carries out one operation.
//
// The clock that an operation publishes to may belong to a sync object; then the thread holds the lock of its chain. A
// tick may collect epoch ids, which must not happen under that lock. So the party only remembers that it published, and
// ticks when it ends: it begins before the lock is taken, and ends after the lock is left.
// Tested by test/unit/live_order_test.cpp, test/programs
#pragma once

#include <new>

#include "detect/order_rules.h"
#include "live/ground/heap.h"
#include "live/order/sync.h"
#include "live/order/thread.h"

namespace deadheat::live {

class Party {
 public:
  explicit Party(Thread& t) : t_(t) {}
  ~Party() {
    if (published_) tick(t_);
  }
  Party(const Party&) = delete;
  Party& operator=(const Party&) = delete;

  LiveClock& Fr() { return t_.release_fence; }
  LiveClock& Fa() { return t_.seen_relaxed; }

  void take(const LiveClock& X) { learn(t_, X); }
  void take(const LiveClock* X) {
    if (X != nullptr) learn(t_, *X);
  }
  void take(const SyncLock& object) {
    if (const SyncObject* o = object.find()) learn(t_, o->S);
  }

  void publish(LiveClock& Y, order::How how) {
    published_ = true;
    // A clock that is assigned is pure, which a later acquire looks at first.
    if (how == order::How::kAssign || Y.empty())
      Y.assign(t_.C, publish_epoch(t_));
    else
      Y.join(t_.C, publish_epoch(t_));
  }
  void publish(LiveClock*& Y, order::How how) {
    if (Y == nullptr) Y = new (heap_allocate(sizeof(LiveClock))) LiveClock;
    publish(*Y, how);
  }
  void publish(SyncLock& object, order::How how) { publish(object.make().S, how); }

  void pass_on(LiveClock& Y, const SyncLock& object, order::How how) {
    if (const SyncObject* o = object.find()) put(Y, o->S, how);
  }
  void pass_on(SyncLock& object, const LiveClock& X, order::How how) {
    if (!X.empty()) return put(object.make().S, X, how);
    SyncObject* const o = how == order::How::kAssign ? object.find() : nullptr;
    if (o != nullptr) o->S.clear();
  }

  void clear(LiveClock* Y) {
    if (Y != nullptr) Y->clear();
  }

 private:
  static void put(LiveClock& Y, const LiveClock& X, order::How how) {
    if (how == order::How::kAssign || Y.empty())
      Y.assign(X);
    else
      Y.join(X);
  }

  Thread& t_;
  bool published_ = false;
};

}  // namespace deadheat::live
