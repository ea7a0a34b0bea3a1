// A building with elevators: people call, cars fetch and deliver them; locks and condition variables.
// The ETH benchmark of the same name, as used by FastTrack
//
// The original has no race. Planted: with --race a display shows the floor of each car without its lock.
#include <algorithm>
#include <deque>

#include "program.h"

namespace {

constexpr int kFloors = 20;

struct Person {
  int from = 0;
  int to = 0;
  int arrived_at = -1;
};

class Car {
 public:
  OWN_LINES void go_to(int floor) {
    while (true) {
      std::scoped_lock lock(mutex_);
      if (floor_ == floor) return;
      floor_ += floor > floor_ ? 1 : -1;  // race display
      ++travelled_;
    }
  }
  int floor() {
    std::scoped_lock lock(mutex_);
    return floor_;
  }
  OWN_LINES int floor_unlocked() const {
    return floor_;  // race display
  }
  long travelled() {
    std::scoped_lock lock(mutex_);
    return travelled_;
  }

 private:
  std::mutex mutex_;
  int floor_ = 0;
  long travelled_ = 0;
};

class Building {
 public:
  void call(Person* person) {
    std::scoped_lock lock(mutex_);
    waiting_.push_back(person);
    changed_.notify_one();
  }
  void close() {
    std::scoped_lock lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  // Up to four people who wait at the same floor; none when the building is closed and empty.
  std::vector<Person*> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
    std::vector<Person*> group;
    if (waiting_.empty()) return group;
    const int floor = waiting_.front()->from;
    std::erase_if(waiting_, [&](Person* person) {
      if (person->from != floor || group.size() == 4) return false;
      group.push_back(person);
      return true;
    });
    return group;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Person*> waiting_;
  bool closed_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  const program::Arguments given = program::arguments("elevator", argc, argv);
  std::vector<Person> people(static_cast<std::size_t>(200 * given.size));
  program::Random random(8);
  for (Person& person : people) {
    person.from = random.below(kFloors);
    person.to = (person.from + 1 + random.below(kFloors - 1)) % kFloors;
  }
  Building building;
  std::vector<Car> cars(static_cast<std::size_t>(given.threads));

  long shown = 0;
  std::thread display([&] {
    if (!given.race) return;
    for (const Car& car : cars) shown += car.floor_unlocked();
  });
  std::thread callers([&] {
    for (Person& person : people) building.call(&person);
    building.close();
  });
  program::run_threads(given.threads, [&](int me) {
    Car& car = cars[me];
    car.go_to(1);
    while (true) {
      std::vector<Person*> group = building.next();
      if (group.empty()) return;
      car.go_to(group.front()->from);
      std::ranges::sort(group, {}, &Person::to);
      for (Person* person : group) {
        car.go_to(person->to);
        person->arrived_at = car.floor();
      }
    }
  });
  callers.join();
  display.join();

  bool right = shown >= 0;
  for (const Person& person : people) right = right && person.arrived_at == person.to;
  for (Car& car : cars) right = right && car.travelled() > 0;
  return program::verdict("elevator", given, right);
}
