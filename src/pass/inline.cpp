#include "pass/inline.h"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Instrumentation.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/EscapeEnumerator.h>

#include "base/pass_interface.h"

namespace deadheat::pass {

using llvm::dyn_cast;
namespace run_time = pass_interface;

namespace {
constexpr size_t kFewChecks = 16;
}

void choose_in_line(const llvm::Function& function, Accesses& accesses, const llvm::BlockFrequencyInfo& frequencies) {
  std::vector<Access*> checked;
  for (Access& access : accesses.plain)
    if (access.needed) checked.push_back(&access);
  const auto frequency = [&](const Access* access) { return frequencies.getBlockFreq(access->at->getParent()); };
  if (accesses.has_calls || checked.size() > kFewChecks) {
    const auto once = frequencies.getBlockFreq(&function.getEntryBlock());
    const size_t most = std::max(kFewChecks, checked.size() / 4);
    llvm::erase_if(checked, [&](const Access* access) { return frequency(access) <= once; });
    llvm::stable_sort(checked, [&](const Access* a, const Access* b) { return frequency(a) > frequency(b); });
    if (checked.size() > most) checked.resize(most);
  }
  for (Access* access : checked) access->in_line = true;
}

InlineChecks::InlineChecks(llvm::Module& module)
    : module_(module),
      nothing_(llvm::Type::getVoidTy(module.getContext())),
      pointer_(llvm::PointerType::getUnqual(module.getContext())),
      int32_(llvm::Type::getInt32Ty(module.getContext())),
      int64_(llvm::Type::getInt64Ty(module.getContext())),
      unlikely_(llvm::MDBuilder(module.getContext()).createUnlikelyBranchWeights()) {}

llvm::FunctionCallee InlineChecks::outside(const llvm::Twine& name, llvm::ArrayRef<llvm::Type*> arguments,
                                           bool preserves) {
  llvm::FunctionCallee callee =
      module_.getOrInsertFunction(name.str(), llvm::FunctionType::get(nothing_, arguments, false));
  if (auto* function = dyn_cast<llvm::Function>(callee.getCallee())) {
    function->addFnAttr(llvm::Attribute::NoUnwind);
    if (preserves) {
      function->setCallingConv(llvm::CallingConv::PreserveMost);
      function->addFnAttr(llvm::Attribute::NonLazyBind);  // the dynamic linker's own code would use r10
    }
  }
  return callee;
}

llvm::Value* InlineChecks::thread(llvm::IRBuilder<>& builder) {
  auto* global = module_.getNamedGlobal(run_time::kThreadSymbol);
  if (global == nullptr)
    global = new llvm::GlobalVariable(module_, llvm::ArrayType::get(builder.getInt8Ty(), 64), false,
                                      llvm::GlobalValue::ExternalLinkage, nullptr, run_time::kThreadSymbol, nullptr,
                                      llvm::GlobalValue::InitialExecTLSModel);
  return builder.CreateThreadLocalAddress(global);
}

llvm::Value* InlineChecks::field(llvm::IRBuilder<>& builder, unsigned offset, llvm::Type* type) {
  return builder.CreateLoad(type, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), thread(builder), offset));
}

// Zero if the cells of all words are the current id. `last` is the cell of the last byte, where that may be another
// one than those that the size tells of.
llvm::Value* InlineChecks::differences(llvm::IRBuilder<>& builder, llvm::Value* cells, llvm::Value* last,
                                       uint64_t bytes) {
  const auto load = [&](llvm::Type* type, llvm::Value* at, uint64_t offset) {
    return builder.CreateAlignedLoad(type, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), at, offset),
                                     llvm::Align(4));
  };
  llvm::Type* const type = bytes <= 4 ? int32_ : int64_;
  llvm::Value* const current = field(builder, run_time::kCurrent, type);
  llvm::Value* all = builder.CreateXor(load(type, cells, 0), current);
  if (bytes == 16) all = builder.CreateOr(all, builder.CreateXor(load(type, cells, 8), current));
  if (last != nullptr) {
    llvm::Value* const one = builder.CreateTrunc(current, int32_);
    all = builder.CreateOr(all, builder.CreateZExt(builder.CreateXor(load(int32_, last, 0), one), type));
  }
  return all;
}

// Of a variable that the compiler places itself, at a distance that it knows.
bool InlineChecks::is_surely_aligned(const llvm::Value* address, uint64_t bytes) const {
  const auto& layout = module_.getDataLayout();
  llvm::APInt offset(layout.getIndexTypeSizeInBits(address->getType()), 0);
  const llvm::Value* const base = address->stripAndAccumulateConstantOffsets(layout, offset, true);
  if (offset.getZExtValue() % bytes != 0) return false;
  if (const auto* local = dyn_cast<llvm::AllocaInst>(base)) return local->getAlign().value() % bytes == 0;
  const auto* global = dyn_cast<llvm::GlobalVariable>(base);
  return global != nullptr && global->hasExactDefinition() && global->getAlign().valueOrOne().value() % bytes == 0;
}

void InlineChecks::check(llvm::Instruction* at, llvm::Value* address, uint64_t bytes, llvm::Align align, bool writes,
                         llvm::function_ref<void(llvm::IRBuilder<>&)> miss) {
  llvm::InstrumentationIRBuilder builder(at);
  const uint64_t step = std::min<uint64_t>(bytes, 4);
  const bool aligned = align.value() >= step;
  llvm::Value* const number = builder.CreatePtrToInt(address, int64_);
  llvm::Value* const mask = field(builder, run_time::kMask, int64_);
  llvm::Value* const place = builder.CreateAnd(number, mask);
  llvm::Value* const last_place =
      aligned ? nullptr : builder.CreateAnd(builder.CreateAdd(number, builder.getInt64(bytes - 1)), mask);
  const auto cells_at = [&](unsigned plane, llvm::Value* where) {
    return where == nullptr ? nullptr : builder.CreateGEP(builder.getInt8Ty(), field(builder, plane, pointer_), where);
  };
  const auto test = [&](unsigned plane) {
    llvm::Value* const all = differences(builder, cells_at(plane, place), cells_at(plane, last_place), bytes);
    if (!aligned || bytes == 1 || is_surely_aligned(address, step)) return builder.CreateIsNotNull(all);
    llvm::Value* const odd = builder.CreateAnd(builder.CreateTrunc(number, all->getType()), step - 1);
    return builder.CreateIsNotNull(builder.CreateOr(all, odd));
  };
  llvm::Value* const misses = test(writes ? run_time::kWriteCells : run_time::kReadCells);
  builder.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(misses, &*builder.GetInsertPoint(), false, unlikely_));
  miss ? miss(builder) : call_miss(builder, address, bytes, writes);
}

void InlineChecks::call_miss(llvm::IRBuilder<>& builder, llvm::Value* address, uint64_t bytes, bool writes,
                             uint64_t count) {
  llvm::SmallVector<llvm::Value*, 2> arguments = {address};
  llvm::SmallVector<llvm::Type*, 2> types = {pointer_};
  if (is_leaf_) {
    arguments.push_back(builder.CreateIntrinsic(llvm::Intrinsic::returnaddress, {}, {builder.getInt32(0)}));
    types.push_back(pointer_);
  }
  std::string name = std::string("__deadheat_") + (writes ? "write" : "read") + std::to_string(bytes);
  if (count > 1) name += "x" + std::to_string(count);
  llvm::CallInst* const call = builder.CreateCall(outside(name + (is_leaf_ ? "_leaf" : ""), types, true), arguments);
  call->setCallingConv(llvm::CallingConv::PreserveMost);
  call->addFnAttr(llvm::Attribute::NoMerge);  // each has its own place in the source
}

void InlineChecks::function_frames(llvm::Function& function, bool exceptions) {
  // Locals stay in the first block, where they cost nothing.
  llvm::BasicBlock& entry = function.getEntryBlock();
  llvm::SmallVector<llvm::AllocaInst*> locals;
  for (llvm::Instruction& instruction : entry)
    if (auto* local = dyn_cast<llvm::AllocaInst>(&instruction); local != nullptr && local->isStaticAlloca())
      locals.push_back(local);
  for (llvm::AllocaInst* local : llvm::reverse(locals)) local->moveBefore(entry, entry.begin());
  llvm::Instruction* const first = locals.empty() ? &*entry.getFirstNonPHIIt() : locals.back()->getNextNode();

  llvm::InstrumentationIRBuilder builder(first);
  llvm::Value* const caller = builder.CreateIntrinsic(llvm::Intrinsic::returnaddress, {}, {builder.getInt32(0)});
  llvm::Value* const sp = field(builder, run_time::kSp, pointer_);
  llvm::Instruction *full = nullptr, *has_room = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(builder.CreateICmpEQ(sp, field(builder, run_time::kLimit, pointer_)), first,
                                      &full, &has_room, unlikely_);
  builder.SetInsertPoint(full);
  builder.CreateCall(outside("__tsan_func_entry", {pointer_}, false), {caller});
  builder.SetInsertPoint(has_room);
  builder.CreateStore(caller, sp);
  auto* const name = llvm::MDNode::get(module_.getContext(), {llvm::MDString::get(module_.getContext(), "rsp")});
  llvm::Value* const stack = builder.CreateIntrinsic(llvm::Intrinsic::read_register, {int64_},
                                                     {llvm::MetadataAsValue::get(module_.getContext(), name)});
  const auto at = [&](llvm::Value* base, int64_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, static_cast<uint64_t>(offset));
  };
  builder.CreateStore(builder.CreateShl(builder.CreateSub(stack, builder.getInt64(8)), 32), at(sp, 8));
  builder.CreateStore(at(sp, run_time::kFrameBytes),
                      builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), thread(builder), run_time::kSp));

  llvm::EscapeEnumerator exits(function, "deadheat.unwinding", exceptions);
  while (llvm::IRBuilder<>* exit = exits.Next()) {
    llvm::InstrumentationIRBuilder::ensureDebugInfo(*exit, function);
    // No branch: the exits are enumerated block by block.
    llvm::Value* const top = field(*exit, run_time::kSp, int64_);
    llvm::Value* const any = exit->CreateICmpNE(top, field(*exit, run_time::kBase, int64_));
    llvm::Value* const bytes = exit->CreateSelect(any, exit->getInt64(run_time::kFrameBytes), exit->getInt64(0));
    exit->CreateStore(exit->CreateSub(top, bytes),
                      exit->CreateConstInBoundsGEP1_64(exit->getInt8Ty(), thread(*exit), run_time::kSp));
  }
}

}  // namespace deadheat::pass
