#include "live/ground/touched.h"

#include "live/ground/message.h"
#include "live/ground/sys.h"

namespace deadheat::live {

std::atomic<uint8_t>* touched_pieces;
std::atomic<uint8_t>* touched_many;
std::atomic<uint8_t>* block_pieces;
std::atomic<uint8_t>* block_many;

void touched_start() {
  const auto table = [](unsigned shift) {
    constexpr unsigned kAddressBits = 47;
    void* const room = sys::reserve(uintptr_t{1} << (kAddressBits - shift));
    if (room == nullptr) die("no address space for the marks of memory (is there a limit by ulimit -v?)");
    return static_cast<std::atomic<uint8_t>*>(room);
  };
  touched_pieces = table(kPieceShift);
  touched_many = table(kManyShift);
  block_pieces = table(kPieceShift);
  block_many = table(kManyShift);
}

}  // namespace deadheat::live
