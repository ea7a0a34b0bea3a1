# libdeadheat-pass.so, the plugin of Clang (src/pass). It uses LLVM's own C++ interface, and so it fits one version of Clang only:
# the one whose llvm-NN-dev it is built with. Where that is missing, everything else is built, and the wrappers use Clang's own
# instrumentation.
set(deadheat_pass_llvm 19 CACHE STRING "the version of LLVM and Clang that the pass is built for")
find_program(pass_llvm_config NAMES llvm-config-${deadheat_pass_llvm})
set(pass_llvm_includes)
if(pass_llvm_config)
  execute_process(COMMAND ${pass_llvm_config} --includedir OUTPUT_VARIABLE pass_llvm_includes OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
set(pass_library ${CMAKE_BINARY_DIR}/lib/deadheat/libdeadheat-pass.so)
if(pass_llvm_includes AND EXISTS ${pass_llvm_includes}/llvm/Passes/PassPlugin.h)
  file(GLOB pass_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/pass/*.cpp ${CMAKE_SOURCE_DIR}/src/pass/*.h)
  add_library(deadheat_pass MODULE ${pass_sources})
  set_target_properties(deadheat_pass PROPERTIES
    OUTPUT_NAME deadheat-pass LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/deadheat
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(deadheat_pass PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_include_directories(deadheat_pass SYSTEM PRIVATE ${pass_llvm_includes})
  target_compile_definitions(deadheat_pass PRIVATE DEADHEAT_VERSION="${PROJECT_VERSION}")
  # What it uses of LLVM it finds in the compiler that loads it.
  target_compile_options(deadheat_pass PRIVATE -O2 -fno-exceptions -Wno-conversion
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  add_dependencies(deadheat_live deadheat_pass)
  install(TARGETS deadheat_pass LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/deadheat)
else()
  message(STATUS "libdeadheat-pass.so is not built: it needs llvm-${deadheat_pass_llvm}-dev (scripts/setup build installs it); "
    "deadheat-cc and deadheat-c++ will use Clang's own instrumentation")
  # One of an earlier build would not fit this one.
  file(REMOVE ${pass_library})
endif()
