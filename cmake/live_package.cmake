# What comes with libdeadheat.so: the ways in which other builds find it.
install(TARGETS deadheat_library LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS deadheat_libtsan LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/deadheat)
install(FILES ${tsan_folder}/libdeadheat.so ${tsan_folder}/libtsan.so DESTINATION ${CMAKE_INSTALL_LIBDIR}/deadheat)
install(TARGETS deadheat_recording LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/deadheat-record)
install(FILES ${recording_folder}/libdeadheat.so DESTINATION ${CMAKE_INSTALL_LIBDIR}/deadheat-record)

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
