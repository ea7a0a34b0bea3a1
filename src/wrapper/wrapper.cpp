#include "wrapper/wrapper.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace deadheat::wrapper {
namespace {

constexpr int kDeepestResponseFile = 16;  // a file that names itself must not run us in circles

// Options whose value is the next argument, so that the value is not taken for an input file.
constexpr std::string_view kTakesValue[] = {
    "-o",
    "-x",
    "-D",
    "-U",
    "-I",
    "-L",
    "-l",
    "-T",
    "-u",
    "-e",
    "-z",
    "-A",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-include",
    "-imacros",
    "-idirafter",
    "-iprefix",
    "-iquote",
    "-isystem",
    "-isysroot",
    "-imultilib",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-cxx-isystem",
    "-stdlib++-isystem",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-mllvm",
    "-target",
    "-aux-info",
    "--param",
    "-dumpbase",
    "-dumpdir",
    "-wrapper",
    "-specs",
    "--sysroot",
    "-gcc-toolchain",
    "-working-directory",
    "--serialize-diagnostics",
};

// Nothing is linked; or something is printed and nothing even compiled.
constexpr std::string_view kStopsBeforeLink[] = {"-c",        "-S",          "-E", "-M", "-MM", "-fsyntax-only",
                                                 "--analyze", "--precompile"};
constexpr std::string_view kPrintsOnly[] = {"--version",        "--help",         "-dumpversion",  "-dumpmachine",
                                            "-dumpfullversion", "-dumpspecs",     "--target-help", "-cc1",
                                            "-cc1as",           "--print-targets"};

constexpr std::string_view kOtherSanitizers[] = {"address",       "hwaddress", "memory",           "kernel-address",
                                                 "kernel-memory", "dataflow",  "kernel-hwaddress", "type",
                                                 "realtime",      "leak"};

template <size_t n>
bool contains(const std::string_view (&list)[n], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

bool has_suffix(std::string_view name, std::initializer_list<std::string_view> suffixes) {
  return std::any_of(suffixes.begin(), suffixes.end(), [&](std::string_view suffix) { return name.ends_with(suffix); });
}

bool is_header(std::string_view name) {
  return has_suffix(name, {".h", ".hh", ".hpp", ".hxx", ".h++", ".H", ".hp", ".tcc"});
}
bool is_source(std::string_view name) {
  return has_suffix(name, {".c", ".cc", ".cpp", ".cxx", ".c++",  ".C",   ".CPP", ".cp",   ".i",  ".ii",
                           ".m", ".mm", ".mi",  ".mii", ".cppm", ".ixx", ".ccm", ".cxxm", ".bc", ".ll"});
}

// "-g", "-g3", "-ggdb", "-gdwarf-5" choose debug information; "-gcc-toolchain" does not.
bool chooses_debug_info(std::string_view argument) {
  return argument.starts_with("-g") && !argument.starts_with("-gcc") && !argument.starts_with("-gno-") &&
         !argument.starts_with("-grecord") && !argument.starts_with("-gcolumn");
}

bool is_foreign_run_time(std::string_view argument) {
  if (argument == "-static-libtsan" || argument == "-static-libsan" || argument == "-ltsan") return true;
  const std::string_view name = argument.substr(argument.rfind('/') + 1);
  return name.starts_with("libclang_rt.tsan") || name.starts_with("libtsan.");
}

std::vector<std::string_view> split_commas(std::string_view list) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t comma = list.find(',');
    parts.push_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    list.remove_prefix(comma + 1);
  }
}

// What the arguments ask for.
struct Request {
  bool stops_before_link = false;
  bool prints_only = false;
  bool relocatable = false;  // -r: the result is an object file again
  bool has_input = false;
  bool has_source = false;   // something is compiled in this call
  bool headers_only = true;  // every input is a header: a precompiled header is made
  bool assembly_only = true;
  bool debug_info_chosen = false;
  bool link_time_optimisation = false;
  bool links_other_run_time = false;  // -fsanitize=undefined and the like
  std::string refusal;
};

class Reader {
 public:
  explicit Reader(Request& request) : request_(request) {}

  void read(const std::string& argument) {
    if (value_of_ != nullptr) {
      if (*value_of_ == "-x") language(argument);
      value_of_ = nullptr;
      return;
    }
    if (contains(kTakesValue, argument)) {
      last_option_ = argument;
      value_of_ = &last_option_;
      return;
    }
    if (argument.starts_with("-x")) return language(argument.substr(2));
    if (argument == "-" || argument.empty() || argument[0] != '-') return input(argument);
    option(argument);
  }

 private:
  void language(const std::string& name) { language_ = name == "none" ? "" : name; }

  void input(const std::string& name) {
    if (is_foreign_run_time(name)) refuse_run_time(name);
    request_.has_input = true;
    const bool header = language_.empty() ? is_header(name) : language_.ends_with("-header");
    if (!header) request_.headers_only = false;
    const bool assembly =
        language_.empty() ? has_suffix(name, {".s", ".S", ".sx", ".asm"}) : language_.starts_with("assembler");
    if (!assembly) request_.assembly_only = false;
    if (language_.empty() ? header || is_source(name) : !assembly) request_.has_source = true;
  }

  void option(const std::string& argument) {
    if (contains(kStopsBeforeLink, argument)) request_.stops_before_link = true;
    if (contains(kPrintsOnly, argument) || argument.starts_with("-print-") || argument.starts_with("--print-"))
      request_.prints_only = true;
    if (argument == "-r" || argument == "-Wl,-r" || argument == "-Wl,--relocatable") request_.relocatable = true;
    if (chooses_debug_info(argument)) request_.debug_info_chosen = true;
    if (argument == "-flto" || argument.starts_with("-flto=")) request_.link_time_optimisation = true;
    if (argument == "-fno-lto") request_.link_time_optimisation = false;
    if (argument == "-static" || argument == "--static" || argument == "-static-pie" || argument == "-Wl,-static")
      static_ = argument;
    if (is_foreign_run_time(argument)) refuse_run_time(argument);
    if (argument.starts_with("-fsanitize=")) {
      for (const std::string_view name : split_commas(std::string_view(argument).substr(11))) {
        if (name != "thread") request_.links_other_run_time = true;
        if (contains(kOtherSanitizers, name))
          request_.refusal =
              "-fsanitize=" + std::string(name) + " and race detection cannot be in one program; leave one of them out";
      }
    }
  }

  void refuse_run_time(const std::string& argument) {
    request_.refusal = argument +
                       ": another ThreadSanitizer run time would be linked in; Deadheat brings its own, leave "
                       "this one out";
  }

 public:
  void finish() {
    const bool links = !request_.stops_before_link && !request_.prints_only && request_.has_input;
    if (!static_.empty() && links && request_.refusal.empty())
      request_.refusal = static_ + ": a statically linked program cannot be watched; leave " + static_ + " out";
  }

 private:
  Request& request_;
  std::string last_option_;
  const std::string* value_of_ = nullptr;
  std::string language_;
  std::string static_;
};

// An argument as it goes on to the compiler; none if it must go. Where -fsanitize=thread would link the compiler's run
// time, "thread" goes out of the list.
std::optional<std::string> passed_on(const std::string& argument, bool without_thread) {
  if (argument == "-shared-libsan" || argument == "-shared-libasan") return std::nullopt;
  if (!without_thread || !argument.starts_with("-fsanitize=")) return argument;
  std::string rest;
  for (const std::string_view name : split_commas(std::string_view(argument).substr(11))) {
    if (name == "thread") continue;
    if (!rest.empty()) rest += ',';
    rest += name;
  }
  if (rest.empty()) return std::nullopt;
  return "-fsanitize=" + rest;
}

void expand(const Arguments& arguments, const ReadFile& read_file, int depth, Arguments& expanded) {
  for (const std::string& argument : arguments) {
    if (argument.size() > 1 && argument[0] == '@' && depth < kDeepestResponseFile) {
      if (const std::optional<std::string> text = read_file(argument.substr(1))) {
        expand(split_response_file(*text), read_file, depth + 1, expanded);
        continue;
      }
    }
    expanded.push_back(argument);
  }
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace

Plan plan(const Compiler& compiler, const RunTime& run_time, const Arguments& arguments, const ReadFile& read_file,
          bool architecture_is_x86) {
  Arguments expanded;
  expand(arguments, read_file, 0, expanded);
  Request request;
  Reader reader(request);
  for (const std::string& argument : expanded) reader.read(argument);
  reader.finish();

  Plan plan;
  plan.command = compiler.command;
  const auto add = [&](std::initializer_list<std::string> more) {
    plan.command.insert(plan.command.end(), more.begin(), more.end());
  };
  if (request.prints_only || !request.has_input) {
    plan.command.insert(plan.command.end(), arguments.begin(), arguments.end());
    return plan;
  }
  if (!request.refusal.empty()) return {{}, request.refusal};

  const bool is_clang = compiler.kind == CompilerKind::kClang;
  const bool links =
      !request.stops_before_link && !request.relocatable && !(request.has_source && request.headers_only);
  const bool compiles = request.has_source || (request.stops_before_link && !request.assembly_only);
  // GCC instruments at link time when it optimises there; it must see the option then, and finds our library as -ltsan.
  const bool instruments = compiles || (request.link_time_optimisation && !is_clang);

  // Clang either links the run times of all sanitizers of the call or none. Where one of them is wanted, the driver
  // does not hear of ours: only the compiler proper does.
  const bool behind_driver = is_clang && links && instruments && request.links_other_run_time;
  if (behind_driver)
    add({"-Xclang", "-fsanitize=thread"});
  else if (instruments)
    add({"-fsanitize=thread"});
  if (compiles && !request.debug_info_chosen) add({"-g"});
  if (compiles && !is_clang) add({"-Wno-tsan"});  // "atomic_thread_fence is not supported": here it is
  if (links) {
    if (instruments && is_clang && !behind_driver) add({"-fno-sanitize-link-runtime"});
    if (instruments && !is_clang) add({"-L" + run_time.tsan_folder});
    // In front of everything, so that our functions are found before the C library's, and kept although nothing asked
    // for them yet.
    add({"-Wl,--push-state,--no-as-needed", run_time.library, "-Wl,--pop-state", "-Wl,-rpath", "-Xlinker",
         folder_of(run_time.library)});  // -Wl would split a name at its commas
  }

  Arguments kept;
  for (const std::string& argument : expanded)
    if (const std::optional<std::string> passed = passed_on(argument, links && (!instruments || behind_driver)))
      kept.push_back(*passed);
  const Arguments& user = kept == expanded ? arguments : kept;  // response files stay files where they can
  plan.command.insert(plan.command.end(), user.begin(), user.end());

  const bool own_pass = is_clang && !run_time.pass.empty() && compiler.version == DEADHEAT_PASS_LLVM;
  if (compiles && own_pass) add({"-fpass-plugin=" + run_time.pass});
  // Clang by itself does not instrument accesses of more than 16 bytes; it must not make such from smaller ones.
  if (compiles && is_clang && !own_pass && architecture_is_x86) add({"-mprefer-vector-width=128"});
  return plan;
}

Arguments split_response_file(const std::string& text) {
  Arguments words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      in_word = true;
    } else if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f') {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

std::string newest_numbered(const std::string& base, const std::vector<std::string>& names) {
  std::string best;
  int best_version = -1;
  for (const std::string& name : names) {
    int version = -1;
    if (name == base) {
      version = 0;
    } else if (name.starts_with(base + "-")) {
      const char* begin = name.data() + base.size() + 1;
      const char* end = name.data() + name.size();
      const auto [stop, error] = std::from_chars(begin, end, version);
      if (error != std::errc{} || stop != end) continue;
    }
    if (version > best_version) {
      best = name;
      best_version = version;
    }
  }
  return best;
}

std::optional<int> clang_version_by_name(const std::string& program) {
  // The file's own name decides, then the folders of the installation, the innermost first.
  std::string_view rest = program;
  for (const std::string_view prefix : {"clang-", "clang++-", "llvm-"}) {
    const size_t from = prefix == "llvm-" ? rest.rfind("/llvm-") : rest.rfind('/');
    if (from == std::string_view::npos && prefix == "llvm-") continue;
    std::string_view name = from == std::string_view::npos ? rest : rest.substr(from + 1);
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    int version = 0;
    const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), version);
    if (error == std::errc{} && (stop == name.data() + name.size() || *stop == '/')) return version;
  }
  return std::nullopt;
}

std::optional<CompilerKind> kind_by_name(const std::string& program) {
  const std::string_view name = std::string_view(program).substr(program.rfind('/') + 1);
  if (name.find("clang") != std::string_view::npos) return CompilerKind::kClang;
  if (name.find("gcc") != std::string_view::npos || name.find("g++") != std::string_view::npos)
    return CompilerKind::kGcc;
  return std::nullopt;
}

}  // namespace deadheat::wrapper
