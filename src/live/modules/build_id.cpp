#include "live/modules/build_id.h"

#include <elf.h>

namespace deadheat::live {
namespace {

constexpr size_t kAlign = 4;  // of the parts of a note
size_t aligned(size_t bytes) { return (bytes + kAlign - 1) & ~(kAlign - 1); }

bool find_in_notes(uintptr_t at, uintptr_t end, char (&hex)[2 * kMostBuildId + 1]) {
  ElfW(Nhdr) note;
  while (at + sizeof note <= end && copy_if_there(&note, at, sizeof note)) {
    const uintptr_t data = at + sizeof note + aligned(note.n_namesz);
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz <= kMostBuildId) {
      unsigned char bytes[kMostBuildId];
      if (!copy_if_there(bytes, data, note.n_descsz)) return false;
      for (size_t i = 0; i < note.n_descsz; ++i) {
        hex[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
      }
      hex[2 * size_t{note.n_descsz}] = 0;
      return true;
    }
    at = data + aligned(note.n_descsz);
  }
  return false;
}

}  // namespace

void find_build_id(const Module& module, char (&hex)[2 * kMostBuildId + 1]) {
  hex[0] = 0;
  ElfW(Ehdr) head;
  if (module.begin == 0 || !copy_if_there(&head, module.begin, sizeof head)) return;
  for (unsigned i = 0; i < SELFMAG; ++i)
    if (head.e_ident[i] != static_cast<unsigned char>(ELFMAG[i])) return;
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    ElfW(Phdr) segment;
    const uintptr_t at = module.begin + head.e_phoff + uintptr_t{i} * sizeof segment;
    if (!copy_if_there(&segment, at, sizeof segment)) return;
    if (segment.p_type != PT_NOTE) continue;
    const uintptr_t notes = module.bias + segment.p_vaddr;
    if (find_in_notes(notes, notes + segment.p_memsz, hex)) return;
  }
}

}  // namespace deadheat::live
