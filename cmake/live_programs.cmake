# The programs around the library that lives in a watched program: the compiler wrappers and the symbolizer.

# One program under two names. It finds libdeadheat.so in ../lib, in the build folder as after an install.
deadheat_library(deadheat_wrapper wrapper)
target_compile_definitions(deadheat_wrapper PRIVATE DEADHEAT_LIBDIR="${CMAKE_INSTALL_LIBDIR}" DEADHEAT_PASS_LLVM=${deadheat_pass_llvm})
add_executable(deadheat-cc src/wrapper/main.cpp)
target_link_libraries(deadheat-cc PRIVATE deadheat_wrapper)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i.86")
  set(is_x86 true)
else()
  set(is_x86 false)
endif()
target_compile_definitions(deadheat-cc PRIVATE DEADHEAT_IS_X86=${is_x86})
add_custom_command(TARGET deadheat-cc POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E create_symlink deadheat-cc $<TARGET_FILE_DIR:deadheat-cc>/deadheat-c++ VERBATIM)
install(TARGETS deadheat-cc DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES $<TARGET_FILE_DIR:deadheat-cc>/deadheat-c++ DESTINATION ${CMAKE_INSTALL_BINDIR})

# elfutils and what it needs are linked in statically: the symbolizer runs wherever the watched program does, and nothing
# else has to be installed there.
find_library(dw_archive NAMES libdw.a REQUIRED)
find_library(elf_archive NAMES libelf.a REQUIRED)
find_library(z_archive NAMES libz.a REQUIRED)
find_library(bz2_archive NAMES libbz2.a REQUIRED)
find_library(lzma_archive NAMES liblzma.a REQUIRED)
deadheat_library(deadheat_symbolize symbolize)
target_link_libraries(deadheat_symbolize PUBLIC
  ${dw_archive} ${elf_archive} ${z_archive} ${bz2_archive} ${lzma_archive} ${CMAKE_DL_LIBS})
add_executable(deadheat-symbolizer src/symbolize/main.cpp)
target_link_libraries(deadheat-symbolizer PRIVATE deadheat_symbolize -static-libstdc++ -static-libgcc)
install(TARGETS deadheat-symbolizer DESTINATION ${CMAKE_INSTALL_BINDIR})

# `deadheat run` finds the run time as the wrappers do, and looks into the program file first; reports of recorded programs
# name their lines.
target_link_libraries(deadheat_cli PRIVATE deadheat_wrapper deadheat_symbolize ${elf_archive} ${z_archive})
