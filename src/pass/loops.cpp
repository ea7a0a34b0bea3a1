#include "pass/loops.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace deadheat::pass {
namespace {

using llvm::dyn_cast;
using llvm::isa;

// Shorter sweeps cost as much as the single checks: so many bytes, without the gaps between them.
constexpr uint64_t kShortSweep = 256;
constexpr size_t kMostStreams = 8;  // they are compared in pairs

// An access of a loop: where it begins, and how it moves.
struct Stream {
  Access* access;
  const llvm::SCEV* begins;
  int64_t step;
  llvm::Value* first = nullptr;  // the address of the first round
  uint64_t distance() const { return static_cast<uint64_t>(std::abs(step)); }
};

struct Sweep {
  llvm::Loop* loop;
  const llvm::SCEV* rounds_less_one;
  std::vector<Stream> streams;  // in the order of a round
  // Streams that must not overlap: then it would matter which is checked first.
  llvm::SmallVector<std::pair<size_t, size_t>> apart = {};
  std::vector<Access*> accesses = {};   // all of the loop, also those that other checks stand for
  llvm::Instruction* before = nullptr;  // the end of the block that leads into it
  llvm::Value* last_round = nullptr;    // the number of the last round, from 0 on, as 64 bits
};

// Whether it matters which of the two is checked first.
bool order_matters(const Stream& a, const Stream& b) {
  return a.access->writes != b.access->writes || !is_of_one_line(*a.access, *b.access);
}

class Finder {
 public:
  Finder(Accesses& accesses, const LoopAnalyses& analyses) : accesses_(accesses), analyses_(analyses) {}

  std::vector<Sweep> find() {
    llvm::DenseMap<const llvm::Loop*, std::vector<Access*>> of_loop;
    for (Access& access : accesses_.plain)
      if (const llvm::Loop* loop = analyses_.loops.getLoopFor(access.at->getParent())) of_loop[loop].push_back(&access);
    std::vector<Sweep> sweeps;
    for (llvm::Loop* loop : analyses_.loops.getLoopsInPreorder()) {
      if (!loop->isInnermost() || of_loop[loop].empty()) continue;
      Sweep sweep = {loop, nullptr, {}};
      sweep.accesses = of_loop[loop];
      if (!is_counted(sweep) || !has_only_accesses(*loop) || !has_only_streams(sweep)) continue;
      find_pairs(sweep);
      sweeps.push_back(std::move(sweep));
    }
    return sweeps;
  }

 private:
  bool is_counted(Sweep& sweep) {
    const llvm::Loop& loop = *sweep.loop;
    if (!loop.isLoopSimplifyForm() || loop.getExitingBlock() == nullptr) return false;
    if (loop.getExitingBlock() != loop.getLoopLatch()) return false;
    sweep.rounds_less_one = analyses_.evolution.getBackedgeTakenCount(&loop);
    return !isa<llvm::SCEVCouldNotCompute>(sweep.rounds_less_one) &&
           analyses_.evolution.getTypeSizeInBits(sweep.rounds_less_one->getType()) <= 64;
  }

  static bool has_only_accesses(const llvm::Loop& loop) {
    for (const llvm::BasicBlock* block : loop.blocks())
      for (const llvm::Instruction& instruction : *block) {
        if (is_atomic(instruction)) return false;
        if (const auto* call = dyn_cast<llvm::CallBase>(&instruction)) {
          const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(call);
          if (intrinsic == nullptr || !(intrinsic->isAssumeLikeIntrinsic() || call->doesNotAccessMemory()))
            return false;
        }
      }
    return true;
  }

  bool has_only_streams(Sweep& sweep) {
    for (Access* access : sweep.accesses) {
      if (access->is_volatile || access->form != Form::kBytes || !InlineChecks::can_test(access->bytes)) return false;
      if (!access->needed) continue;
      if (!analyses_.dominators.dominates(access->at->getParent(), sweep.loop->getLoopLatch())) return false;
      const llvm::SCEV* address = analyses_.evolution.getSCEV(access->address);
      Stream stream = {access, address, 0};
      if (const auto* moving = dyn_cast<llvm::SCEVAddRecExpr>(address)) {
        const auto* step = dyn_cast<llvm::SCEVConstant>(moving->getStepRecurrence(analyses_.evolution));
        if (moving->getLoop() != sweep.loop || !moving->isAffine() || step == nullptr) return false;
        if (step->getAPInt().getSignificantBits() > 32) return false;
        stream.begins = moving->getStart();
        stream.step = step->getAPInt().getSExtValue();
        if (stream.distance() < access->bytes) return false;
      } else if (!analyses_.evolution.isLoopInvariant(address, sweep.loop)) {
        return false;
      }
      sweep.streams.push_back(stream);
    }
    // All are in each round, so each dominates those that come after it.
    llvm::stable_sort(sweep.streams, [&](const Stream& a, const Stream& b) {
      return a.access != b.access && analyses_.dominators.dominates(a.access->at, b.access->at);
    });
    return !sweep.streams.empty() && sweep.streams.size() <= kMostStreams &&
           llvm::any_of(sweep.streams, [](const Stream& stream) { return stream.step != 0; });
  }

  // What no two rounds share, whatever their number: elements side by side, such as fields of structs in an array.
  bool never_overlap(const Stream& a, const Stream& b) {
    if (a.step != b.step || a.step == 0) return false;
    const auto* apart = dyn_cast<llvm::SCEVConstant>(analyses_.evolution.getMinusSCEV(a.begins, b.begins));
    if (apart == nullptr || apart->getAPInt().getSignificantBits() > 64) return false;
    const int64_t distance = static_cast<int64_t>(a.distance());
    const int64_t behind = (apart->getAPInt().getSExtValue() % distance + distance) % distance;  // a's, from one of b's
    return static_cast<int64_t>(b.access->bytes) <= behind &&
           behind + static_cast<int64_t>(a.access->bytes) <= distance;
  }

  void find_pairs(Sweep& sweep) {
    for (size_t i = 0; i < sweep.streams.size(); ++i)
      for (size_t j = 0; j < i; ++j) {
        const Stream &a = sweep.streams[i], &b = sweep.streams[j];
        if (order_matters(a, b) && !never_overlap(a, b)) sweep.apart.emplace_back(i, j);
      }
  }

  Accesses& accesses_;
  const LoopAnalyses& analyses_;
};

// Writes the checks of one sweep.
class Writer {
 public:
  Writer(Sweep& sweep, Emitter& emitter) : sweep_(sweep), emitter_(emitter) {}

  void write() {
    llvm::IRBuilder<> builder(sweep_.before);
    word_ = builder.getInt64Ty();
    llvm::Value* const by_sweeps = builder.CreateFreeze(is_long_and_apart(builder));
    llvm::Instruction *then_end = nullptr, *else_end = nullptr;
    llvm::SplitBlockAndInsertIfThenElse(by_sweeps, sweep_.before, &then_end, &else_end);
    builder.SetInsertPoint(then_end);
    llvm::Value* const rounds = builder.CreateAdd(sweep_.last_round, builder.getInt64(1));
    for (const Stream& stream : sweep_.streams) {
      builder.SetCurrentDebugLocation(stream.access->at->getDebugLoc());
      emitter_.check_sweep(builder, *stream.access, stream.first, stream.step,
                           stream.step == 0 ? builder.getInt64(1) : rounds);
    }
    single_checks(else_end);
  }

 private:
  // The lowest address, and the number of bytes from there to the end of the highest element.
  llvm::Value* begin_of(llvm::IRBuilder<>& builder, const Stream& stream) {
    if (stream.step >= 0) return stream.first;
    return builder.CreatePtrAdd(stream.first, builder.CreateMul(sweep_.last_round, builder.getInt64(stream.step)));
  }
  llvm::Value* length_of(llvm::IRBuilder<>& builder, const Stream& stream) {
    llvm::Value* const moved = builder.CreateMul(sweep_.last_round, builder.getInt64(stream.distance()));
    return builder.CreateAdd(moved, builder.getInt64(stream.access->bytes));
  }

  llvm::Value* is_long_and_apart(llvm::IRBuilder<>& builder) {
    uint64_t widest = 1;
    for (const Stream& stream : sweep_.streams)
      if (stream.step != 0) widest = std::max(widest, stream.access->bytes);
    llvm::Value* good = builder.CreateICmpUGE(sweep_.last_round, builder.getInt64(kShortSweep / widest));
    for (const auto& [i, j] : sweep_.apart)
      good = builder.CreateAnd(good, are_apart(builder, sweep_.streams[i], sweep_.streams[j]));
    return good;
  }
  llvm::Value* are_apart(llvm::IRBuilder<>& builder, const Stream& a, const Stream& b) {
    const auto number = [&](llvm::Value* pointer) { return builder.CreatePtrToInt(pointer, word_); };
    llvm::Value *const a_begin = number(begin_of(builder, a)), *const b_begin = number(begin_of(builder, b));
    llvm::Value* const a_end = builder.CreateAdd(a_begin, length_of(builder, a));
    llvm::Value* const b_end = builder.CreateAdd(b_begin, length_of(builder, b));
    return builder.CreateOr(builder.CreateICmpULE(a_end, b_begin), builder.CreateICmpULE(b_end, a_begin));
  }

  // The checks as the loop would make them: round by round.
  void single_checks(llvm::Instruction* before) {
    llvm::BasicBlock* const from = before->getParent();
    llvm::BasicBlock* const after = llvm::SplitBlock(from, before);
    auto* const round = llvm::BasicBlock::Create(from->getContext(), "deadheat.round", from->getParent(), after);
    from->getTerminator()->setSuccessor(0, round);
    llvm::IRBuilder<> builder(round);
    llvm::PHINode* const number = builder.CreatePHI(word_, 2);
    for (const Stream& stream : sweep_.streams) {
      builder.SetCurrentDebugLocation(stream.access->at->getDebugLoc());
      Access single = *stream.access;
      single.address = builder.CreatePtrAdd(stream.first, builder.CreateMul(number, builder.getInt64(stream.step)));
      emitter_.check_single(builder, single);
    }
    llvm::Value* const next = builder.CreateAdd(number, builder.getInt64(1));
    builder.CreateCondBr(builder.CreateICmpUGT(next, sweep_.last_round), after, round);
    number->addIncoming(builder.getInt64(0), from);
    number->addIncoming(next, round);
  }

  Sweep& sweep_;
  Emitter& emitter_;
  llvm::Type* word_ = nullptr;
};

}  // namespace

bool check_loops_by_sweeps(llvm::Function& function, Accesses& accesses, const LoopAnalyses& analyses,
                           Emitter& emitter) {
  std::vector<Sweep> sweeps = Finder(accesses, analyses).find();
  // First the values that the analyses know of, while they are right; then the blocks change.
  llvm::SCEVExpander expander(analyses.evolution, function.getDataLayout(), "deadheat");
  const auto can_expand = [&](const Sweep& sweep) {
    const llvm::Instruction* const at = sweep.loop->getLoopPreheader()->getTerminator();
    if (!expander.isSafeToExpandAt(sweep.rounds_less_one, at)) return false;
    return llvm::all_of(sweep.streams, [&](const Stream& s) { return expander.isSafeToExpandAt(s.begins, at); });
  };
  llvm::erase_if(sweeps, [&](const Sweep& sweep) { return !can_expand(sweep); });
  for (Sweep& sweep : sweeps) {
    llvm::Instruction* const at = sweep.before = sweep.loop->getLoopPreheader()->getTerminator();
    llvm::Value* const rounds = expander.expandCodeFor(sweep.rounds_less_one, sweep.rounds_less_one->getType(), at);
    sweep.last_round = llvm::IRBuilder<>(at).CreateZExt(rounds, llvm::Type::getInt64Ty(function.getContext()));
    for (Stream& stream : sweep.streams)
      stream.first = expander.expandCodeFor(stream.begins, stream.access->address->getType(), at);
  }
  for (Sweep& sweep : sweeps) {
    for (Access* access : sweep.accesses) mark_checked(*access->at);
    Writer(sweep, emitter).write();
  }
  return !sweeps.empty();
}

}  // namespace deadheat::pass
