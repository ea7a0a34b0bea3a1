#include "pass/access.h"

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/ProfileData/InstrProf.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/Local.h>

namespace deadheat::pass {
namespace {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

// The stock pass registers these by name in the same process.
bool option(const char* name, bool otherwise) {
  auto& options = llvm::cl::getRegisteredOptions();
  const auto found = options.find(name);
  return found == options.end() ? otherwise : static_cast<llvm::cl::opt<bool>*>(found->second)->getValue();
}

bool is_vptr(const llvm::Instruction& instruction) {
  const llvm::MDNode* tag = instruction.getMetadata(llvm::LLVMContext::MD_tbaa);
  return tag != nullptr && tag->isTBAAVtableAccess();
}

bool is_counter(const llvm::GlobalVariable& global) {
  if (global.getName().starts_with("__llvm_gcov") || global.getName().starts_with("__llvm_gcda")) return true;
  if (!global.hasSection()) return false;
  const auto format = llvm::Triple(global.getParent()->getTargetTriple()).getObjectFormat();
  return global.getSection().ends_with(llvm::getInstrProfSectionName(llvm::IPSK_cnts, format, false));
}

// Collects what the instructions of a function do.
class Collector {
 public:
  Collector(llvm::Function& function, const Asked& asked, const llvm::TargetLibraryInfo* library)
      : function_(function),
        layout_(function.getDataLayout()),
        asked_(asked),
        library_(library),
        watched_(function.hasFnAttribute(llvm::Attribute::SanitizeThread)) {}

  Accesses collect() {
    for (llvm::BasicBlock& block : function_)
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) look_at(instruction);
    return std::move(found_);
  }

 private:
  void look_at(llvm::Instruction& instruction) {
    if (instruction.hasMetadata(llvm::LLVMContext::MD_nosanitize)) return;
    if (is_atomic(instruction)) {
      if (asked_.atomics) found_.atomics.push_back(&instruction);  // also where accesses are not watched: they order
      return;
    }
    if (auto* load = dyn_cast<llvm::LoadInst>(&instruction)) return look_at_load(*load);
    if (auto* store = dyn_cast<llvm::StoreInst>(&instruction)) return look_at_store(*store);
    if (auto* call = dyn_cast<llvm::CallBase>(&instruction)) look_at_call(*call);
  }

  void look_at_load(llvm::LoadInst& load) {
    const auto bytes = layout_.getTypeStoreSize(load.getType());
    if (bytes.isScalable()) return;
    Access access = {&load, load.getPointerOperand(), bytes.getFixedValue(), load.getAlign(), false, load.isVolatile()};
    if (is_vptr(load)) access.form = Form::kVptr;
    add(access);
  }

  void look_at_store(llvm::StoreInst& store) {
    const auto bytes = layout_.getTypeStoreSize(store.getValueOperand()->getType());
    if (bytes.isScalable()) return;
    Access access = {&store, store.getPointerOperand(), bytes.getFixedValue(), store.getAlign(),
                     true,   store.isVolatile()};
    if (is_vptr(store)) access.form = Form::kVptr;
    add(access);
  }

  void look_at_call(llvm::CallBase& call) {
    if (isa<llvm::DbgInfoIntrinsic>(call)) return;
    if (auto* direct = dyn_cast<llvm::CallInst>(&call); direct != nullptr && library_ != nullptr)
      llvm::maybeMarkSanitizerLibraryCallNoBuiltin(direct, library_);
    if (!isa<llvm::IntrinsicInst>(call) || isa<llvm::MemIntrinsic>(call)) found_.has_calls = true;
    if (!watched_) return;
    if (auto* copy = dyn_cast<llvm::MemIntrinsic>(&call)) {
      if (asked_.copies) found_.copies.push_back(copy);
      return;
    }
    if (auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(&call)) return look_at_intrinsic(*intrinsic);
    // The call copies the object for the function called.
    for (unsigned i = 0; i < call.arg_size(); ++i) {
      if (!call.isByValArgument(i)) continue;
      const auto bytes = layout_.getTypeStoreSize(call.getParamByValType(i)).getFixedValue();
      add({&call, call.getArgOperand(i), bytes, call.getParamAlign(i).valueOrOne(), false});
    }
  }

  void look_at_intrinsic(llvm::IntrinsicInst& call) {
    const auto lane_bytes = [&](llvm::Type* vector) {
      return layout_.getTypeStoreSize(vector->getScalarType()).getFixedValue();
    };
    const auto lanes = [&](Form form, unsigned pointer, llvm::Value* mask, llvm::Type* vector, bool writes) {
      if (!isa<llvm::FixedVectorType>(vector)) return;
      Access access = {&call, call.getArgOperand(pointer), lane_bytes(vector), llvm::Align(1), writes};
      access.form = form;
      access.mask = mask;
      add(access);
    };
    const auto argument = [&](unsigned i) { return call.getArgOperand(i); };
    const auto indexed = [&](unsigned pointer, unsigned mask, unsigned index, llvm::Type* vector, bool writes) {
      Access access = {&call, argument(pointer), lane_bytes(vector), llvm::Align(1), writes};
      access.form = Form::kIndexed;
      access.mask = argument(mask);
      access.index = argument(index);
      access.scale = cast<llvm::ConstantInt>(argument(4))->getZExtValue();
      add(access);
    };
    // Those of the processor, by 32 and 64 bits, with indices of 32 and 64: a family each.
    const llvm::StringRef name = call.getCalledFunction()->getName();
    if (name.starts_with("llvm.x86.avx2.gather.")) return indexed(1, 3, 2, call.getType(), false);
    if (name.starts_with("llvm.x86.avx512.mask.gather")) return indexed(1, 3, 2, call.getType(), false);
    if (name.starts_with("llvm.x86.avx512.mask.scatter")) return indexed(0, 1, 2, argument(3)->getType(), true);
    switch (call.getIntrinsicID()) {
      case llvm::Intrinsic::masked_load:
        return lanes(Form::kMasked, 0, argument(2), call.getType(), false);
      case llvm::Intrinsic::masked_store:
        return lanes(Form::kMasked, 1, argument(3), argument(0)->getType(), true);
      case llvm::Intrinsic::masked_gather:
        return lanes(Form::kGathered, 0, argument(2), call.getType(), false);
      case llvm::Intrinsic::masked_scatter:
        return lanes(Form::kGathered, 1, argument(3), argument(0)->getType(), true);
      case llvm::Intrinsic::masked_expandload:
        return lanes(Form::kPacked, 0, argument(1), call.getType(), false);
      case llvm::Intrinsic::masked_compressstore:
        return lanes(Form::kPacked, 1, argument(2), argument(0)->getType(), true);
      case llvm::Intrinsic::x86_avx_maskload_pd:
      case llvm::Intrinsic::x86_avx_maskload_ps:
      case llvm::Intrinsic::x86_avx_maskload_pd_256:
      case llvm::Intrinsic::x86_avx_maskload_ps_256:
      case llvm::Intrinsic::x86_avx2_maskload_d:
      case llvm::Intrinsic::x86_avx2_maskload_q:
      case llvm::Intrinsic::x86_avx2_maskload_d_256:
      case llvm::Intrinsic::x86_avx2_maskload_q_256:
        return lanes(Form::kMasked, 0, argument(1), call.getType(), false);
      case llvm::Intrinsic::x86_avx_maskstore_pd:
      case llvm::Intrinsic::x86_avx_maskstore_ps:
      case llvm::Intrinsic::x86_avx_maskstore_pd_256:
      case llvm::Intrinsic::x86_avx_maskstore_ps_256:
      case llvm::Intrinsic::x86_avx2_maskstore_d:
      case llvm::Intrinsic::x86_avx2_maskstore_q:
      case llvm::Intrinsic::x86_avx2_maskstore_d_256:
      case llvm::Intrinsic::x86_avx2_maskstore_q_256:
        return lanes(Form::kMasked, 0, argument(1), argument(2)->getType(), true);
      case llvm::Intrinsic::x86_sse2_maskmov_dqu:
        return lanes(Form::kMasked, 2, argument(1), argument(0)->getType(), true);
      case llvm::Intrinsic::vastart:
        return add({&call, argument(0), kVaListBytes, llvm::Align(8), true});
      case llvm::Intrinsic::vacopy:
        add({&call, argument(1), kVaListBytes, llvm::Align(8), false});
        return add({&call, argument(0), kVaListBytes, llvm::Align(8), true});
      default:
        return;
    }
  }

  void add(const Access& access) {
    if (!watched_ || !asked_.memory_accesses || access.bytes == 0 || is_marked_checked(*access.at)) return;
    llvm::Value* address = access.address;
    if (access.form == Form::kGathered) {
      if (address->getType()->getScalarType()->getPointerAddressSpace() != 0) return;
    } else if (!sharing_.may_be_shared(address, access.writes)) {
      return;
    }
    found_.plain.push_back(access);
  }

  static constexpr uint64_t kVaListBytes = 24;  // of the x86-64 ABI

  llvm::Function& function_;
  const llvm::DataLayout& layout_;
  const Asked& asked_;
  const llvm::TargetLibraryInfo* library_;
  const bool watched_;
  Sharing sharing_;
  Accesses found_;
};

}  // namespace

Asked Asked::by_options() {
  return {option("tsan-instrument-memory-accesses", true), option("tsan-instrument-func-entry-exit", true),
          option("tsan-instrument-atomics", true),         option("tsan-instrument-memintrinsics", true),
          option("tsan-handle-cxx-exceptions", true),      option("tsan-instrument-read-before-write", false)};
}

bool is_atomic(const llvm::Instruction& instruction) {
  const auto scope = llvm::getAtomicSyncScopeID(&instruction);
  if (!scope) return false;
  if (isa<llvm::LoadInst>(instruction) || isa<llvm::StoreInst>(instruction))
    return *scope != llvm::SyncScope::SingleThread;
  return true;
}

bool Sharing::escapes(const llvm::Value* object) {
  const auto [known, is_new] = escapes_.try_emplace(object, true);
  if (!is_new) return known->second;
  const bool answer = llvm::PointerMayBeCaptured(object, true, true);
  return escapes_[object] = answer;
}

bool Sharing::may_be_shared(llvm::Value* address, bool writes) {
  if (address->getType()->getPointerAddressSpace() != 0 || address->isSwiftError()) return false;
  const llvm::Value* object = llvm::getUnderlyingObject(address, 0);
  if (const auto* global = dyn_cast<llvm::GlobalVariable>(object))
    return !(global->isConstant() && !writes) && !is_counter(*global);
  if (const auto* load = dyn_cast<llvm::LoadInst>(object); load != nullptr && !writes && is_vptr(*load)) return false;
  if (const auto* argument = dyn_cast<llvm::Argument>(object); argument != nullptr && argument->hasByValAttr())
    return escapes(argument);
  const llvm::AllocaInst* local = llvm::findAllocaForValue(address);
  return local == nullptr || escapes(local);
}

namespace {
llvm::MDNode* checked_group(llvm::Module& module) {
  llvm::NamedMDNode* named = module.getOrInsertNamedMetadata(kCheckedGroup);
  if (named->getNumOperands() == 0) named->addOperand(llvm::MDNode::getDistinct(module.getContext(), {}));
  return named->getOperand(0);
}
}  // namespace

void mark_checked(llvm::Instruction& instruction) {
  llvm::MDNode* group = checked_group(*instruction.getModule());
  constexpr unsigned kKind = llvm::LLVMContext::MD_access_group;
  instruction.setMetadata(kKind, llvm::uniteAccessGroups(instruction.getMetadata(kKind), group));
}

bool is_marked_checked(const llvm::Instruction& instruction) {
  const llvm::MDNode* groups = instruction.getMetadata(llvm::LLVMContext::MD_access_group);
  if (groups == nullptr) return false;
  const llvm::NamedMDNode* named = instruction.getModule()->getNamedMetadata(kCheckedGroup);
  if (named == nullptr || named->getNumOperands() == 0) return false;
  const llvm::MDNode* checked = named->getOperand(0);
  if (groups == checked) return true;
  return llvm::any_of(groups->operands(), [&](const llvm::MDOperand& group) { return group.get() == checked; });
}

bool is_of_one_line(const Access& a, const Access& b) {
  const llvm::DILocation *one = a.at->getDebugLoc(), *other = b.at->getDebugLoc();
  if (one == nullptr || other == nullptr) return one == other;  // without debug information there are no lines
  return one->getLine() == other->getLine() && one->getScope() == other->getScope() &&
         one->getInlinedAt() == other->getInlinedAt();
}

Accesses accesses_of(llvm::Function& function, const Asked& asked, const llvm::TargetLibraryInfo* library) {
  return Collector(function, asked, library).collect();
}

}  // namespace deadheat::pass
