# An installed copy serves a project that knows nothing else of s3gd; and each public header compiles on its own.
if(S3GD_SANITIZE)
  return()
endif()
add_test(NAME Install.AConsumerBuildsAndRunsAgainstAnInstalledCopy
         COMMAND ${CMAKE_COMMAND} -D BUILD=${PROJECT_BINARY_DIR} -D SOURCE=${CMAKE_CURRENT_LIST_DIR}/consumer
                 -D WORK=${CMAKE_CURRENT_BINARY_DIR}/install -D COMPILER=${CMAKE_CXX_COMPILER}
                 -P ${CMAKE_CURRENT_LIST_DIR}/run.cmake)
set_tests_properties(Install.AConsumerBuildsAndRunsAgainstAnInstalledCopy PROPERTIES TIMEOUT 300 LABELS install)

file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/include/s3gd/*.hpp)
foreach(header IN LISTS headers)
  get_filename_component(name ${header} NAME_WE)
  add_test(NAME Headers.${name}CompilesAlone
           COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only
                   -I ${PROJECT_SOURCE_DIR}/include -include ${header} -x c++ /dev/null)
  set_tests_properties(Headers.${name}CompilesAlone PROPERTIES TIMEOUT 120 LABELS install)
endforeach()
