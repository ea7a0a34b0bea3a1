// What the code that our compiler pass puts into programs knows of the run time: one page, for both.
//
// Version   kVersion grows with every change of this page. Each object tells its own when it is loaded, and a run time of
//           another version ends the program with one line (capture/pass.cpp). So a change of the shadow's planes that the
//           hit test sees is made here, in live/ground/tls.h and in src/pass/inline.cpp, and gets a new version.
// Thread    kThreadSymbol is a block of thread-local data (initial-exec), with the fields below, each of 8 bytes.
// Hit       An access of whole words at `a` is recorded already if the cells at (a & mask) + write_cells, one of 4 bytes
//           for each word, are all equal to the thread's id; `current` has it twice. A read also if those from
//           read_cells on are. An access of some bytes of one word is, too, if the cell is the id with those bytes in
//           bits kIdBits to kIdBits + 3 (not all four of them), and bit 31 as well in a cell of reads.
//           An address that is no multiple of min(4, size) is not asked about: that is a miss.
// Miss      __deadheat_read4(a) and its relatives (1, 2, 4, 8, 16; write; with _leaf for functions that have no frame yet,
//           which then also take the function's return address) save all registers but r11 and those of vectors.
//           __deadheat_read1x4(a) stands for four neighbours. They may be called for hits, too. They are called through the GOT: a PLT that binds lazily changes r10.
// Sweep     __deadheat_sweep_read4(begin, step, count) and its relatives stand for `count` accesses like a miss's, from begin on,
//           each `step` bytes after the one before; `step` may be negative.
// Frame     At the entry of a function: if sp != limit, {return address, stack pointer - 8 in the upper half of a word}
//           is stored at sp, and sp grows by 16; else __tsan_func_entry. At the exit: if sp != base, sp shrinks by 16.
#pragma once

namespace deadheat::pass_interface {

inline constexpr unsigned kVersion = 3;
inline constexpr const char* kThreadSymbol = "__deadheat_thread";

enum Field : unsigned { kCurrent = 0, kReadCells = 8, kWriteCells = 16, kMask = 24, kSp = 32, kLimit = 40, kBase = 48 };
inline constexpr unsigned kFrameBytes = 16;
inline constexpr unsigned kIdBits = 27;

}  // namespace deadheat::pass_interface
