// Structs: bodies that attract each other; many members of few objects, read by all threads and written by one.
#include <barrier>
#include <cmath>

#include "kernel.h"

namespace {
struct Body {
  double x, y, z, vx, vy, vz, mass;
};
}  // namespace

int main(int argc, char** argv) {
  constexpr int kThreads = 4, kBodies = 320;
  const int steps = 60 * kernel::scale(argc, argv);
  std::vector<Body> bodies(kBodies);
  kernel::Random random(3);
  const auto number = [&] { return static_cast<double>(random() % 1000) / 100.0; };
  for (Body& body : bodies) body = {number(), number(), number(), 0, 0, 0, number() + 1};
  std::barrier barrier(kThreads);
  kernel::run_threads(kThreads, [&](int me) {
    const int first = kBodies * me / kThreads, last = kBodies * (me + 1) / kThreads;
    for (int step = 0; step < steps; ++step) {
      for (int i = first; i < last; ++i)
        for (int j = 0; j < kBodies; ++j) {
          const double dx = bodies[j].x - bodies[i].x, dy = bodies[j].y - bodies[i].y, dz = bodies[j].z - bodies[i].z;
          const double distance = dx * dx + dy * dy + dz * dz + 0.01;
          const double pull = bodies[j].mass / (distance * std::sqrt(distance)) * 0.001;
          bodies[i].vx += dx * pull;
          bodies[i].vy += dy * pull;
          bodies[i].vz += dz * pull;
        }
      barrier.arrive_and_wait();
      for (int i = first; i < last; ++i) {
        bodies[i].x += bodies[i].vx;
        bodies[i].y += bodies[i].vy;
        bodies[i].z += bodies[i].vz;
      }
      barrier.arrive_and_wait();
    }
  });
  double sum = 0;
  for (const Body& body : bodies) sum += body.x + body.y + body.z;
  kernel::print_checksum(static_cast<uint64_t>(std::llround(sum * 1000)));
}
