// Memory for the run time's own objects, apart from the program's heap.
//
// Blocks come by size class (four to a power of two) from slabs that are mapped on demand. A freed block goes to the
// list of its class and stays there. If the system refuses memory, the program ends with a line (`out_of_memory`). A
// caller that can do without the memory uses sys::reserve instead.
#pragma once

#include <cstddef>
#include <cstdint>

namespace deadheat::live {

// Contents undefined, aligned to 16.
void* heap_allocate(size_t bytes);
void heap_free(void* block, size_t bytes);

size_t heap_bytes_mapped();

}  // namespace deadheat::live
