// Bytes: a stream cipher and a substitution over private buffers with shared, read-only tables, byte by byte.
#include "kernel.h"

int main(int argc, char** argv) {
  constexpr int kThreads = 4, kBytes = 200000;
  const int passes = 12 * kernel::scale(argc, argv);
  std::vector<uint8_t> table(256);
  for (int i = 0; i < 256; ++i) table[i] = static_cast<uint8_t>(i * 167 + 13);
  std::vector<std::vector<uint8_t>> buffers(kThreads, std::vector<uint8_t>(kBytes));
  kernel::run_threads(kThreads, [&](int me) {
    std::vector<uint8_t>& buffer = buffers[me];
    uint8_t state[256];
    for (int i = 0; i < 256; ++i) state[i] = static_cast<uint8_t>(i ^ me);
    uint8_t a = 0, b = 0;
    for (int pass = 0; pass < passes; ++pass)
      for (int i = 0; i < kBytes; ++i) {
        b = static_cast<uint8_t>(b + state[++a]);
        std::swap(state[a], state[b]);
        buffer[i] = static_cast<uint8_t>(table[buffer[i]] ^ state[static_cast<uint8_t>(state[a] + state[b])]);
      }
  });
  uint64_t sum = 0;
  for (const auto& buffer : buffers)
    for (const uint8_t byte : buffer) sum = sum * 31 + byte;
  kernel::print_checksum(sum);
}
