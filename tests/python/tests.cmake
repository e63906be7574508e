# The Python package as it lies in the build folder: every test_*.py is one test. A file that says "also with the oldest
# scikit-learn" runs a second time with the versions of requirements-oldest.txt.
if(S3GD_SANITIZE)
  return()
endif()
if(NOT TARGET s3gd_python)
  add_test(NAME Python.Package COMMAND ${CMAKE_COMMAND} -E echo "skipped: tools/setup python, then S3GD_BUILD_PYTHON=ON")
  set_tests_properties(Python.Package PROPERTIES SKIP_REGULAR_EXPRESSION "skipped:")
  return()
endif()

function(s3gd_add_python_test name python file)
  add_test(NAME ${name} COMMAND ${python} -m pytest -q --no-header -p no:cacheprovider ${file}
           WORKING_DIRECTORY ${CMAKE_CURRENT_LIST_DIR})
  set(environment "PYTHONPATH=${PROJECT_BINARY_DIR}/python" PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg)
  if(TARGET s3gd_app)
    list(APPEND environment "S3GD_PROGRAM=$<TARGET_FILE:s3gd_app>")
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 LABELS python ENVIRONMENT "${environment}")
endfunction()

set(oldest ${PROJECT_SOURCE_DIR}/build/python-oldest/bin/python)
file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/test_*.py)
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME_WE)
  string(REGEX REPLACE "^test_" "" name ${name})
  s3gd_add_python_test(Python.${name} ${Python_EXECUTABLE} ${file})
  file(STRINGS ${file} marked REGEX "[Aa]lso with the oldest scikit-learn")
  if(marked AND EXISTS ${oldest})
    s3gd_add_python_test(Python.oldest_${name} ${oldest} ${file})
  endif()
endforeach()

# Compiles once more, what a compiler cache does not have from the release build: `./test --full` asks for it.
if(S3GD_TEST_WHEEL)
  execute_process(COMMAND ${Python_EXECUTABLE} -c "import sysconfig; print(sysconfig.get_path('purelib'))"
                  OUTPUT_VARIABLE packages OUTPUT_STRIP_TRAILING_WHITESPACE)
  add_test(NAME Python.Wheel COMMAND ${Python_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/wheel/check_wheel.py
                                     ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/wheel ${packages})
  set_tests_properties(Python.Wheel PROPERTIES TIMEOUT 900 LABELS python)
endif()
