// Layouts of other people's libraries that none of their headers describes. Capture knows no others.
//
// Read from glibc 2.36 and from libstdc++ and libgomp of GCC 12, for x86-64. The jump buffer, the exception head and
// the text of exceptions belong to an ABI. What a promise leaves for the end of a thread, and libgomp's flags and
// lists, may change with a version of the library. Tested by test/programs/jump_stack.c, cpp_*.cpp, openmp_*.c
#pragma once

#include <cstddef>
#include <cstdint>

namespace deadheat::live::foreign {

inline const void* pointer_at(const void* object, size_t offset) {
  return *reinterpret_cast<const void* const*>(static_cast<const char*>(object) + offset);
}

// ---- glibc ----

// The stack pointer in a jump buffer (JB_RSP), mangled: rotated, and xored with a value kept beside the thread's own
// data.
inline uintptr_t stack_pointer_in(const void* jump_buffer) {
  constexpr unsigned kStackPointer = 6, kRotated = 17;
  uintptr_t saved = static_cast<const uintptr_t*>(jump_buffer)[kStackPointer];
  uintptr_t guard;
  __asm__("mov %%fs:0x30, %0" : "=r"(guard));
  saved = saved >> kRotated | saved << (64 - kRotated);
  return saved ^ guard;
}

// ---- libstdc++ ----

// Stands before a thrown object (the C++ ABI's __cxa_exception on 64-bit machines). One that is rethrown from an
// exception_ptr has a head of its own, which names the object.
struct ExceptionHead {
  void* primary_object;
  void* fields[9];
  uint64_t exception_class;
  void* unwinder[3];
};
static_assert(sizeof(ExceptionHead) == 112);
inline void* object_of(ExceptionHead* head) {
  constexpr uint64_t kPrimary = 0x474e5543432b2b00, kDependent = kPrimary + 1;  // "GNUCC++\0", "GNUCC++\1"
  if (head == nullptr) return nullptr;
  if (head->exception_class == kPrimary) return head + 1;
  return head->exception_class == kDependent ? head->primary_object : nullptr;
}

// The text that std::logic_error and std::runtime_error share, after the virtual table; null if nobody counts its
// owners. Its length, room and count stand before it. All empty texts are one.
inline const void* counted_message_of(const void* error) {
  const void* const text = pointer_at(error, 8);
  return *reinterpret_cast<const size_t*>(static_cast<const char*>(text) - 24) != 0 ? text : nullptr;
}
// What a std::locale refers to, and the shared object of a std::filesystem_error.
inline const void* implementation_of(const void* locale) { return pointer_at(locale, 0); }
inline const void* shared_by(const void* filesystem_error) { return pointer_at(filesystem_error, 40); }

// std::__at_thread_exit_elt with what _Make_ready adds to it: a std::weak_ptr to the shared state.
struct AtThreadExit {
  AtThreadExit* next;
  void (*callback)(void*);
  char* state;
  const char* counts;

  int owners() const { return __atomic_load_n(reinterpret_cast<const int*>(counts + 8), __ATOMIC_RELAXED); }
  const void* status() const { return state + 16; }  // after the virtual table and the result
};

// ---- libgomp ----

inline constexpr unsigned kTaskDepends = 1u << 3, kTaskNoGroup = 1u << 11;  // flags of GOMP_task and GOMP_taskloop

// The list of dependences: the number of all and of those that are written, then their addresses, the written ones
// first. Or 0, the numbers of all, written, exclusive and read ones, the addresses, and objects that hold an address
// and its kind.
enum class Dependence : uint8_t { kRead, kWritten, kExclusive, kSet };
class Dependences {
 public:
  explicit Dependences(void* const* list)
      : short_(number(list, 0) != 0),
        all_(number(list, short_ ? 0 : 1)),
        written_(number(list, short_ ? 1 : 2)),
        exclusive_(short_ ? 0 : number(list, 3)),
        read_(short_ ? all_ - written_ : number(list, 4)),
        first_(list + (short_ ? 2 : 5)) {}
  size_t count() const { return all_; }
  Dependence kind(size_t i) const {
    if (i < written_) return Dependence::kWritten;
    if (i < written_ + exclusive_) return Dependence::kExclusive;
    if (is_plain(i)) return Dependence::kRead;
    switch (reinterpret_cast<uintptr_t>(object(i)[1])) {
      case 1:
        return Dependence::kRead;
      case 4:
        return Dependence::kExclusive;
      case 5:
        return Dependence::kSet;
      default:
        return Dependence::kWritten;
    }
  }
  const void* variable(size_t i) const { return is_plain(i) ? first_[i] : object(i)[0]; }

 private:
  static size_t number(void* const* list, unsigned i) { return reinterpret_cast<uintptr_t>(list[i]); }
  bool is_plain(size_t i) const { return i < written_ + exclusive_ + read_; }
  void* const* object(size_t i) const { return static_cast<void* const*>(first_[i]); }

  bool short_;
  size_t all_, written_, exclusive_, read_;
  void* const* first_;
};

}  // namespace deadheat::live::foreign
