#include "live/ground/touched.h"

#include "live/ground/message.h"
#include "live/ground/sys.h"

namespace deadheat::live {

std::atomic<uint8_t>* touched_pieces;
std::atomic<uint8_t>* touched_many;

void touched_start() {
  constexpr unsigned kAddressBits = 47;
  touched_pieces = static_cast<std::atomic<uint8_t>*>(sys::reserve(uintptr_t{1} << (kAddressBits - kPieceShift)));
  touched_many = static_cast<std::atomic<uint8_t>*>(sys::reserve(uintptr_t{1} << (kAddressBits - kManyShift)));
  if (touched_pieces == nullptr || touched_many == nullptr)
    die("no address space for the marks of memory (is there a limit by ulimit -v?)");
}

}  // namespace deadheat::live
