// The loader: libraries that come and go, whose constructors and destructors race, and questions to it.
#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "pairs.h"

int construction_raced[2], destruction_raced[2];
std::atomic<int> plugin_races[2];

namespace pairs {
namespace {

void load_round(Side& side) {
  const std::string path = std::string(folder()) + "/plugin" + std::to_string(side.index) + ".so";
  if (side.round == 0) {
    Running first([&] {
      construction_raced[side.index] = 1;  // race constructor
      destruction_raced[side.index] = 1;   // race destructor
      plugin_races[side.index].store(1, std::memory_order_relaxed);
    });
    Running second([&] {
      await(plugin_races[side.index], 1);
      void* const library = dlopen(path.c_str(), RTLD_NOW);
      must(library != nullptr);
      must(dlclose(library) == 0);
      plugin_races[side.index].store(2, std::memory_order_relaxed);
    });
    return;
  }
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  must(library != nullptr);
  const auto call = reinterpret_cast<int (*)(int)>(dlsym(library, "plugin_call"));
  must(call != nullptr);
  {
    Running first([&] { must(call(1) == 1 && call(2) == 3); });
    Running second([&] { must(call(4) == 4 && call(8) == 12); });
  }
  must(dlclose(library) == 0);
}

void question_round(Side&) {
  for (int i = 0; i < 20; ++i) {
    void* const function = dlsym(RTLD_DEFAULT, "qsort");
    must(function != nullptr);
    Dl_info info;
    must(dladdr(function, &info) != 0 && info.dli_sname != nullptr);
    must(dlsym(RTLD_DEFAULT, "no_such_function_anywhere") == nullptr && dlerror() != nullptr);
    int modules = 0;
    dl_iterate_phdr(
        [](dl_phdr_info*, size_t, void* count) {
          ++*static_cast<int*>(count);
          return 0;
        },
        &modules);
    must(modules > 3);
  }
}

constexpr Feature kFeatures[] = {
    {.name = "load", .round = load_round, .rounds = 6, .tells = "constructor destructor"},
    {.name = "loader-questions", .round = question_round},
};

}  // namespace

std::span<const Feature> loader_features() { return kFeatures; }

}  // namespace pairs
