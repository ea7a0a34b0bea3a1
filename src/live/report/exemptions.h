// What the program's annotations say about memory: ranges where races are benign, and objects with a kind of their own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace deadheat::live {

// Races in these bytes are not reported.
void add_benign(uintptr_t begin, size_t bytes);
bool is_benign(uintptr_t begin, uintptr_t end);  // of all these bytes
void benign_each(void (*visit)(uintptr_t begin, size_t bytes));

// Objects that a library guards (`__tsan_external_*`): their races are told as those of the object's type.
void* external_register(const char* type);
void external_header(void* tag, const char* header);
void external_assign(uintptr_t object, void* tag);
const char* external_type_of(uintptr_t object);  // null: none

}  // namespace deadheat::live
