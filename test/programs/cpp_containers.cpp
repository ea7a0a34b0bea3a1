// Containers under a lock, strings, streams.
// EXPECT none
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "order.h"
static std::mutex mutex;
static std::map<int, std::string> map;
static std::unordered_map<std::string, std::vector<int>> table;
static void body() {
  for (int i = 0; i < 100; ++i) {
    std::ostringstream stream;
    stream << "entry " << i;
    std::lock_guard guard(mutex);
    map[i % 10] = stream.str();
    table[stream.str()].push_back(i);
    if (i % 3 == 0) map.erase(i % 7);
  }
}
int main() { RUN(body, body, body); }
