# The built program, run as a user runs it.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND AND TARGET s3gd_app)
  foreach(name IN ITEMS frame data download fit predict multiclass calibrate export export_onnx_vw path report multiclass_path state
          multiclass_state compare files interrupt validate remarks labels options
          regression_losses)
    add_test(NAME cli_${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_${name}.py)
    set_tests_properties(cli_${name} PROPERTIES TIMEOUT 120 ENVIRONMENT "S3GD_PROGRAM=$<TARGET_FILE:s3gd_app>")
  endforeach()
  add_test(NAME cli_reproduce COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_reproduce.py)
  set_tests_properties(cli_reproduce PROPERTIES TIMEOUT 600 ENVIRONMENT "S3GD_PROGRAM=$<TARGET_FILE:s3gd_app>")
  set_tests_properties(cli_export cli_export_onnx_vw PROPERTIES TIMEOUT 300)  # starts many programs
  set_tests_properties(cli_multiclass_state PROPERTIES TIMEOUT 300)
endif()
