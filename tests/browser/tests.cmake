# Pages in a browser. Without chromium or its driver (tools/setup test installs both) this is skipped.
find_program(NODE_PROGRAM node)
if(NODE_PROGRAM AND TARGET s3gd_app AND NOT S3GD_SANITIZE)
  add_test(NAME browser COMMAND ${NODE_PROGRAM} ${CMAKE_CURRENT_LIST_DIR}/all.mjs)
  set_tests_properties(browser PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77 ENVIRONMENT "S3GD_PROGRAM=$<TARGET_FILE:s3gd_app>")
endif()
