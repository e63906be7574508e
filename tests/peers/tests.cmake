# The rules of bench/peers on made-up numbers, and its bridge where the benchmarks are built.
if(S3GD_SANITIZE)
  return()
endif()
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
add_test(NAME Peers.rules COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/test_stay_below.py)
set_tests_properties(Peers.rules PROPERTIES LABELS source TIMEOUT 60)
if(S3GD_BUILD_BENCH)
  add_test(NAME Peers.bridge
           COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/test_bridge.py $<TARGET_FILE:bench_bridge>)
  set_tests_properties(Peers.bridge PROPERTIES LABELS source TIMEOUT 60)
endif()
