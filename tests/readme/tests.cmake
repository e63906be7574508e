# Every snippet of the README works as printed.
if(S3GD_SANITIZE OR NOT PROJECT_BINARY_DIR STREQUAL "${PROJECT_SOURCE_DIR}/build/release")
  return()
endif()
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
add_test(NAME Readme.EverySnippetRuns
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/run_snippets.py ${PROJECT_SOURCE_DIR}/README.md
                 ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${CMAKE_CURRENT_BINARY_DIR}/readme ${CMAKE_CXX_COMPILER})
set_tests_properties(Readme.EverySnippetRuns PROPERTIES TIMEOUT 300 LABELS readme RUN_SERIAL TRUE)
