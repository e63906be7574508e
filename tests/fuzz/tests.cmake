# Every fuzz_NAME.cpp is a libFuzzer target, run here for a few seconds from the seeds in corpus/NAME (tools/fuzz runs
# them longer). What is found is written to the build folder, never to the sources.
#
# Solvers are compared without libFuzzer here, on the seeds and on the same random bytes every time.
if(NOT S3GD_SANITIZE)  # its limit is a time
  add_executable(check_solvers ${CMAKE_CURRENT_LIST_DIR}/fuzz_solvers.cpp ${CMAKE_CURRENT_LIST_DIR}/plain_driver.cpp)
  s3gd_test_options(check_solvers)
  add_test(NAME Fuzz.solvers COMMAND check_solvers ${CMAKE_CURRENT_LIST_DIR}/corpus/solvers --random 100)
  set_tests_properties(Fuzz.solvers PROPERTIES LABELS fuzz TIMEOUT 120)
endif()
if(NOT S3GD_BUILD_FUZZERS)
  return()
endif()
set(FUZZ_SECONDS 5)
file(GLOB fuzz_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/fuzz_*.cpp)
foreach(source IN LISTS fuzz_sources)
  get_filename_component(target ${source} NAME_WE)
  string(REGEX REPLACE "^fuzz_" "" name ${target})
  add_executable(${target} ${source})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE s3gd_static)
  target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  target_link_options(${target} PRIVATE -fsanitize=fuzzer)

  set(found ${CMAKE_CURRENT_BINARY_DIR}/fuzz/${name})
  file(MAKE_DIRECTORY ${found})
  if(name STREQUAL solvers)
    continue()
  endif()
  set(seeds ${CMAKE_CURRENT_LIST_DIR}/corpus/${name})
  if(NOT EXISTS ${seeds})
    set(seeds)
  endif()
  add_test(NAME Fuzz.${name} COMMAND ${target} -max_total_time=${FUZZ_SECONDS} -rss_limit_mb=512 -timeout=10
                                     -seed=1 -print_final_stats=1 -artifact_prefix=${found}/ ${found} ${seeds})
  set_tests_properties(Fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT 120)
endforeach()
