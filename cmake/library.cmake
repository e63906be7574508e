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

# The report page's skeleton, style and scripts become strings.
file(GLOB S3GD_PAGE CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/report/*)
set(S3GD_PAGE_SOURCE ${PROJECT_BINARY_DIR}/report_assets.cpp)
add_custom_command(OUTPUT ${S3GD_PAGE_SOURCE}
                   COMMAND ${CMAKE_COMMAND} -D FOLDER=${PROJECT_SOURCE_DIR}/report -D OUTPUT=${S3GD_PAGE_SOURCE}
                           -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
                   DEPENDS ${S3GD_PAGE} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake VERBATIM)

set(S3GD_PRIVATE_LIBRARIES Threads::Threads LibArchive::LibArchive CURL::libcurl OpenSSL::Crypto fmt::fmt
                           BLAS::BLAS LAPACK::LAPACK PkgConfig::HWY)
# Three parts, by how they are compiled. Solvers, kernels and readers: each file by itself, so that a change in one compiles one.
# What leads them from beginning to end, and what writes text: several files at a time, which takes half as long (most of a
# small file is the headers it includes); and text with little optimisation, since nobody waits for it.
file(GLOB_RECURSE S3GD_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
set(lead ${S3GD_SOURCES})
list(FILTER lead INCLUDE REGEX "/src/(base|fit|saved|select|solve)/")
list(FILTER lead EXCLUDE REGEX "/json_text.cpp")  # nlohmann's header: a third of its folder
set(text ${S3GD_SOURCES})
list(FILTER text INCLUDE REGEX "/src/(compare|report|reproduce|solve/options)/|/src/saved/export")
list(REMOVE_ITEM lead ${text})
list(REMOVE_ITEM S3GD_SOURCES ${lead} ${text})
set(S3GD_PARTS s3gd_objects s3gd_lead_objects s3gd_text_objects)
add_library(s3gd_objects OBJECT ${S3GD_SOURCES} ${S3GD_PAGE_SOURCE})
add_library(s3gd_lead_objects OBJECT ${lead})
add_library(s3gd_text_objects OBJECT ${text})
foreach(part IN LISTS S3GD_PARTS)
  target_include_directories(${part} PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(${part} PRIVATE ${S3GD_WARNINGS})
  target_compile_definitions(${part} PRIVATE S3GD_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${part} PRIVATE ${S3GD_PRIVATE_LIBRARIES} nlohmann_json::nlohmann_json)
  s3gd_precompile(${part})
endforeach()
if(S3GD_UNITY)
  # A folder at a time: names within one are to differ. Types in unnamed namespaces are then not in the main file, which GCC warns of.
  foreach(part s3gd_lead_objects s3gd_text_objects)
    set_target_properties(${part} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    target_compile_options(${part} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endforeach()
  foreach(source IN LISTS lead text)
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(folder ${folder} NAME)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder})
  endforeach()
endif()
if(S3GD_SANITIZE)
  target_compile_options(s3gd_text_objects PRIVATE -O0)
else()
  target_compile_options(s3gd_text_objects PRIVATE $<$<CONFIG:Release>:-O1>)
endif()
include(cmake/experiments.cmake)
# libFuzzer is led by the branches of what reads files. Elsewhere a call at each comparison only makes the tests slow.
if(S3GD_BUILD_FUZZERS)
  file(GLOB readers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/base/*.cpp ${PROJECT_SOURCE_DIR}/src/data/*.cpp)
  list(APPEND readers ${PROJECT_SOURCE_DIR}/src/anchor/graph_file.cpp ${PROJECT_SOURCE_DIR}/src/saved/model_file.cpp)
  set_property(SOURCE ${readers} APPEND PROPERTY COMPILE_OPTIONS -fsanitize=fuzzer-no-link)
endif()

foreach(kind static shared)
  string(TOUPPER ${kind} KIND)
  add_library(s3gd_${kind} ${KIND} $<TARGET_OBJECTS:s3gd_objects>
                               $<TARGET_OBJECTS:s3gd_lead_objects> $<TARGET_OBJECTS:s3gd_text_objects>)
  add_library(s3gd::${kind} ALIAS s3gd_${kind})
  target_include_directories(s3gd_${kind} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                 $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(s3gd_${kind} PUBLIC cxx_std_20)
  target_link_libraries(s3gd_${kind} PRIVATE ${S3GD_PRIVATE_LIBRARIES})
  set_target_properties(s3gd_${kind} PROPERTIES OUTPUT_NAME s3gd EXPORT_NAME ${kind} VERSION ${PROJECT_VERSION}
                                                SOVERSION ${PROJECT_VERSION_MAJOR})
endforeach()
add_library(s3gd::s3gd ALIAS s3gd_shared)
