# What lives inside a watched program. No C++ library, no exceptions, thread-local storage initial-exec.
#
# The same code under two names, since the dynamic linker tells libraries apart by the name written into them:
#   lib/libdeadheat.so           what the wrappers link
#   lib/deadheat/libtsan.so.2    what programs built by `gcc -fsanitize=thread` ask for
# Two of them in one program would be two run times. So beside the second there is libdeadheat.so as another name of the
# same file: with that folder in the library path (`deadheat run`) whatever a program asks for, it gets the one. And
# libtsan.so there, which GCC links, leads to the first.
file(GLOB live_sources CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/src/live/*.cpp
  ${CMAKE_SOURCE_DIR}/src/live/*/*.cpp
  ${CMAKE_SOURCE_DIR}/src/capture/*.cpp
  ${CMAKE_SOURCE_DIR}/src/capture/*.c)
# Inside is what src/live and src/capture have, and these files of folders that are not inside as a whole. scripts/check-inside reads
# the list, too.
set(inside_besides
  src/base/arena.cpp src/base/fatal.cpp src/base/version.cpp src/base/runtime_options.cpp
  src/race/finding.cpp src/race/suppressions.cpp
  src/report/explanation.cpp src/report/finding_json.cpp src/report/finding_text.cpp src/report/harmless.cpp src/report/record_writer.cpp
  src/shadow/layout.cpp)
set(recording_sources ${live_sources})
list(FILTER live_sources EXCLUDE REGEX "/live/record/")
function(live_objects target)
  add_library(${target} OBJECT ${ARGN} ${inside_besides})
  set_target_properties(${target} PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    CXX_EXTENSIONS ON
    CXX_VISIBILITY_PRESET hidden
    C_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_compile_options(${target} PRIVATE -O2
    $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti -fno-threadsafe-statics> $<$<COMPILE_LANGUAGE:C>:-fexceptions>
    -fno-stack-protector -ftls-model=initial-exec -fno-builtin -fasynchronous-unwind-tables -fno-plt
    -fomit-frame-pointer -mcx16 -U_FORTIFY_SOURCE)
endfunction()
live_objects(deadheat_live_objects ${live_sources})
# The same, and what records (live/record/record.h).
live_objects(deadheat_recording_objects ${recording_sources})
target_compile_definitions(deadheat_recording_objects PRIVATE DEADHEAT_RECORDING)

function(live_library target objects name folder)
  add_library(${target} SHARED $<TARGET_OBJECTS:${objects}>)
  set_target_properties(${target} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name} SUFFIX "" NO_SONAME ON LINKER_LANGUAGE C LIBRARY_OUTPUT_DIRECTORY ${folder})
  # Calls of the compiler and of ours to these stay inside; the program's go to the exported ones.
  foreach(function memcpy memmove memset memcmp strlen mmap munmap)
    target_link_options(${target} PRIVATE -Wl,--wrap=${function})
  endforeach()
  # It stays when the library goes that brought it: threads and the end of the program call into it.
  target_link_options(${target} PRIVATE -Wl,-soname,${name} -Wl,-z,now -Wl,-z,relro -Wl,-z,nodelete -Wl,--no-undefined)
endfunction()
set(tsan_folder ${CMAKE_BINARY_DIR}/lib/deadheat)
live_library(deadheat_library deadheat_live_objects libdeadheat.so ${CMAKE_BINARY_DIR}/lib)
live_library(deadheat_libtsan deadheat_live_objects libtsan.so.2 ${tsan_folder})
# What `deadheat record` puts under a program instead, by the same two names.
set(recording_folder ${CMAKE_BINARY_DIR}/lib/deadheat-record)
live_library(deadheat_recording deadheat_recording_objects libtsan.so.2 ${recording_folder})
add_custom_command(TARGET deadheat_recording POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E create_symlink libtsan.so.2 ${recording_folder}/libdeadheat.so VERBATIM)
# A link of that name, as earlier versions made, would have the linker write into the other library.
add_custom_command(TARGET deadheat_libtsan PRE_LINK COMMAND ${CMAKE_COMMAND} -E rm -f ${tsan_folder}/libtsan.so.2 VERBATIM)
add_custom_command(TARGET deadheat_libtsan POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E create_symlink libtsan.so.2 ${tsan_folder}/libdeadheat.so
  COMMAND ${CMAKE_COMMAND} -E create_symlink ../libdeadheat.so ${tsan_folder}/libtsan.so VERBATIM)
add_custom_target(deadheat_live ALL DEPENDS deadheat_library deadheat_libtsan deadheat_recording)
