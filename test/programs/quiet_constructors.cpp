// Constructors and destructors of the program run before and after main, and use what they like.
// EXPECT none
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "order.h"
struct Early {
  std::vector<std::string> texts;
  std::mutex mutex;
  Early() {
    std::thread thread([this] {
      std::lock_guard guard(mutex);
      texts.emplace_back("early");
    });
    thread.join();
  }
  ~Early() {
    std::thread thread([this] {
      std::lock_guard guard(mutex);
      texts.clear();
    });
    thread.join();
  }
};
static Early early;
int main() { MUST(early.texts.size() == 1); }
