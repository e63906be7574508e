# The order of the layers and the style of the sources; each check with a proof that it can fail.
if(S3GD_SANITIZE)
  return()
endif()
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
foreach(check layers style)
  add_test(NAME Source.${check} COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/check_${check}.py)
  add_test(NAME Source.${check}CheckCanFail
           COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/check_${check}.py --self-test)
  set_tests_properties(Source.${check} Source.${check}CheckCanFail PROPERTIES LABELS source TIMEOUT 60)
endforeach()
# The findings in docs/reproduction.md.
add_test(NAME Source.findings COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/test_fill_docs.py)
set_tests_properties(Source.findings PROPERTIES LABELS source TIMEOUT 60)
