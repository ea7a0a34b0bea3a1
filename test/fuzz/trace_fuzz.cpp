// The fuzz target for both trace readers: any bytes are read, strictly and leniently, and whatever came out must
// survive the way through both forms unchanged.
//
// With libFuzzer (Clang), from the root of the repository:
//   clang++-19 -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc test/fuzz/trace_fuzz.cpp src/event/*.cpp
//     src/base/fatal.cpp -lzstd -lfmt -o trace_fuzz && ./trace_fuzz test/fuzz/corpus
// The tests run the same target for a bounded time with the mutations of mutation_driver.cpp.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "event/text_notation.h"
#include "event/trace.h"

namespace {

using namespace deadheat;

// The files that an input goes through, in memory where the system has a place for that.
class Folder {
 public:
  Folder() : path_(access("/dev/shm", W_OK) == 0 ? "/dev/shm/trace_fuzz_XXXXXX" : "/tmp/trace_fuzz_XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) std::abort();
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    for (const char* name : {"input", "binary", "text"}) unlink(file(name).c_str());
    rmdir(path_.c_str());
  }

  std::string file(const char* name) const { return path_ + "/" + name; }
  std::string write(const char* name, std::string_view bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
    return file(name);
  }

 private:
  std::string path_;
};

[[noreturn]] void broken(const char* promise, const std::string& detail) {
  std::fprintf(stderr, "trace_fuzz: %s\n%s\n", promise, detail.c_str());
  std::abort();
}

struct Whole {
  std::string text;
  bool opened = false;
  bool failed = false;
};

// All that a reader hands out, as text; written to `copy` in binary as well, if there is one.
Whole read(const std::string& path, bool lenient, const std::string& copy = {}) {
  Whole whole;
  std::unique_ptr<TraceWriter> writer;
  if (!copy.empty()) writer = create_trace(copy, TraceForm::kBinary);
  try {
    const auto reader = open_trace(path, {.lenient = lenient});
    whole.opened = true;
    Batch batch;
    size_t variables = 0;
    uint64_t next = 0;
    while (reader->next(batch)) {
      if (batch.events.empty()) broken("a batch has events", path);
      if (batch.first_event < next) broken("numbers of events go up", path);
      if (!lenient && batch.first_event != next) broken("numbers of events have no gap", path);
      next = batch.first_event + batch.events.size();
      variables += batch.new_variables.size();
      if (variables > reader->names().variables.size()) broken("every new variable has a name", path);
      for (const Event& event : batch.events) {
        if (info(event.kind).operand == Operand::kVariable && !event.is_range && event.target >= variables)
          broken("a variable is announced before it is used", path);
        format_event(whole.text, event, reader->names());
      }
      if (writer) writer->write(batch, reader->names());
    }
  } catch (const TraceError& error) {
    whole.failed = true;
    if (lenient && whole.opened) broken("with lenient nothing within a file stops the reader", error.what());
    if (std::string(error.what()).find('\n') != std::string::npos) broken("an error is one line", error.what());
  }
  if (writer) writer->finish();
  return whole;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Folder folder;
  const std::string input = folder.write("input", {reinterpret_cast<const char*>(data), size});
  for (bool lenient : {false, true}) {
    const Whole original = read(input, lenient, folder.file("binary"));
    const Whole from_binary = read(folder.file("binary"), false);
    if (from_binary.failed || from_binary.text != original.text)
      broken("binary gives back what was written", original.text + "---\n" + from_binary.text);
    const Whole from_text = read(folder.write("text", original.text), false);
    if (from_text.failed || from_text.text != original.text)
      broken("text gives back what was written", original.text + "---\n" + from_text.text);
  }
  return 0;
}
