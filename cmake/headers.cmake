# A third of what a file compiles is the headers of the standard library and fmt: once for all files of a target. Not with clang,
# whose precompiled headers name the folder they were made in, so that a compiler cache must not hand them to another.
set(S3GD_HEADERS <algorithm> <array> <bit> <cerrno> <cmath> <cstdint> <cstring> <filesystem> <fstream> <functional> <limits>
                 <map> <memory> <mutex> <numeric> <optional> <set> <span> <string> <string_view> <utility> <variant> <vector>
                 <fmt/core.h>)
string(COMPARE EQUAL "${CMAKE_CXX_COMPILER_ID}" GNU S3GD_PRECOMPILE)
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES ccache AND S3GD_PRECOMPILE)  # what it asks for then
  add_compile_options(-fpch-preprocess)
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

# Not with sanitizers, where some files are not optimised and could not use them.
function(s3gd_precompile target)
  if(S3GD_PRECOMPILE AND NOT S3GD_SANITIZE)
    target_precompile_headers(${target} PRIVATE ${S3GD_HEADERS})
  endif()
endfunction()
