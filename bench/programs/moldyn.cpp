// Molecular dynamics: particles in a periodic box under a Lennard-Jones potential. Every thread computes the forces of its
// share of the pairs into an array of its own, and these are added up between barriers.     Java Grande, section 3: MolDyn
//
// The original has no race. Planted: with --race the threads add their potential energies to the sum without its lock.
#include <algorithm>
#include <array>
#include <cmath>

#include "program.h"

namespace {

constexpr int kSteps = 10;
constexpr double kTimeStep = 0.001;

struct Particle {
  std::array<double, 3> position;
  std::array<double, 3> velocity;
  std::array<double, 3> force;
};
using Forces = std::vector<std::array<double, 3>>;

class Box {
 public:
  // `side` particles in each direction, a lattice with a little disorder and no total momentum.
  explicit Box(int side) : length_(1.2 * side) {
    program::Random random(5);
    for (int i = 0; i < side * side * side; ++i) {
      Particle particle{};
      const std::array<int, 3> cell = {i % side, i / side % side, i / side / side};
      for (int d = 0; d < 3; ++d) {
        particle.position[d] = 1.2 * cell[d] + 0.05 * random.unit();
        particle.velocity[d] = random.unit() - 0.5;
      }
      particles_.push_back(particle);
    }
    for (int d = 0; d < 3; ++d) {
      double mean = 0;
      for (const Particle& particle : particles_) mean += particle.velocity[d] / count();
      for (Particle& particle : particles_) particle.velocity[d] -= mean;
    }
  }

  int count() const { return static_cast<int>(particles_.size()); }

  void move(int first, int last) {
    for (int i = first; i < last; ++i) {
      Particle& p = particles_[i];
      for (int d = 0; d < 3; ++d) {
        p.velocity[d] += 0.5 * kTimeStep * p.force[d];
        p.position[d] += kTimeStep * p.velocity[d];
        if (p.position[d] < 0) p.position[d] += length_;
        if (p.position[d] >= length_) p.position[d] -= length_;
      }
    }
  }

  // Forces between particle i and all later ones; returns their potential energy.
  double pair_forces(int i, Forces& forces) const {
    const double cutoff = std::min(2.5, length_ / 2);
    double potential = 0;
    for (int j = i + 1; j < count(); ++j) {
      std::array<double, 3> delta;
      double square = 0;
      for (int d = 0; d < 3; ++d) {
        delta[d] = particles_[i].position[d] - particles_[j].position[d];
        if (delta[d] > length_ / 2) delta[d] -= length_;
        if (delta[d] < -length_ / 2) delta[d] += length_;
        square += delta[d] * delta[d];
      }
      if (square > cutoff * cutoff) continue;
      const double inverse6 = 1 / (square * square * square);
      potential += 4 * inverse6 * (inverse6 - 1);
      const double strength = 24 * inverse6 * (2 * inverse6 - 1) / square;
      for (int d = 0; d < 3; ++d) {
        forces[i][d] += strength * delta[d];
        forces[j][d] -= strength * delta[d];
      }
    }
    return potential;
  }

  // Takes the sum of all threads' forces on the particles of one share, and clears them.
  void add_up(std::vector<Forces>& of_threads, int first, int last) {
    for (int i = first; i < last; ++i) {
      particles_[i].force = {};
      for (Forces& forces : of_threads) {
        for (int d = 0; d < 3; ++d) particles_[i].force[d] += std::exchange(forces[i][d], 0);
      }
      for (int d = 0; d < 3; ++d) particles_[i].velocity[d] += 0.5 * kTimeStep * particles_[i].force[d];
    }
  }

  double kinetic() const {
    double sum = 0;
    for (const Particle& p : particles_) {
      for (double v : p.velocity) sum += 0.5 * v * v;
    }
    return sum;
  }
  double momentum(int d) const {
    double sum = 0;
    for (const Particle& p : particles_) sum += p.velocity[d];
    return sum;
  }

 private:
  double length_;
  std::vector<Particle> particles_;
};

struct Potential {
  std::mutex mutex;
  double sum = 0;
};

OWN_LINES void add_unlocked(Potential& potential, double mine) {
  potential.sum += mine;  // race energy
}

}  // namespace

int main(int argc, char** argv) {
  const program::Arguments given = program::arguments("moldyn", argc, argv);
  // Three accesses for each pair and step, and as many again for those within reach.
  const int side = std::max(3, static_cast<int>(std::cbrt(std::sqrt(70'000.0 * given.size / (2 * kSteps)))));
  Box box(side);
  std::vector<Forces> forces(static_cast<std::size_t>(given.threads), Forces(static_cast<std::size_t>(box.count())));
  std::vector<Potential> potential(kSteps + 1);
  std::vector<double> kinetic(kSteps + 1);

  program::Barrier barrier(given.threads);
  program::run_threads(given.threads, [&](int me) {
    const program::Share mine = program::share_of(box.count(), given.threads, me);
    for (int step = 0; step <= kSteps; ++step) {
      if (step > 0) box.move(mine.first, mine.last);
      barrier.wait();
      double energy = 0;
      for (int i = me; i < box.count(); i += given.threads) energy += box.pair_forces(i, forces[me]);
      if (given.race) {
        add_unlocked(potential[step], energy);
      } else {
        std::scoped_lock lock(potential[step].mutex);
        potential[step].sum += energy;
      }
      barrier.wait();
      box.add_up(forces, mine.first, mine.last);
      barrier.wait();
      if (me == 0) kinetic[step] = box.kinetic();
      barrier.wait();
    }
  });

  const double first = potential[1].sum + kinetic[1], last = potential[kSteps].sum + kinetic[kSteps];
  bool right = std::fabs(last - first) < 0.02 * std::fabs(potential[1].sum);
  for (int d = 0; d < 3; ++d) right = right && std::fabs(box.momentum(d)) < 1e-6;
  return program::verdict("moldyn", given, right);
}
