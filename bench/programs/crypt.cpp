// IDEA encryption and decryption of a byte array, each thread a share of the blocks.     Java Grande, section 2: Crypt
//
// The original has no race. Planted: with --race the shares overlap by one block, so that neighbours write the same bytes.
#include <algorithm>
#include <array>

#include "program.h"

namespace {

constexpr int kRounds = 8;
constexpr int kKeyWords = 6 * kRounds + 4;
constexpr int kBlock = 8;
using Key = std::array<uint16_t, kKeyWords>;
using Bytes = std::vector<uint8_t>;

// Multiplication modulo 2^16 + 1, where 0 stands for 2^16.
uint32_t multiply(uint32_t a, uint32_t b) {
  if (a == 0) return (0x10001 - b) & 0xffff;
  if (b == 0) return (0x10001 - a) & 0xffff;
  const uint32_t product = a * b;
  const uint32_t low = product & 0xffff, high = product >> 16;
  return (low - high + (low < high ? 1 : 0)) & 0xffff;
}

uint32_t inverse(uint32_t x) {
  uint32_t result = 1;  // x^(2^16 - 1), since 2^16 + 1 is prime
  for (int i = 0; i < 16; ++i) {
    result = multiply(result, x);
    x = multiply(x, x);
  }
  return result;
}

Key encryption_key(program::Random random) {
  std::array<uint16_t, 8> user;
  for (uint16_t& word : user) word = static_cast<uint16_t>(random());
  Key key;
  for (int i = 0; i < kKeyWords; ++i) {
    if (i < 8) {
      key[i] = user[i];
      continue;
    }
    // The user's 128 bits, turned left by 25 for every eight words.
    const int base = i / 8 * 8 - 8;
    const int j = i % 8;
    key[i] = static_cast<uint16_t>((key[base + (j + 1) % 8] << 9) | (key[base + (j + 2) % 8] >> 7));
  }
  return key;
}

Key decryption_key(const Key& key) {
  Key result;
  const auto negative = [](uint16_t x) { return static_cast<uint16_t>(-x); };
  for (int round = 0; round <= kRounds; ++round) {
    const int from = 6 * (kRounds - round), to = 6 * round;
    const bool outer = round == 0 || round == kRounds;
    result[to] = static_cast<uint16_t>(inverse(key[from]));
    result[to + 1] = negative(key[from + (outer ? 1 : 2)]);
    result[to + 2] = negative(key[from + (outer ? 2 : 1)]);
    result[to + 3] = static_cast<uint16_t>(inverse(key[from + 3]));
    if (round < kRounds) {
      result[to + 4] = key[from - 2];
      result[to + 5] = key[from - 1];
    }
  }
  return result;
}

void cipher(const Bytes& in, Bytes& out, const Key& key, int first_block, int last_block) {
  for (int block = first_block; block < last_block; ++block) {
    std::array<uint32_t, 4> x;
    const uint8_t* bytes = in.data() + block * kBlock;
    for (int i = 0; i < 4; ++i) x[i] = bytes[2 * i] | static_cast<uint32_t>(bytes[2 * i + 1]) << 8;
    int k = 0;
    for (int round = 0; round < kRounds; ++round, k += 6) {
      x[0] = multiply(x[0], key[k]);
      x[1] = (x[1] + key[k + 1]) & 0xffff;
      x[2] = (x[2] + key[k + 2]) & 0xffff;
      x[3] = multiply(x[3], key[k + 3]);
      const uint32_t s = multiply(x[0] ^ x[2], key[k + 4]);
      const uint32_t t = multiply(((x[1] ^ x[3]) + s) & 0xffff, key[k + 5]);
      const uint32_t u = (s + t) & 0xffff;
      x[0] ^= t;
      x[3] ^= u;
      const uint32_t middle = x[1] ^ u;
      x[1] = x[2] ^ t;
      x[2] = middle;
    }
    const std::array<uint32_t, 4> y = {multiply(x[0], key[k]), (x[2] + key[k + 1]) & 0xffff,
                                       (x[1] + key[k + 2]) & 0xffff, multiply(x[3], key[k + 3])};
    for (int i = 0; i < kBlock; ++i) {
      out[block * kBlock + i] = static_cast<uint8_t>(y[i / 2] >> (8 * (i % 2)));  // race overlap
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const program::Arguments given = program::arguments("crypt", argc, argv);
  const int blocks = std::max(600 * given.size, given.threads);
  Bytes plain(static_cast<std::size_t>(blocks) * kBlock), secret(plain.size()), again(plain.size());
  program::Random random(1);
  for (uint8_t& byte : plain) byte = static_cast<uint8_t>(random());
  const Key encryption = encryption_key(random), decryption = decryption_key(encryption);

  const auto in_parallel = [&](const Bytes& in, Bytes& out, const Key& key) {
    program::run_threads(given.threads, [&](int i) {
      const program::Share share = program::share_of(blocks, given.threads, i);
      const int overlap = given.race && share.last < blocks ? 1 : 0;
      cipher(in, out, key, share.first, share.last + overlap);
    });
  };
  in_parallel(plain, secret, encryption);
  in_parallel(secret, again, decryption);

  std::size_t same = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) same += plain[i] == secret[i];
  return program::verdict("crypt", given, again == plain && same < plain.size() / 16);
}
