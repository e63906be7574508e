# What `cmake --install` copies, and the package that find_package(s3gd) finds there.
include(CMakePackageConfigHelpers)
set(S3GD_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/s3gd)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/s3gd DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
# Two export sets: a user of the shared library needs none of the libraries that the static one is linked with.
foreach(kind static shared)
  install(TARGETS s3gd_${kind} EXPORT s3gd-${kind}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT s3gd-${kind} FILE s3gd-${kind}.cmake NAMESPACE s3gd:: DESTINATION ${S3GD_PACKAGE_DIR})
endforeach()
if(TARGET s3gd_app)
  install(TARGETS s3gd_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/s3gdConfig.cmake.in ${PROJECT_BINARY_DIR}/s3gdConfig.cmake
                              INSTALL_DESTINATION ${S3GD_PACKAGE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/s3gdConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/s3gdConfig.cmake ${PROJECT_BINARY_DIR}/s3gdConfigVersion.cmake
        DESTINATION ${S3GD_PACKAGE_DIR})
