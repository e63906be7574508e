# The Python package: python/src compiled into _core beside the files of python/s3gd, in ${PROJECT_BINARY_DIR}/python/s3gd
# (PYTHONPATH=build/release/python) or, from `pip install .`, in the wheel. nanobind comes from PyPI: `tools/setup python`
# puts it into build/python-venv, `pip` into its own build environment.
set(S3GD_PYTHON "${PROJECT_SOURCE_DIR}/build/python-venv/bin/python" CACHE FILEPATH "Interpreter with nanobind")
if(NOT SKBUILD)
  set(Python_EXECUTABLE ${S3GD_PYTHON})
endif()
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_VARIABLE nanobind_ROOT
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
find_package(nanobind CONFIG REQUIRED)

file(GLOB PYTHON_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/src/*.cpp)
nanobind_add_module(s3gd_python NB_STATIC NB_SUPPRESS_WARNINGS ${PYTHON_SOURCES})
target_include_directories(s3gd_python PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(s3gd_python PRIVATE s3gd_static)
target_compile_options(s3gd_python PRIVATE ${S3GD_WARNINGS} -Wno-pedantic)
target_compile_definitions(s3gd_python PRIVATE S3GD_VERSION="${PROJECT_VERSION}")
# What the package does not call (downloads) is not linked; nothing of ours or of the libraries inside is seen from outside.
target_link_options(s3gd_python PRIVATE -Wl,--as-needed -Wl,--exclude-libs,ALL)
set_target_properties(s3gd_python PROPERTIES OUTPUT_NAME _core)

if(SKBUILD)
  install(TARGETS s3gd_python LIBRARY DESTINATION s3gd COMPONENT python)
else()
  set(package ${PROJECT_BINARY_DIR}/python/s3gd)
  set_target_properties(s3gd_python PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${package})
  file(MAKE_DIRECTORY ${package})
  # Links: an edit of a .py file is there at once. Those to files that are gone go first.
  file(GLOB python_links ${package}/*.py ${package}/*.pyi)
  foreach(link IN LISTS python_links)
    if(NOT EXISTS ${link})
      file(REMOVE ${link})
    endif()
  endforeach()
  file(GLOB python_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/s3gd/*)
  foreach(file IN LISTS python_files)
    get_filename_component(name ${file} NAME)
    file(CREATE_LINK ${file} ${package}/${name} SYMBOLIC)
  endforeach()
endif()
