# The programs around the library that lives in a watched program: the compiler wrappers.
# One program under two names. It finds libdeadheat.so in ../lib, in the build folder as after an install.
deadheat_library(deadheat_wrapper wrapper)
add_executable(deadheat-cc src/wrapper/main.cpp)
target_link_libraries(deadheat-cc PRIVATE deadheat_wrapper)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i.86")
  set(is_x86 true)
else()
  set(is_x86 false)
endif()
target_compile_definitions(deadheat-cc PRIVATE DEADHEAT_LIBDIR="${CMAKE_INSTALL_LIBDIR}" DEADHEAT_IS_X86=${is_x86})
add_custom_command(TARGET deadheat-cc POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E create_symlink deadheat-cc $<TARGET_FILE_DIR:deadheat-cc>/deadheat-c++ VERBATIM)
install(TARGETS deadheat-cc DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES $<TARGET_FILE_DIR:deadheat-cc>/deadheat-c++ DESTINATION ${CMAKE_INSTALL_BINDIR})
