// Runs the fuzz target on every file of a corpus and then, for some seconds, on mutations of them. The mutations are
// the same for the same seed; a failure leaves its input in a file.
//
//   trace_fuzz_mutations CORPUS [SECONDS [SEED]]       or one input: trace_fuzz_mutations FILE
//
// It mends what makes most mutations of a binary trace worthless: their checksums. So damage gets past the frame and
// into the decoders.
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "event/binary_format.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using namespace deadheat;

std::string current;  // what is being tried, for the report of a crash

void try_input(const std::string& input) {
  current = input;
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

void leave_input(int) {
  std::ofstream("trace_fuzz_failure", std::ios::binary) << current;
  std::fputs("trace_fuzz: the input is in ./trace_fuzz_failure\n", stderr);
}

// Gives every block that is still recognisable right sizes and checksums.
void mend(std::string& file) {
  for (size_t at = file.find(kBlockMarker); at != std::string::npos && at + kBlockHeaderBytes <= file.size();) {
    const size_t next = file.find(kBlockMarker, at + kBlockMarker.size());
    const size_t payload = at + kBlockHeaderBytes;
    const size_t end = std::max(payload, std::min(next, file.size()));
    const auto stored = static_cast<uint32_t>(end - payload);
    uint16_t flags = 0;
    std::memcpy(&flags, file.data() + at + 6, sizeof flags);
    std::memcpy(file.data() + at + 20, &stored, sizeof stored);
    if ((flags & kFlagZstd) == 0) std::memcpy(file.data() + at + 24, &stored, sizeof stored);
    const uint64_t payload_checksum = checksum_of(std::string_view(file).substr(payload, stored));
    std::memcpy(file.data() + at + 32, &payload_checksum, sizeof payload_checksum);
    const uint64_t header_checksum = checksum_of(std::string_view(file).substr(at, 40));
    std::memcpy(file.data() + at + 40, &header_checksum, sizeof header_checksum);
    at = next;
  }
}

void mutate(std::string& input, const std::vector<std::string>& corpus, std::mt19937_64& random) {
  static constexpr std::string_view kPieces[] = {"|",
                                                 "(",
                                                 ")",
                                                 ",",
                                                 "\n",
                                                 "0x",
                                                 ":8",
                                                 "T1|",
                                                 "|r(x)",
                                                 "alloc(",
                                                 "cas(x,",
                                                 ",ok)",
                                                 "#",
                                                 "\r\n",
                                                 "[7]",
                                                 "nop",
                                                 "relaxed",
                                                 "seq_cst",
                                                 "\x80\x80",
                                                 "\xff",
                                                 "0",
                                                 "fork(",
                                                 "-|nop",
                                                 "\x01",
                                                 "\xEF\xBB\xBF",
                                                 "ffffffffffffffff"};
  for (uint64_t changes = 1 + random() % 4; changes > 0; --changes) {
    const size_t at = random() % (input.size() + 1);
    const size_t length = std::min<size_t>(1 + random() % 8, input.size() - at);
    const std::string& other = corpus[random() % corpus.size()];
    switch (random() % 7) {
      case 0:
        if (at < input.size()) input[at] = static_cast<char>(input[at] ^ 1 << random() % 8);
        break;
      case 1:
        if (at < input.size()) input[at] = static_cast<char>(random());
        break;
      case 2:
        input.erase(at, length);
        break;
      case 3:
        input.insert(at, kPieces[random() % std::size(kPieces)]);
        break;
      case 4:
        input.insert(at, input.substr(random() % (input.size() + 1), 1 + random() % 64));
        break;
      case 5:
        input.insert(at, other.substr(random() % (other.size() + 1), 1 + random() % 64));
        break;
      default:
        input.resize(at);
        break;
    }
  }
  if (input.size() > 1 << 16) input.resize(1 << 16);
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fputs("usage: trace_fuzz_mutations CORPUS|FILE [SECONDS [SEED]]\n", stderr);
    return 2;
  }
  signal(SIGABRT, leave_input);
  if (std::filesystem::is_regular_file(arguments[1])) {
    try_input(read_file(arguments[1]));
    return 0;
  }
  const double seconds = count > 2 ? std::atof(arguments[2]) : 10;
  const uint64_t seed = count > 3 ? std::strtoull(arguments[3], nullptr, 10) : 1;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(arguments[1])) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> corpus;
  for (const std::filesystem::path& file : files) corpus.push_back(read_file(file));
  if (corpus.empty()) {
    std::fprintf(stderr, "trace_fuzz: the corpus %s is empty\n", arguments[1]);
    return 2;
  }
  for (const std::string& input : corpus) try_input(input);
  std::mt19937_64 random(seed);
  uint64_t tries = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (; std::chrono::steady_clock::now() < end; ++tries) {
    std::string input = corpus[random() % corpus.size()];
    mutate(input, corpus, random);
    if (random() % 4 != 0) mend(input);
    try_input(input);
  }
  std::printf("%zu inputs and %llu mutations of them, seed %llu: nothing broken\n", corpus.size(),
              static_cast<unsigned long long>(tries), static_cast<unsigned long long>(seed));
  return 0;
}
