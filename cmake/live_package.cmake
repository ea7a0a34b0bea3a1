# What comes with libdeadheat.so: its other name, and the ways in which other builds find it.
#
# lib/deadheat/libtsan.so.2 is the name under which programs built by `gcc -fsanitize=thread` ask for their run time, and
# libtsan.so the one under which GCC links it. They have a folder of their own, so that nobody gets them by accident.
set(tsan_folder ${CMAKE_BINARY_DIR}/lib/deadheat)
add_custom_command(TARGET deadheat_live POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E make_directory ${tsan_folder}
  COMMAND ${CMAKE_COMMAND} -E create_symlink ../libdeadheat.so ${tsan_folder}/libtsan.so.2
  COMMAND ${CMAKE_COMMAND} -E create_symlink ../libdeadheat.so ${tsan_folder}/libtsan.so VERBATIM)
install(TARGETS deadheat_live LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${tsan_folder}/libtsan.so.2 ${tsan_folder}/libtsan.so DESTINATION ${CMAKE_INSTALL_LIBDIR}/deadheat)

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Deadheat)
configure_package_config_file(cmake/DeadheatConfig.cmake.in ${CMAKE_BINARY_DIR}/DeadheatConfig.cmake
  INSTALL_DESTINATION ${package_folder} PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/DeadheatConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/DeadheatConfig.cmake ${CMAKE_BINARY_DIR}/DeadheatConfigVersion.cmake
  DESTINATION ${package_folder})

# Relative to the file's own place, so that a tree installed by DESTDIR or moved later still works.
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/deadheat.pc.in ${CMAKE_BINARY_DIR}/deadheat.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/deadheat.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
