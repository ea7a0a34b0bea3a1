# For a CMakeLists.txt whose programs are built by deadheat-cc and deadheat-c++: all tests append their race records to
# one file, and a last test fails if there is a race in it that the file races.baseline does not have.
#
#   include(CTest.cmake)
#   deadheat_watch(my_test another_test)
find_program(DEADHEAT deadheat REQUIRED)
function(deadheat_watch)
  set(records ${CMAKE_BINARY_DIR}/races.records)
  add_test(NAME races.begin COMMAND ${CMAKE_COMMAND} -E rm -f ${records})
  set_tests_properties(races.begin PROPERTIES FIXTURES_SETUP races)
  set_tests_properties(${ARGN} PROPERTIES FIXTURES_REQUIRED races
    ENVIRONMENT "DEADHEAT_OPTIONS=record_path=${records}:exitcode=0")
  set(baseline)
  if(EXISTS ${CMAKE_SOURCE_DIR}/races.baseline)
    set(baseline --baseline ${CMAKE_SOURCE_DIR}/races.baseline)
  endif()
  add_test(NAME races COMMAND ${DEADHEAT} report ${baseline} ${records})
  set_tests_properties(races PROPERTIES DEPENDS "${ARGN}" FIXTURES_REQUIRED races)
endfunction()
