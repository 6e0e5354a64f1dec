# Language level, build types, warnings, sanitizers, ccache and mold. The target weft_settings carries the flags for our own code.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-Og -g")

find_program(WEFT_CCACHE ccache)
if(WEFT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without this sloppiness, ccache skips every file that uses a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${WEFT_CCACHE})
endif()
find_program(WEFT_MOLD mold)

add_library(weft_settings INTERFACE)
target_compile_features(weft_settings INTERFACE cxx_std_20)
target_include_directories(weft_settings INTERFACE ${PROJECT_SOURCE_DIR}/src)
# Compiled C++ must not contract multiplies and adds: the interpreter is the reference and must compute the same on every CPU.
target_compile_options(weft_settings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -ffp-contract=off -fno-semantic-interposition)
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  # Attribute schemas are instantiated in one file; libstdc++'s stable_sort uses functions that are deprecated.
  target_compile_options(weft_settings INTERFACE -Wno-undefined-var-template -Wno-deprecated-declarations)
endif()
if(WEFT_CCACHE AND WEFT_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(weft_settings INTERFACE -fpch-preprocess)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(weft_settings INTERFACE -Wno-restrict)  # GCC bug 105651: false alarms in std::string
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # A compiler that looks for unused memory only above 1 GB takes a tenth less time; few of our files need as much.
  target_compile_options(weft_settings INTERFACE --param=ggc-min-heapsize=1000000)
endif()
if(WEFT_MOLD)
  target_link_options(weft_settings INTERFACE -fuse-ld=mold)
endif()
if(WEFT_SANITIZE)
  target_compile_options(weft_settings INTERFACE -fsanitize=${WEFT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(weft_settings INTERFACE -fsanitize=${WEFT_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(weft_settings INTERFACE -Wno-maybe-uninitialized)  # instrumented code raises false alarms
  endif()
endif()
