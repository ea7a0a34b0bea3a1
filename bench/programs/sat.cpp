// A SAT solver with two watched literals and clauses in tiny arrays; the cubes over a few variables are divided among the threads.
// After the SATsolver that RaceTrack measured, which has one thread
//
// The formula is a pigeonhole problem, which has no solution, and beside it a planted one that has. Planted race: with --race the
// threads add up their conflicts without a lock.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "program.h"

namespace {

using Literal = int;  // 2 * variable, + 1 if negated
using Clause = std::vector<Literal>;

struct Formula {
  int variables = 0;
  std::vector<Clause> clauses;
};

Formula pigeonhole(int holes) {
  Formula formula{(holes + 1) * holes, {}};
  const auto in_hole = [&](int pigeon, int hole) { return 2 * (pigeon * holes + hole); };
  for (int p = 0; p <= holes; ++p) {
    Clause clause;
    for (int h = 0; h < holes; ++h) clause.push_back(in_hole(p, h));
    formula.clauses.push_back(clause);
    for (int q = 0; q < p; ++q) {
      for (int h = 0; h < holes; ++h) formula.clauses.push_back({in_hole(p, h) + 1, in_hole(q, h) + 1});
    }
  }
  return formula;
}

Formula planted(int variables) {
  Formula formula{variables, {}};
  program::Random random(10);
  std::vector<int> solution;
  for (int i = 0; i < variables; ++i) solution.push_back(random.below(2));
  while (static_cast<int>(formula.clauses.size()) < 4 * variables) {
    Clause clause;
    for (int i = 0; i < 3; ++i) clause.push_back(2 * random.below(variables) + random.below(2));
    if (std::ranges::any_of(clause, [&](Literal l) { return l % 2 == solution[l / 2]; }))
      formula.clauses.push_back(clause);
  }
  return formula;
}

// Each thread has a solver, with its own copy of the clauses: it reorders their literals.
class Solver {
 public:
  explicit Solver(const Formula& formula)
      : value_(static_cast<std::size_t>(formula.variables), -1),
        watches_(static_cast<std::size_t>(2 * formula.variables)) {
    for (const Clause& clause : formula.clauses) {
      clauses_.push_back(std::make_unique<Clause>(clause));
      for (int i = 0; i < 2; ++i) watches_[clause[i]].push_back(clauses_.back().get());
    }
  }

  // A solution in which these literals hold.
  std::optional<std::vector<int>> solve(const std::vector<Literal>& cube) {
    undo(0);
    for (Literal literal : cube) {
      if (!assume(literal)) return std::nullopt;
    }
    return search() ? std::optional(value_) : std::nullopt;
  }
  long conflicts() const { return conflicts_; }

 private:
  bool is_true(Literal l) const { return value_[l / 2] == 1 - l % 2; }
  bool is_false(Literal l) const { return value_[l / 2] == l % 2; }

  bool assume(Literal decision) {
    if (is_true(decision)) return true;
    if (is_false(decision)) return false;
    std::size_t next = trail_.size();
    set(decision);
    for (; next < trail_.size(); ++next) {
      if (!propagate(trail_[next] ^ 1)) {
        ++conflicts_;
        return false;
      }
    }
    return true;
  }
  void set(Literal literal) {
    value_[literal / 2] = 1 - literal % 2;
    trail_.push_back(literal);
  }
  void undo(std::size_t length) {
    for (; trail_.size() > length; trail_.pop_back()) value_[trail_.back() / 2] = -1;
  }

  // `gone` became false: every clause that watches it finds another literal, or is unit, or is a conflict.
  bool propagate(Literal gone) {
    std::vector<Clause*>& watching = watches_[gone];
    for (std::size_t i = 0; i < watching.size();) {
      Clause& clause = *watching[i];
      if (clause[0] == gone) std::swap(clause[0], clause[1]);
      const auto other = std::find_if(clause.begin() + 2, clause.end(), [&](Literal l) { return !is_false(l); });
      if (is_true(clause[0])) {
        ++i;
      } else if (other != clause.end()) {
        std::swap(clause[1], *other);
        watches_[clause[1]].push_back(&clause);
        watching[i] = watching.back();
        watching.pop_back();
      } else if (is_false(clause[0])) {
        return false;
      } else {
        set(clause[0]);
        ++i;
      }
    }
    return true;
  }

  bool search() {
    const auto free = std::ranges::find(value_, -1);
    if (free == value_.end()) return true;
    const Literal literal = 2 * static_cast<int>(free - value_.begin());
    const std::size_t length = trail_.size();
    for (Literal decision : {literal, literal + 1}) {
      if (assume(decision) && search()) return true;
      undo(length);
    }
    return false;
  }

  std::vector<int> value_;  // -1 if not known yet
  std::vector<std::unique_ptr<Clause>> clauses_;
  std::vector<std::vector<Clause*>> watches_;
  std::vector<Literal> trail_;
  long conflicts_ = 0;
};

struct Results {
  std::mutex mutex;
  std::vector<int> solution;
  long conflicts = 0;
};

OWN_LINES void add_conflicts(Results& results, long conflicts) {
  results.conflicts += conflicts;  // race conflicts
}

// All cubes over the first variables, in parallel.
void solve(const Formula& formula, const program::Arguments& given, int cube_variables, Results& results) {
  program::run_threads(given.threads, [&](int me) {
    Solver solver(formula);
    std::vector<int> solution;
    for (int bits = me; bits < 1 << cube_variables; bits += given.threads) {
      std::vector<Literal> cube;
      for (int i = 0; i < cube_variables; ++i) cube.push_back(2 * i + (bits >> i & 1));
      if (const auto found = solver.solve(cube)) solution = *found;
    }
    if (given.race) add_conflicts(results, solver.conflicts());
    std::scoped_lock lock(results.mutex);
    if (!given.race) add_conflicts(results, solver.conflicts());
    if (!solution.empty()) results.solution = solution;
  });
}

}  // namespace

int main(int argc, char** argv) {
  const program::Arguments given = program::arguments("sat", argc, argv);
  const Formula impossible = pigeonhole(5 + static_cast<int>(std::log(given.size) / std::log(8.0)));
  const Formula possible = planted(20 + std::min(given.size, 20));
  Results none, some;
  solve(impossible, given, 5, none);
  solve(possible, given, 5, some);

  bool right = none.solution.empty() && none.conflicts > 0 && !some.solution.empty();
  for (const Clause& clause : possible.clauses) {
    right = right && std::ranges::any_of(clause, [&](Literal l) { return some.solution[l / 2] == 1 - l % 2; });
  }
  return program::verdict("sat", given, right);
}
