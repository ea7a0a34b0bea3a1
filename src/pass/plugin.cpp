// libdeadheat-pass.so: Deadheat's instrumentation as a plugin of Clang (-fpass-plugin=).
//
// Idea      -fsanitize=thread stays on: the front end then marks the functions to watch (sanitize_thread, after
//           attributes and ignore lists), keeps debug information of virtual tables, and sources see
//           __has_feature(thread_sanitizer). Our pass runs at the same place of the pipeline as the stock one, right
//           before it, and leaves each function with the attribute disable_sanitizer_instrumentation: the stock pass
//           finds nothing left.
// Loops     Before the vectoriser runs, a first pass checks loops by sweeps (loops.h).
// Where     After all optimisations, as the stock pass (with -flto: of the compilation, before the link). What the
//           optimiser may do to a program without checks, it did. Checks are opaque to it: nothing moves over them.
// Without   A call without -fsanitize=thread has no function to watch, and the pass changes nothing.
// Versions  LLVM has no stable interface for passes: the plugin fits the version of LLVM that it was built with
//           (CMakeLists: llvm-19-dev). Another one is added by building this folder against it as well.
// Tested by test/pass
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include <cstdlib>

#include "pass/access.h"
#include "pass/covered.h"
#include "pass/emit.h"
#include "pass/loops.h"
#include "pass/merged.h"

namespace deadheat::pass {
namespace {

constexpr const char* kIgnoredAtRunTime = "sanitize_thread_no_checking_at_run_time";

bool is_watched(const llvm::Function& function) { return function.hasFnAttribute(llvm::Attribute::SanitizeThread); }

bool is_left_alone(const llvm::Function& function) {
  return function.isDeclaration() || function.getName() == "tsan.module_ctor" ||
         function.hasFnAttribute(llvm::Attribute::Naked) ||
         function.hasFnAttribute(llvm::Attribute::DisableSanitizerInstrumentation);
}

// The dynamic linker calls these while it relocates the program. The run time cannot be called yet: if the address of the
// function that they choose is in data, not even the addresses of other modules' functions are there.
void leave_resolvers_alone(llvm::Module& module) {
  for (llvm::GlobalIFunc& chosen : module.ifuncs())
    if (llvm::Function* const resolver = chosen.getResolverFunction())
      resolver->addFnAttr(llvm::Attribute::DisableSanitizerInstrumentation);
}

// Which parts of the pass are on: all, or those that DEADHEAT_PASS lists (for measurements, docs/pass.md).
struct Parts {
  bool in_line = true, covered = true, merged = true, ranges = true;

  static Parts of_environment(llvm::LLVMContext& context) {
    const char* const listed = std::getenv("DEADHEAT_PASS");
    if (listed == nullptr || llvm::StringRef(listed).empty() || llvm::StringRef(listed) == "1") return {};
    Parts parts = {false, false, false, false};
    llvm::SmallVector<llvm::StringRef> names;
    llvm::StringRef(listed).split(names, ',');
    for (const llvm::StringRef name : names) {
      if (name == "inline")
        parts.in_line = true;
      else if (name == "covered")
        parts.covered = true;
      else if (name == "merged")
        parts.merged = true;
      else if (name == "ranges")
        parts.ranges = true;
      else if (name != "calls")
        context.emitError("DEADHEAT_PASS: '" + name +
                          "' is no part of the pass: calls, inline, covered, merged, ranges");
    }
    return parts;
  }
};

class Ranges : public llvm::PassInfoMixin<Ranges> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    if (llvm::none_of(module, is_watched) || !Parts::of_environment(module.getContext()).ranges)
      return llvm::PreservedAnalyses::all();
    leave_resolvers_alone(module);
    auto& functions = analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
    const Asked asked = Asked::by_options();
    Emitter emitter(module, false);
    const QuietFunctions quiet(module);
    bool changed = false;
    for (llvm::Function& function : module) {
      if (is_left_alone(function) || !is_watched(function) || function.hasOptNone()) continue;
      auto& loops = functions.getResult<llvm::LoopAnalysis>(function);
      if (loops.empty()) continue;
      Accesses found = accesses_of(function, asked, nullptr);
      if (!asked.reads_before_writes) drop_reads_before_writes(function, found, quiet);
      const LoopAnalyses of_function = {loops, functions.getResult<llvm::DominatorTreeAnalysis>(function),
                                        functions.getResult<llvm::ScalarEvolutionAnalysis>(function)};
      if (!check_loops_by_sweeps(function, found, of_function, emitter)) continue;
      functions.invalidate(function, llvm::PreservedAnalyses::none());
      changed = true;
    }
    return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
};

class Instrument : public llvm::PassInfoMixin<Instrument> {
 public:
  explicit Instrument(bool optimises) : optimises_(optimises) {}

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    if (llvm::none_of(module, is_watched)) return llvm::PreservedAnalyses::all();
    leave_resolvers_alone(module);
    auto& functions = analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
    const Asked asked = Asked::by_options();
    const Parts parts = Parts::of_environment(module.getContext());
    Emitter emitter(module, optimises_ && parts.in_line);
    const QuietFunctions quiet(module);
    std::vector<std::pair<llvm::Function*, Accesses>> to_do;
    for (llvm::Function& function : module) {
      if (is_left_alone(function)) continue;
      Accesses found = accesses_of(function, asked, &functions.getResult<llvm::TargetLibraryAnalysis>(function));
      if (!asked.reads_before_writes) drop_reads_before_writes(function, found, quiet);
      if (optimises_ && parts.covered && !function.hasOptNone()) drop_covered(function, found, quiet);
      if (optimises_ && parts.in_line)
        choose_in_line(function, found, functions.getResult<llvm::BlockFrequencyAnalysis>(function));
      if (optimises_ && parts.merged && parts.in_line && !function.hasOptNone() &&
          !function.callsFunctionThatReturnsTwice())
        merge_neighbours(found, quiet, functions.getResult<llvm::AAManager>(function), module.getDataLayout());
      to_do.emplace_back(&function, std::move(found));
    }
    // The functions change only when all were looked at: summaries speak of the program, not of our checks.
    for (auto& [function, found] : to_do) {
      instrument(*function, asked, found, emitter);
      function->addFnAttr(llvm::Attribute::DisableSanitizerInstrumentation);
    }
    emitter.announce_interface();
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }  // also at -O0, and in functions marked optnone

 private:
  static void instrument(llvm::Function& function, const Asked& asked, const Accesses& found, Emitter& emitter) {
    bool frame = emitter.begin(function, found);
    emitter.put_in_line(function);  // before there are calls that are to stay
    for (const Access& access : found.plain)
      if (access.needed) emitter.check(access);
    for (const Merged& merged : found.merged) emitter.check_merged(found, merged);
    for (llvm::Instruction* atomic : found.atomics) emitter.replace_atomic(*atomic);
    for (llvm::MemIntrinsic* copy : found.copies) emitter.replace_copy(*copy);
    if (function.hasFnAttribute(kIgnoredAtRunTime)) {
      emitter.ignore_within(function, asked.exceptions);
      frame = true;
    }
    if (asked.function_frames && frame) emitter.function_frames(function, asked.exceptions);
  }

  const bool optimises_;
};

}  // namespace
}  // namespace deadheat::pass

namespace {

void add_ranges(llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
  if (level == llvm::OptimizationLevel::O0) return;
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::LoopSimplifyPass()));
  passes.addPass(deadheat::pass::Ranges());
}

void add_instrumentation(llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
  passes.addPass(deadheat::pass::Instrument(level != llvm::OptimizationLevel::O0));
}

// For opt -passes=..., by which the tests look at what is made of a piece of code.
bool add_by_name(llvm::StringRef name, llvm::ModulePassManager& passes,
                 llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
  if (name == "deadheat-loops") return add_ranges(passes, llvm::OptimizationLevel::O2), true;
  if (name == "deadheat") return add_instrumentation(passes, llvm::OptimizationLevel::O2), true;
  return false;
}

void add_all(llvm::PassBuilder& builder) {
  builder.registerOptimizerEarlyEPCallback(add_ranges);
  builder.registerOptimizerLastEPCallback(add_instrumentation);
  builder.registerPipelineParsingCallback(add_by_name);
}

}  // namespace

// The one name that LLVM looks for.
extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "deadheat", DEADHEAT_VERSION, add_all};
}
