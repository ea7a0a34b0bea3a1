// A ray tracer: 64 spheres, shadows and reflections; the lines of the picture are divided among the threads.
// Java Grande, section 3: RayTracer
//
// Known race of the original: the checksum of all pixels is added up under a lock, but every thread has a lock of its own.
#include <algorithm>
#include <cmath>

#include "program.h"

namespace {

struct Vector {
  double x = 0, y = 0, z = 0;
  Vector operator+(const Vector& v) const { return {x + v.x, y + v.y, z + v.z}; }
  Vector operator-(const Vector& v) const { return {x - v.x, y - v.y, z - v.z}; }
  Vector operator*(double k) const { return {x * k, y * k, z * k}; }
  double dot(const Vector& v) const { return x * v.x + y * v.y + z * v.z; }
  Vector unit() const { return *this * (1 / std::sqrt(dot(*this))); }
};

struct Ray {
  Vector origin, direction;
};

struct Sphere {
  Vector centre;
  double radius = 0;
  double shine = 0;
};

struct Hit {
  const Sphere* sphere = nullptr;
  double distance = 1e30;
};

class Scene {
 public:
  Scene() {
    for (int i = 0; i < 64; ++i)
      spheres_.push_back({{i % 4 * 2.0 - 3, i / 4 % 4 * 2.0 - 3, i / 16 * 2.0 + 4}, 0.8, 0.1 + 0.01 * i});
  }

  double brightness(const Ray& ray, int depth) const {
    const Hit hit = nearest(ray);
    if (!hit.sphere) return 0.1;
    const Vector point = ray.origin + ray.direction * hit.distance;
    const Vector normal = (point - hit.sphere->centre).unit();
    const Vector to_light = (kLight - point).unit();
    double result = 0.1;
    if (!nearest({point + normal * 1e-6, to_light}).sphere) result += std::fmax(0, normal.dot(to_light));
    if (depth > 0) {
      const Vector mirrored = ray.direction - normal * (2 * normal.dot(ray.direction));
      result += hit.sphere->shine * brightness({point + normal * 1e-6, mirrored}, depth - 1);
    }
    return result;
  }

  int64_t line(int y, int width) const {
    int64_t sum = 0;
    for (int x = 0; x < width; ++x) {
      const Vector direction = {(x + 0.5) / width - 0.5, (y + 0.5) / width - 0.5, 0.8};
      sum += static_cast<int64_t>(255 * brightness({{0, 0, -4}, direction.unit()}, 3));
    }
    return sum;
  }

 private:
  static constexpr Vector kLight = {10, 10, -10};

  Hit nearest(const Ray& ray) const {
    Hit hit;
    for (const Sphere& sphere : spheres_) {
      const Vector to_centre = sphere.centre - ray.origin;
      const double along = to_centre.dot(ray.direction);
      const double square = along * along - to_centre.dot(to_centre) + sphere.radius * sphere.radius;
      if (along <= 0 || square < 0) continue;
      const double distance = along - std::sqrt(square);
      if (distance > 0 && distance < hit.distance) hit = {&sphere, distance};
    }
    return hit;
  }

  std::vector<Sphere> spheres_;
};

int64_t checksum = 0;

OWN_LINES void add_to_checksum(int64_t sum) {
  checksum += sum;  // race checksum
}

}  // namespace

int main(int argc, char** argv) {
  const program::Arguments given = program::arguments("raytracer", argc, argv);
  // Some 1,000 accesses for each pixel.
  const int width = std::max(static_cast<int>(std::sqrt(100'000.0 * given.size / 1000)), given.threads);
  const Scene scene;
  std::vector<int64_t> lines(static_cast<std::size_t>(width));
  std::vector<std::mutex> mutexes(static_cast<std::size_t>(given.threads));
  program::run_threads(given.threads, [&](int me) {
    int64_t sum = 0;
    for (int y = me; y < width; y += given.threads) sum += lines[y] = scene.line(y, width);
    std::scoped_lock lock(mutexes[given.race ? me : 0]);
    add_to_checksum(sum);
  });

  int64_t sum = 0;
  for (int64_t line : lines) sum += line;
  bool right = sum == checksum && sum > 0;
  for (int y = 0; y < width; y += 16) right = right && lines[y] == scene.line(y, width);
  return program::verdict("raytracer", given, right);
}
