#include "pass/emit.h"

#include <llvm/CodeGen/AtomicExpandUtils.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Transforms/Instrumentation.h>
#include <llvm/Transforms/Utils/EscapeEnumerator.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "base/pass_interface.h"

namespace deadheat::pass {
namespace {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

// As <stdatomic.h> numbers them.
uint32_t number_of(llvm::AtomicOrdering order) {
  switch (order) {
    case llvm::AtomicOrdering::NotAtomic:
    case llvm::AtomicOrdering::Unordered:
    case llvm::AtomicOrdering::Monotonic:
      return 0;
    case llvm::AtomicOrdering::Acquire:
      return 2;
    case llvm::AtomicOrdering::Release:
      return 3;
    case llvm::AtomicOrdering::AcquireRelease:
      return 4;
    case llvm::AtomicOrdering::SequentiallyConsistent:
      return 5;
  }
  llvm_unreachable("an order that LLVM 19 does not have");
}

// The suffix of the entry point that does the operation; none if there is no such entry point.
llvm::StringRef suffix_of(llvm::AtomicRMWInst::BinOp operation) {
  switch (operation) {
    case llvm::AtomicRMWInst::Xchg:
      return "_exchange";
    case llvm::AtomicRMWInst::Add:
      return "_fetch_add";
    case llvm::AtomicRMWInst::Sub:
      return "_fetch_sub";
    case llvm::AtomicRMWInst::And:
      return "_fetch_and";
    case llvm::AtomicRMWInst::Or:
      return "_fetch_or";
    case llvm::AtomicRMWInst::Xor:
      return "_fetch_xor";
    case llvm::AtomicRMWInst::Nand:
      return "_fetch_nand";
    default:
      return "";
  }
}

constexpr unsigned kLanesOfCall = 64;  // a mask is one word

bool has_entry_of_its_size(uint64_t bytes) { return bytes <= 16 && llvm::isPowerOf2_64(bytes); }

}  // namespace

Emitter::Emitter(llvm::Module& module, bool in_line)
    : module_(module),
      inline_(module),
      in_line_(in_line),
      layout_(module.getDataLayout()),
      nothing_(llvm::Type::getVoidTy(module.getContext())),
      pointer_(llvm::PointerType::getUnqual(module.getContext())),
      word_(layout_.getIntPtrType(module.getContext())),
      order_(llvm::Type::getInt32Ty(module.getContext())) {}

llvm::FunctionCallee Emitter::entry(const llvm::Twine& name, llvm::Type* result,
                                    llvm::ArrayRef<llvm::Type*> arguments) {
  llvm::AttributeList attributes;
  attributes = attributes.addFnAttribute(module_.getContext(), llvm::Attribute::NoUnwind);
  return module_.getOrInsertFunction(name.str(), llvm::FunctionType::get(result, arguments, false), attributes);
}

bool Emitter::begin(const llvm::Function& function, const Accesses& accesses) {
  bool is_leaf = in_line_ && !accesses.has_calls && accesses.atomics.empty() && accesses.copies.empty();
  bool checks = !accesses.atomics.empty() || !accesses.copies.empty();
  for (const Access& access : accesses.plain) {
    if (!access.needed) continue;
    checks = true;
    is_leaf &= access.in_line && access.form == Form::kBytes && InlineChecks::can_test(access.bytes);
  }
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    if (isa<llvm::AllocaInst>(instruction)) is_leaf = false;
  checks |= !accesses.merged.empty();
  inline_.set_leaf(is_leaf);
  return !is_leaf && (checks || accesses.has_calls);
}

namespace {
// Whether they are elements of one size and line that follow on another: the run time checks them together then.
bool are_alike(const Accesses& accesses, const Merged& merged) {
  const Access& first = accesses.plain[merged.members.front().index];
  int64_t next = 0;
  return llvm::all_of(merged.members, [&](const Merged::Member& member) {
    const Access& access = accesses.plain[member.index];
    const bool follows = member.distance == next && access.bytes == first.bytes && is_of_one_line(access, first);
    next += static_cast<int64_t>(first.bytes);
    return follows;
  });
}
}  // namespace

void Emitter::check_merged(const Accesses& accesses, const Merged& merged) {
  const Access& first = accesses.plain[merged.members.front().index];
  llvm::InstrumentationIRBuilder builder(first.at);
  const auto at = [&](llvm::IRBuilder<>& where, int64_t distance) {
    return distance == 0 ? first.address : where.CreatePtrAdd(first.address, where.getInt64(distance));
  };
  const auto each = [&](llvm::IRBuilder<>& where) {
    if (are_alike(accesses, merged)) {
      where.SetCurrentDebugLocation(first.at->getDebugLoc());
      return inline_.call_miss(where, first.address, first.bytes, first.writes, merged.members.size());
    }
    for (const auto& [index, distance] : merged.members) {
      const Access& member = accesses.plain[index];
      where.SetCurrentDebugLocation(member.at->getDebugLoc());
      llvm::InstrumentationIRBuilder::ensureDebugInfo(where, *first.at->getFunction());
      inline_.call_miss(where, at(where, distance), member.bytes, member.writes);
    }
  };
  const uint64_t distance = static_cast<uint64_t>(std::abs(merged.begin));
  inline_.check(first.at, at(builder, merged.begin), merged.bytes, llvm::commonAlignment(first.align, distance),
                first.writes, each);
}

void Emitter::put_in_line(llvm::Function& function) {
  if (!in_line_) return;
  llvm::SmallVector<llvm::CallInst*> calls;  // the blocks change
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* const call = dyn_cast<llvm::CallInst>(&instruction);
    const llvm::Function* const called = call == nullptr ? nullptr : call->getCalledFunction();
    if (called != nullptr && called->isDeclaration()) calls.push_back(call);
  }
  for (llvm::CallInst* const call : calls) {
    llvm::StringRef name = call->getCalledFunction()->getName();
    if (!name.consume_front("__tsan_")) continue;
    const bool aligned = !name.consume_front("unaligned_"), writes = name.consume_front("write");
    uint64_t bytes = 0;
    if ((!writes && !name.consume_front("read")) || name.getAsInteger(10, bytes)) continue;
    inline_.check(call, call->getArgOperand(0), bytes, llvm::Align(aligned ? bytes : 1), writes);
    call->eraseFromParent();
  }
}

void Emitter::check(const Access& access) {
  llvm::InstrumentationIRBuilder builder(access.at);
  switch (access.form) {
    case Form::kBytes:
      return check_bytes(builder, access);
    case Form::kVptr:
      return check_vptr(builder, access);
    case Form::kMasked:
    case Form::kPacked:
    case Form::kGathered:
      return check_lanes(builder, access);
    case Form::kIndexed:
      return check_lanes(builder, with_addresses(builder, access));
  }
}

void Emitter::check_sweep(llvm::IRBuilder<>& builder, const Access& access, llvm::Value* begin, int64_t step,
                          llvm::Value* count) {
  const char* const name = access.writes ? "write" : "read";
  const auto function =
      entry(llvm::Twine("__deadheat_sweep_") + name + llvm::Twine(access.bytes), nothing_, {pointer_, word_, word_});
  llvm::CallInst* const call = builder.CreateCall(function, {begin, llvm::ConstantInt::getSigned(word_, step), count});
  call->addFnAttr(llvm::Attribute::NoMerge);  // each has its own place in the source
}

void Emitter::check_bytes(llvm::IRBuilder<>& builder, const Access& access) {
  const char* const name = access.writes ? "write" : "read";
  if (!has_entry_of_its_size(access.bytes)) {
    builder.CreateCall(entry(llvm::Twine("__tsan_") + name + "_range", nothing_, {pointer_, word_}),
                       {access.address, llvm::ConstantInt::get(word_, access.bytes)});
    return;
  }
  if (access.in_line)
    return inline_.check(&*builder.GetInsertPoint(), access.address, access.bytes, access.align, access.writes);
  // The run time's words have four bytes, so that a multiple of eight is as good as one of sixteen.
  const bool aligned = access.align >= llvm::Align(8) || access.align.value() % access.bytes == 0;
  const auto function = entry(llvm::Twine("__tsan_") + (aligned ? "" : "unaligned_") + name + llvm::Twine(access.bytes),
                              nothing_, {pointer_});
  builder.CreateCall(function, {access.address})->addFnAttr(llvm::Attribute::NoMerge);
}

void Emitter::check_vptr(llvm::IRBuilder<>& builder, const Access& access) {
  const uint64_t size = layout_.getPointerSize();
  auto* store = dyn_cast<llvm::StoreInst>(access.at);
  if (access.bytes % size != 0) return check_bytes(builder, access);
  if (store == nullptr) {
    if (access.bytes != size) return check_bytes(builder, access);
    const auto call = [&](llvm::IRBuilder<>& at) {
      at.CreateCall(entry("__tsan_vptr_read", nothing_, {pointer_}), {access.address});
    };
    if (!access.in_line) return call(builder);
    return inline_.check(access.at, access.address, size, access.align, false, call);
  }
  // An optimised constructor of a class with several bases stores several at once.
  llvm::Value* const stored = store->getValueOperand();
  auto* const vector = dyn_cast<llvm::FixedVectorType>(stored->getType());
  if (access.bytes != size && (vector == nullptr || access.bytes / size != vector->getNumElements()))
    return check_bytes(builder, access);
  for (uint64_t i = 0; i < access.bytes / size; ++i) {
    llvm::Value* value = vector == nullptr ? stored : builder.CreateExtractElement(stored, i);
    if (value->getType()->isIntegerTy()) value = builder.CreateIntToPtr(value, pointer_);
    if (!value->getType()->isPointerTy()) return check_bytes(builder, access);
    builder.CreateCall(entry("__tsan_vptr_update", nothing_, {pointer_, pointer_}),
                       {builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), access.address, i * size), value});
  }
}

// One bit for each lane, the first lane in the lowest. Masks of the processor are lanes whose highest bit counts.
llvm::Value* Emitter::mask_bits(llvm::IRBuilder<>& builder, llvm::Value* mask) {
  auto* const type = cast<llvm::FixedVectorType>(mask->getType());
  const unsigned lanes = type->getNumElements();
  if (!type->getElementType()->isIntegerTy(1)) {
    auto* const integers = llvm::FixedVectorType::get(builder.getIntNTy(type->getScalarSizeInBits()), lanes);
    mask = builder.CreateICmpSLT(builder.CreateBitCast(mask, integers), llvm::Constant::getNullValue(integers));
  }
  return builder.CreateZExt(builder.CreateBitCast(mask, builder.getIntNTy(lanes)), builder.getInt64Ty());
}

// The same as lanes at a vector of addresses.
Access Emitter::with_addresses(llvm::IRBuilder<>& builder, const Access& indexed) {
  const auto lanes_of = [](llvm::Value* vector) {
    return cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
  };
  const unsigned lanes = std::min(lanes_of(indexed.index), lanes_of(indexed.mask));
  llvm::SmallVector<int> first;
  for (unsigned i = 0; i < lanes; ++i) first.push_back(static_cast<int>(i));
  const auto used = [&](llvm::Value* vector) {
    return lanes_of(vector) == lanes ? vector : builder.CreateShuffleVector(vector, first);
  };
  auto* const words = llvm::FixedVectorType::get(builder.getInt64Ty(), lanes);
  llvm::Value* const index = builder.CreateSExt(used(indexed.index), words);
  llvm::Value* const distance = builder.CreateMul(index, llvm::ConstantInt::get(words, indexed.scale));
  Access gathered = indexed;
  gathered.form = Form::kGathered;
  gathered.address = builder.CreateGEP(builder.getInt8Ty(), indexed.address, distance);
  gathered.mask = used(indexed.mask);
  return gathered;
}

void Emitter::check_lanes(llvm::IRBuilder<>& builder, const Access& access) {
  const unsigned lanes = cast<llvm::FixedVectorType>(access.mask->getType())->getNumElements();
  llvm::Value* const bytes = llvm::ConstantInt::get(word_, access.bytes);
  const char* const name = access.writes ? "write" : "read";
  if (access.form == Form::kPacked) {
    auto* const count_type = builder.getIntNTy(lanes);
    llvm::Value* const count =
        builder.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, builder.CreateBitCast(access.mask, count_type));
    builder.CreateCall(entry(llvm::Twine("__tsan_") + name + "_range", nothing_, {pointer_, word_}),
                       {access.address, builder.CreateMul(builder.CreateZExtOrTrunc(count, word_), bytes)});
    return;
  }
  llvm::Value* where = access.address;
  const bool gathered = access.form == Form::kGathered;
  if (gathered) {
    llvm::IRBuilder<> at_start(&*access.at->getFunction()->getEntryBlock().getFirstInsertionPt());
    where = at_start.CreateAlloca(access.address->getType(), nullptr, "deadheat.addresses");
    builder.CreateStore(access.address, where);
  }
  const auto function = entry(llvm::Twine("__deadheat_") + name + (gathered ? "_gathered" : "_masked"), nothing_,
                              {pointer_, builder.getInt64Ty(), word_});
  for (unsigned first = 0; first < lanes; first += kLanesOfCall) {
    llvm::Value* mask = access.mask;
    if (lanes > kLanesOfCall) {
      llvm::SmallVector<int> picked;
      for (unsigned i = first; i < std::min(first + kLanesOfCall, lanes); ++i) picked.push_back(static_cast<int>(i));
      mask = builder.CreateShuffleVector(mask, picked);
    }
    const uint64_t step = gathered ? layout_.getPointerSize() : access.bytes;
    builder.CreateCall(function, {builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), where, first * step),
                                  mask_bits(builder, mask), bytes});
  }
}

void Emitter::replace_copy(llvm::MemIntrinsic& copy) {
  llvm::InstrumentationIRBuilder builder(&copy);
  llvm::Value* const bytes = builder.CreateZExtOrTrunc(copy.getLength(), word_);
  if (auto* fill = dyn_cast<llvm::MemSetInst>(&copy)) {
    llvm::Value* const value = builder.CreateIntCast(fill->getValue(), builder.getInt32Ty(), false);
    builder.CreateCall(entry("__tsan_memset", pointer_, {pointer_, builder.getInt32Ty(), word_}),
                       {fill->getDest(), value, bytes});
  } else {
    auto* const transfer = cast<llvm::MemTransferInst>(&copy);
    const char* const name = isa<llvm::MemMoveInst>(transfer) ? "__tsan_memmove" : "__tsan_memcpy";
    builder.CreateCall(entry(name, pointer_, {pointer_, pointer_, word_}),
                       {transfer->getDest(), transfer->getSource(), bytes});
  }
  copy.eraseFromParent();
}

void Emitter::replace_atomic(llvm::Instruction& instruction) {
  llvm::InstrumentationIRBuilder builder(&instruction);
  const auto order = [&](llvm::AtomicOrdering of) { return llvm::ConstantInt::get(order_, number_of(of)); };
  if (auto* fence = dyn_cast<llvm::FenceInst>(&instruction)) {
    const bool signal = fence->getSyncScopeID() == llvm::SyncScope::SingleThread;
    builder.CreateCall(entry(signal ? "__tsan_atomic_signal_fence" : "__tsan_atomic_thread_fence", nothing_, {order_}),
                       {order(fence->getOrdering())});
    instruction.eraseFromParent();
    return;
  }
  auto* const load = dyn_cast<llvm::LoadInst>(&instruction);
  auto* const store = dyn_cast<llvm::StoreInst>(&instruction);
  auto* const modify = dyn_cast<llvm::AtomicRMWInst>(&instruction);
  auto* const exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
  llvm::Value* const address = load     ? load->getPointerOperand()
                               : store  ? store->getPointerOperand()
                               : modify ? modify->getPointerOperand()
                                        : exchange->getPointerOperand();
  llvm::Type* const type = load     ? load->getType()
                           : store  ? store->getValueOperand()->getType()
                           : modify ? modify->getType()
                                    : exchange->getCompareOperand()->getType();
  const uint64_t bytes = layout_.getTypeStoreSize(type).getFixedValue();
  if (!has_entry_of_its_size(bytes) || address->getType()->getPointerAddressSpace() != 0) return;
  const unsigned bits = static_cast<unsigned>(bytes) * 8;
  auto* const integer = builder.getIntNTy(bits);
  const auto as_integer = [&](llvm::Value* value) { return builder.CreateBitOrPointerCast(value, integer); };
  const std::string prefix = ("__tsan_atomic" + llvm::Twine(bits)).str();
  llvm::Value* result = nullptr;
  if (load != nullptr) {
    result =
        builder.CreateCall(entry(prefix + "_load", integer, {pointer_, order_}), {address, order(load->getOrdering())});
    result = builder.CreateBitOrPointerCast(result, type);
  } else if (store != nullptr) {
    builder.CreateCall(entry(prefix + "_store", nothing_, {pointer_, integer, order_}),
                       {address, as_integer(store->getValueOperand()), order(store->getOrdering())});
  } else if (modify != nullptr) {
    const llvm::StringRef suffix = suffix_of(modify->getOperation());
    if (suffix.empty()) return modify_by_loop(*modify, bits);
    result = builder.CreateCall(entry(prefix + suffix.str(), integer, {pointer_, integer, order_}),
                                {address, as_integer(modify->getValOperand()), order(modify->getOrdering())});
    result = builder.CreateBitOrPointerCast(result, type);
  } else {
    llvm::Value* const expected = as_integer(exchange->getCompareOperand());
    llvm::Value* const old = builder.CreateCall(
        entry(prefix + "_compare_exchange_val", integer, {pointer_, integer, integer, order_, order_}),
        {address, expected, as_integer(exchange->getNewValOperand()), order(exchange->getSuccessOrdering()),
         order(exchange->getFailureOrdering())});
    llvm::Value* const done = builder.CreateICmpEQ(old, expected);
    result = builder.CreateInsertValue(llvm::PoisonValue::get(exchange->getType()),
                                       builder.CreateBitOrPointerCast(old, type), 0);
    result = builder.CreateInsertValue(result, done, 1);
  }
  if (result != nullptr) instruction.replaceAllUsesWith(result);
  instruction.eraseFromParent();
}

// Operations without an entry point (minimum, floating point): compare and exchange until nobody came between.
void Emitter::modify_by_loop(llvm::AtomicRMWInst& modify, unsigned bits) {
  llvm::expandAtomicRMWToCmpXchg(&modify, [&](llvm::IRBuilderBase& builder, llvm::Value* address, llvm::Value* expected,
                                              llvm::Value* wanted, llvm::Align, llvm::AtomicOrdering of,
                                              llvm::SyncScope::ID, llvm::Value*& done, llvm::Value*& loaded) {
    auto* const integer = builder.getIntNTy(bits);
    const auto function = entry("__tsan_atomic" + llvm::Twine(bits) + "_compare_exchange_val", integer,
                                {pointer_, integer, integer, order_, order_});
    const auto failure = llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(of);
    llvm::Value* const before = builder.CreateBitOrPointerCast(expected, integer);
    llvm::Value* const old = builder.CreateCall(
        function, {address, before, builder.CreateBitOrPointerCast(wanted, integer),
                   llvm::ConstantInt::get(order_, number_of(of)), llvm::ConstantInt::get(order_, number_of(failure))});
    done = builder.CreateICmpEQ(old, before);
    loaded = builder.CreateBitOrPointerCast(old, expected->getType());
  });
}

void Emitter::function_frames(llvm::Function& function, bool exceptions) {
  if (in_line_) return inline_.function_frames(function, exceptions);
  llvm::InstrumentationIRBuilder builder(&*function.getEntryBlock().getFirstNonPHIIt());
  llvm::Value* const caller = builder.CreateIntrinsic(llvm::Intrinsic::returnaddress, {}, {builder.getInt32(0)});
  builder.CreateCall(entry("__tsan_func_entry", nothing_, {pointer_}), {caller});
  llvm::EscapeEnumerator exits(function, "deadheat.unwinding", exceptions);
  while (llvm::IRBuilder<>* exit = exits.Next()) {
    llvm::InstrumentationIRBuilder::ensureDebugInfo(*exit, function);
    exit->CreateCall(entry("__tsan_func_exit", nothing_, {}), {});
  }
}

void Emitter::ignore_within(llvm::Function& function, bool exceptions) {
  llvm::InstrumentationIRBuilder builder(&*function.getEntryBlock().getFirstNonPHIIt());
  builder.CreateCall(entry("__tsan_ignore_thread_begin", nothing_, {}), {});
  llvm::EscapeEnumerator exits(function, "deadheat.ignoring", exceptions);
  while (llvm::IRBuilder<>* exit = exits.Next()) {
    llvm::InstrumentationIRBuilder::ensureDebugInfo(*exit, function);
    exit->CreateCall(entry("__tsan_ignore_thread_end", nothing_, {}), {});
  }
}

void Emitter::announce_interface() {
  auto* const number = llvm::Type::getInt32Ty(module_.getContext());
  llvm::getOrCreateSanitizerCtorAndInitFunctions(
      module_, "deadheat.module_ctor", "__deadheat_pass_interface", {number},
      {llvm::ConstantInt::get(number, pass_interface::kVersion)},
      [&](llvm::Function* constructor, llvm::FunctionCallee) { llvm::appendToGlobalCtors(module_, constructor, 0); });
}

}  // namespace deadheat::pass
