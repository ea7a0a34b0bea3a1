#include "pass/merged.h"

#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/Analysis/ValueTracking.h>

namespace deadheat::pass {
namespace {

// One of the accesses between two places where a stretch ends.
struct Candidate {
  size_t index;  // in Accesses::plain, which is in the order of the program
  const llvm::Value* base;
  int64_t begin, end;
  bool taken = false;
};

class Merger {
 public:
  Merger(Accesses& accesses, const QuietFunctions& quiet, llvm::AAResults& aliases, const llvm::DataLayout& layout)
      : accesses_(accesses), quiet_(quiet), aliases_(aliases), layout_(layout) {}

  void merge() {
    for (size_t i = 0; i < accesses_.plain.size(); ++i) {
      const Access& access = accesses_.plain[i];
      if (!access.needed) continue;
      if (!stretch_.empty() && ends_between(accesses_.plain[stretch_.back().index], access)) end_stretch();
      if (!takes_part(access)) {
        end_stretch();
        continue;
      }
      llvm::APInt offset(layout_.getIndexTypeSizeInBits(access.address->getType()), 0);
      const llvm::Value* base = access.address->stripAndAccumulateConstantOffsets(layout_, offset, true);
      const int64_t begin = offset.getSExtValue();
      stretch_.push_back({i, base, begin, begin + static_cast<int64_t>(access.bytes)});
      if (stretch_.size() == kMostOfStretch) end_stretch();
    }
    end_stretch();
  }

 private:
  static constexpr size_t kMostOfStretch = 64;  // they are compared in pairs

  static bool takes_part(const Access& access) {
    return access.in_line && access.form == Form::kBytes && !access.is_volatile &&
           !llvm::isa<llvm::CallBase>(access.at) && access.bytes <= 8 && llvm::isPowerOf2_64(access.bytes);
  }

  bool ends_between(const Access& from, const Access& to) const {
    if (from.at->getParent() != to.at->getParent()) return true;
    for (const llvm::Instruction* at = from.at; at != to.at; at = at->getNextNode())
      if (!quiet_.is_quiet(*at) || (llvm::isa<llvm::CallBase>(at) && at->mayWriteToMemory()) ||
          !llvm::isGuaranteedToTransferExecutionToSuccessor(at))
        return true;
    return false;
  }

  // Whether the check of the later one may be made before all that stand between, but for those of its group.
  bool may_go_up(const Candidate& first, const Candidate& later, llvm::ArrayRef<Candidate*> group) const {
    const auto place = [&](const Candidate& of) {
      const Access& access = accesses_.plain[of.index];
      return llvm::MemoryLocation(access.address, llvm::LocationSize::precise(access.bytes));
    };
    for (const Candidate& other : stretch_) {
      if (other.index <= first.index || other.index >= later.index || llvm::is_contained(group, &other)) continue;
      if (other.base == later.base ? other.begin < later.end && later.begin < other.end
                                   : !aliases_.isNoAlias(place(other), place(later)))
        return false;
    }
    return true;
  }

  void end_stretch() {
    llvm::SmallVector<Candidate*> by_place;
    for (Candidate& one : stretch_) by_place.push_back(&one);
    llvm::stable_sort(by_place, [](const Candidate* a, const Candidate* b) { return a->begin < b->begin; });
    for (const Candidate* lowest : by_place)
      for (const int64_t bytes : {16, 8, 4, 2})
        if (!lowest->taken && try_group(*lowest, bytes)) break;
    stretch_.clear();
  }

  bool try_group(const Candidate& lowest, int64_t bytes) {
    const bool writes = accesses_.plain[lowest.index].writes;
    llvm::SmallVector<Candidate*> group;
    for (Candidate& other : stretch_)
      if (!other.taken && other.base == lowest.base && accesses_.plain[other.index].writes == writes &&
          other.begin >= lowest.begin && other.end <= lowest.begin + bytes)
        group.push_back(&other);
    if (group.size() < 2 || !is_without_gap(group, lowest.begin, lowest.begin + bytes)) return false;
    const Candidate& first = *group.front();  // of the program
    for (const Candidate* later : group)
      if (!may_go_up(first, *later, group)) return false;
    Merged merged = {{}, lowest.begin - first.begin, static_cast<uint64_t>(bytes)};
    for (Candidate* of : group) {
      of->taken = true;
      accesses_.plain[of->index].needed = false;
      merged.members.push_back({of->index, of->begin - first.begin});
    }
    accesses_.merged.push_back(merged);
    return true;
  }

  static bool is_without_gap(llvm::ArrayRef<Candidate*> group, int64_t begin, int64_t end) {
    for (int64_t reached = begin; reached < end;) {
      const auto next =
          llvm::find_if(group, [&](const Candidate* c) { return c->begin <= reached && reached < c->end; });
      if (next == group.end()) return false;
      reached = (*next)->end;
    }
    return true;
  }

  Accesses& accesses_;
  const QuietFunctions& quiet_;
  llvm::AAResults& aliases_;
  const llvm::DataLayout& layout_;
  std::vector<Candidate> stretch_;
};

}  // namespace

void merge_neighbours(Accesses& accesses, const QuietFunctions& quiet, llvm::AAResults& aliases,
                      const llvm::DataLayout& layout) {
  Merger(accesses, quiet, aliases, layout).merge();
}

}  // namespace deadheat::pass
