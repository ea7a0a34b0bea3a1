# libdeadheat.so: what lives inside a watched program. No C++ library, no exceptions, thread-local storage initial-exec.
file(GLOB live_sources CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/src/runtime/*.cpp
  ${CMAKE_SOURCE_DIR}/src/capture/*.cpp)
add_library(deadheat_live SHARED ${live_sources}
  src/shadow/layout.cpp src/base/runtime_options.cpp src/base/arena.cpp src/base/fatal.cpp src/race/suppressions.cpp)
set_target_properties(deadheat_live PROPERTIES
  OUTPUT_NAME deadheat
  LINKER_LANGUAGE C
  CXX_EXTENSIONS ON
  CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
target_include_directories(deadheat_live PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(deadheat_live PRIVATE -O2 -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-stack-protector
  -ftls-model=initial-exec -fno-builtin -fasynchronous-unwind-tables -fno-plt -fomit-frame-pointer -mcx16 -U_FORTIFY_SOURCE)
# Calls of the compiler and of ours to these stay inside; the program's go to the exported ones.
foreach(name memcpy memmove memset memcmp strlen mmap munmap)
  target_link_options(deadheat_live PRIVATE -Wl,--wrap=${name})
endforeach()
target_link_options(deadheat_live PRIVATE -Wl,-z,now -Wl,-z,relro -Wl,--no-undefined)
