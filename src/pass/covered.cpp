#include "pass/covered.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>

namespace deadheat::pass {
namespace {

using llvm::dyn_cast;
using llvm::isa;

bool is_volatile(const llvm::Instruction& instruction) {
  if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction)) return load->isVolatile();
  if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) return store->isVolatile();
  if (const auto* copy = dyn_cast<llvm::MemIntrinsic>(&instruction)) return copy->isVolatile();
  return false;
}

// What LLVM itself means by these calls, or we: no code of the program or of a library runs.
bool is_quiet_intrinsic(const llvm::CallBase& call) {
  if (isa<llvm::MemIntrinsic>(call)) return true;
  if (const llvm::Function* called = call.getCalledFunction())  // a check of a loop (loops.h)
    for (const char* check : {"__tsan_read", "__tsan_write", "__tsan_unaligned_", "__deadheat_sweep_"})
      if (called->isDeclaration() && called->getName().starts_with(check)) return true;
  return isa<llvm::IntrinsicInst>(call) && call.hasFnAttr(llvm::Attribute::NoSync) &&
         call.hasFnAttr(llvm::Attribute::NoFree) && call.hasFnAttr(llvm::Attribute::NoCallback);
}

// An access takes part if its bytes are known and all of them are always accessed.
bool takes_part(const Access& access) {
  return access.needed && !access.is_volatile && !isa<llvm::CallBase>(access.at) &&
         (access.form == Form::kBytes || access.form == Form::kVptr);
}

// That a check of these bytes was made in this epoch.
struct Fact {
  const llvm::Value* base;
  int64_t begin, end;
  bool writes;
  bool implies(const Fact& other) const {
    return base == other.base && begin <= other.begin && other.end <= end && (writes || !other.writes);
  }
  bool operator==(const Fact&) const = default;
};

class Covered {
 public:
  Covered(llvm::Function& function, Accesses& accesses, const QuietFunctions& quiet)
      : function_(function), layout_(function.getDataLayout()), accesses_(accesses), quiet_(quiet) {}

  void drop() {
    collect_facts();
    if (facts_.empty()) return;
    const bool over_blocks = facts_.size() * function_.size() <= kMostBits;
    if (over_blocks) solve();
    for (llvm::BasicBlock& block : function_) {
      llvm::BitVector known = over_blocks ? at_begin_[&block] : llvm::BitVector(facts_.size());
      if (known.size() != facts_.size()) continue;  // a block that no path leads to
      walk(block, known, [&](Access& access, const Fact& fact) {
        if (is_covered(fact, known)) access.needed = false;
      });
    }
  }

 private:
  static constexpr size_t kMostBits = size_t{1} << 24;  // beyond, blocks are looked at one by one: 2 MiB for each set

  Fact fact_of(const Access& access) const {
    llvm::APInt offset(layout_.getIndexTypeSizeInBits(access.address->getType()), 0);
    const llvm::Value* base = access.address->stripAndAccumulateConstantOffsets(layout_, offset, true);
    const int64_t begin = offset.getSExtValue();
    return {base, begin, begin + static_cast<int64_t>(access.bytes), access.writes};
  }

  // Only bases that several accesses have: another one cannot cover anything.
  void collect_facts() {
    llvm::DenseMap<const llvm::Value*, unsigned> uses;
    for (const Access& access : accesses_.plain)
      if (takes_part(access)) ++uses[fact_of(access).base];
    for (size_t i = 0; i < accesses_.plain.size(); ++i) {
      const Access& access = accesses_.plain[i];
      if (!takes_part(access)) continue;
      const Fact fact = fact_of(access);
      if (uses[fact.base] < 2) continue;
      auto& of_base = facts_of_[fact.base];
      unsigned number = 0;
      const auto same = llvm::find_if(of_base, [&](unsigned known) { return facts_[known] == fact; });
      if (same != of_base.end()) {
        number = *same;
      } else {
        number = static_cast<unsigned>(facts_.size());
        facts_.push_back(fact);
        of_base.push_back(number);
      }
      at_[access.at] = {i, number};
    }
  }

  // Follows a block from what is known at its begin. `look` is told of each access, before its check is known.
  template <class Look>
  void walk(llvm::BasicBlock& block, llvm::BitVector& known, Look look) {
    for (llvm::Instruction& instruction : block) {
      if (const auto defined = facts_of_.find(&instruction); defined != facts_of_.end())
        for (const unsigned fact : defined->second) known.reset(fact);
      if (!quiet_.is_quiet(instruction)) known.reset();
      const auto found = at_.find(&instruction);
      if (found == at_.end()) continue;
      const auto [index, number] = found->second;
      Access& access = accesses_.plain[index];
      look(access, facts_[number]);
      // A pointer to a virtual table that stays the same is not recorded as a write.
      if (access.form == Form::kVptr && access.writes) continue;
      for (const unsigned other : facts_of_[facts_[number].base])
        if (facts_[number].implies(facts_[other])) known.set(other);
    }
  }

  // What is known at the begin of each block: the greatest solution, known on all paths.
  void solve() {
    const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function_);
    llvm::DenseMap<const llvm::BasicBlock*, llvm::BitVector> at_end;
    for (bool changed = true; changed;) {
      changed = false;
      for (llvm::BasicBlock* block : order) {
        llvm::BitVector known(facts_.size(), block != &function_.getEntryBlock());
        for (const llvm::BasicBlock* before : llvm::predecessors(block))
          if (const auto end = at_end.find(before); end != at_end.end()) known &= end->second;
        at_begin_[block] = known;
        walk(*block, known, [](Access&, const Fact&) {});
        auto& end = at_end[block];
        if (end.size() == known.size() && end == known) continue;
        end = known;
        changed = true;
      }
    }
  }

  bool is_covered(const Fact& wanted, const llvm::BitVector& known) const {
    const auto& candidates = facts_of_.find(wanted.base)->second;
    for (int64_t reached = wanted.begin; reached < wanted.end;) {
      const auto next = llvm::find_if(candidates, [&](unsigned number) {
        const Fact& fact = facts_[number];
        return known.test(number) && fact.begin <= reached && reached < fact.end && (fact.writes || !wanted.writes);
      });
      if (next == candidates.end()) return false;
      reached = facts_[*next].end;
    }
    return true;
  }

  llvm::Function& function_;
  const llvm::DataLayout& layout_;
  Accesses& accesses_;
  const QuietFunctions& quiet_;
  std::vector<Fact> facts_;
  llvm::DenseMap<const llvm::Value*, llvm::SmallVector<unsigned, 4>> facts_of_;
  llvm::DenseMap<const llvm::Instruction*, std::pair<size_t, unsigned>> at_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BitVector> at_begin_;
};

}  // namespace

// All exact bodies are taken for quiet, until an instruction of theirs is not; then those that call them are not, either.
QuietFunctions::QuietFunctions(const llvm::Module& module) {
  for (const llvm::Function& function : module)
    if (!function.isDeclaration() && function.hasExactDefinition()) quiet_.insert(&function);
  llvm::DenseMap<const llvm::Function*, llvm::SmallVector<const llvm::Function*, 4>> callers;
  llvm::SmallVector<const llvm::Function*> noisy;
  for (const llvm::Function& function : module) {
    if (!quiet_.contains(&function)) continue;
    const bool quiet = llvm::all_of(llvm::instructions(function), [&](const llvm::Instruction& instruction) {
      if (!is_quiet(instruction)) return false;
      if (const auto* call = dyn_cast<llvm::CallBase>(&instruction); call != nullptr && !is_quiet_intrinsic(*call))
        callers[call->getCalledFunction()].push_back(&function);
      return true;
    });
    if (!quiet) noisy.push_back(&function);
  }
  while (!noisy.empty()) {
    const llvm::Function* const function = noisy.pop_back_val();
    if (quiet_.erase(function)) noisy.append(callers[function]);
  }
}

bool QuietFunctions::is_quiet(const llvm::Instruction& instruction) const {
  if (is_atomic(instruction) || is_volatile(instruction)) return false;
  const auto* const call = dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr || is_quiet_intrinsic(*call)) return true;
  const llvm::Function* const called = call->getCalledFunction();
  return called != nullptr && quiet_.contains(called);
}

void drop_reads_before_writes(llvm::Function&, Accesses& accesses, const QuietFunctions& quiet) {
  // From the last access to the first; what was written later in the same stretch.
  llvm::DenseMap<const llvm::Value*, uint64_t> written;
  const llvm::Instruction* later = nullptr;
  for (size_t i = accesses.plain.size(); i-- > 0;) {
    Access& access = accesses.plain[i];
    // The stretch ends between this access and the later one.
    const auto ends = [&] {
      if (later->getParent() != access.at->getParent()) return true;
      for (const llvm::Instruction* at = access.at; at != later; at = at->getNextNode()) {
        if (!quiet.is_quiet(*at)) return true;
        if (const auto* call = dyn_cast<llvm::CallBase>(at); call != nullptr && !is_quiet_intrinsic(*call)) return true;
      }
      return false;
    };
    if (later != nullptr && later != access.at && ends()) written.clear();
    later = access.at;
    if (!takes_part(access)) continue;
    if (access.writes) {
      if (access.form == Form::kBytes) written[access.address] = std::max(written[access.address], access.bytes);
    } else if (const auto found = written.find(access.address);
               found != written.end() && found->second >= access.bytes) {
      access.needed = false;
    }
  }
}

void drop_covered(llvm::Function& function, Accesses& accesses, const QuietFunctions& quiet) {
  if (!function.callsFunctionThatReturnsTwice()) Covered(function, accesses, quiet).drop();
}

}  // namespace deadheat::pass
