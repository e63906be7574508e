# The library: every file under src/, compiled once and packed both as a static and as a shared library.
find_package(Threads REQUIRED)
find_package(LibArchive REQUIRED)
find_package(CURL REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(BLAS REQUIRED)
find_package(LAPACK REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)

file(GLOB_RECURSE S3GD_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
# The report page's skeleton, style and scripts become strings.
file(GLOB S3GD_PAGE CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/report/*)
set(S3GD_PAGE_SOURCE ${PROJECT_BINARY_DIR}/report_assets.cpp)
add_custom_command(OUTPUT ${S3GD_PAGE_SOURCE}
                   COMMAND ${CMAKE_COMMAND} -D FOLDER=${PROJECT_SOURCE_DIR}/report -D OUTPUT=${S3GD_PAGE_SOURCE}
                           -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
                   DEPENDS ${S3GD_PAGE} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake VERBATIM)
add_library(s3gd_objects OBJECT ${S3GD_SOURCES} ${S3GD_PAGE_SOURCE})
target_include_directories(s3gd_objects PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(s3gd_objects PRIVATE ${S3GD_WARNINGS})
target_compile_definitions(s3gd_objects PRIVATE S3GD_VERSION="${PROJECT_VERSION}")
set(S3GD_PRIVATE_LIBRARIES Threads::Threads LibArchive::LibArchive CURL::libcurl OpenSSL::Crypto fmt::fmt
                           BLAS::BLAS LAPACK::LAPACK PkgConfig::HWY)
target_link_libraries(s3gd_objects PRIVATE ${S3GD_PRIVATE_LIBRARIES} nlohmann_json::nlohmann_json)
include(cmake/experiments.cmake)
s3gd_precompile(s3gd_objects)
# What writes text takes much longer to compile the more it is optimised, and nobody waits for it.
file(GLOB writers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/compare/*.cpp ${PROJECT_SOURCE_DIR}/src/report/*.cpp
                                    ${PROJECT_SOURCE_DIR}/src/saved/export*.cpp ${PROJECT_SOURCE_DIR}/src/reproduce/*.cpp)
if(S3GD_SANITIZE)
  set_property(SOURCE ${writers} APPEND PROPERTY COMPILE_OPTIONS -O0)
else()
  set_property(SOURCE ${writers} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
endif()
# libFuzzer is led by the branches of what reads files. Elsewhere a call at each comparison only makes the tests slow.
if(S3GD_BUILD_FUZZERS)
  file(GLOB readers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/base/*.cpp ${PROJECT_SOURCE_DIR}/src/data/*.cpp)
  list(APPEND readers ${PROJECT_SOURCE_DIR}/src/anchor/graph_file.cpp ${PROJECT_SOURCE_DIR}/src/saved/model_file.cpp)
  set_property(SOURCE ${readers} APPEND PROPERTY COMPILE_OPTIONS -fsanitize=fuzzer-no-link)
endif()

foreach(kind static shared)
  string(TOUPPER ${kind} KIND)
  add_library(s3gd_${kind} ${KIND} $<TARGET_OBJECTS:s3gd_objects>)
  add_library(s3gd::${kind} ALIAS s3gd_${kind})
  target_include_directories(s3gd_${kind} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                 $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(s3gd_${kind} PUBLIC cxx_std_20)
  target_link_libraries(s3gd_${kind} PRIVATE ${S3GD_PRIVATE_LIBRARIES})
  set_target_properties(s3gd_${kind} PROPERTIES OUTPUT_NAME s3gd EXPORT_NAME ${kind} VERSION ${PROJECT_VERSION}
                                                SOVERSION ${PROJECT_VERSION_MAJOR})
endforeach()
add_library(s3gd::s3gd ALIAS s3gd_shared)
