# weft_folder(NAME)          makes object library weft_NAME of the sources under src/weft/NAME (slashes become underscores)
# weft_app(NAME)             makes static library weft_app_NAME of the sources under apps/NAME; it is not installed
# weft_test(NAME COMMAND...) adds a test with the environment that all tests share
# weft_folder_tests(NAME)    makes one program and one test, weft_NAME_test, of the *_test.cpp under tests/NAME
# weft_text_tests()          adds a test for each *.mlir under tests/, except for inputs of other tests in folders named inputs
# weft_protobuf(TARGET FILE...)  compiles the messages of .proto files under src/weft to <weft/profile/FILE.pb.h>
# weft_assets(TARGET HEADER FILE...)  turns texts under src/weft into constants of <weft/HEADER>: report.js is assets::report_js
# weft_programs(DIR PREFIX)  makes a program bin/DIR/<file> of each DIR/*.cpp
# Folders without sources are skipped; new files are found at the next build.

# Ten sources share the headers they include; recompiling all ten after a change in one of them still takes seconds, not minutes.
set(WEFT_UNITY_BATCH 10)
# Most of a test's time to compile is that of templates which other tests need, too.
set(WEFT_TEST_UNITY_BATCH 6)

add_library(weft_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/pch.cpp)
target_link_libraries(weft_pch PRIVATE weft_settings)
set_target_properties(weft_pch PROPERTIES POSITION_INDEPENDENT_CODE ON)
if(WEFT_PCH)
  target_precompile_headers(weft_pch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/pch.h)
endif()

# Adds the sources in and below src/weft/NAME, except those of the folders named after EXCEPT.
function(weft_folder name)
  cmake_parse_arguments(arg "" "" "EXCEPT;LINK" ${ARGN})
  set(folder ${PROJECT_SOURCE_DIR}/src/weft/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  foreach(part ${arg_EXCEPT})
    list(FILTER sources EXCLUDE REGEX "^${folder}/${part}")
  endforeach()
  if(NOT sources)
    return()
  endif()
  string(REPLACE "/" "_" target weft_${name})
  add_library(${target} OBJECT ${sources})
  set_target_properties(${target} PROPERTIES
    POSITION_INDEPENDENT_CODE ON UNITY_BUILD ${WEFT_UNITY} UNITY_BUILD_BATCH_SIZE ${WEFT_UNITY_BATCH})
  target_link_libraries(${target} PRIVATE weft_settings ${arg_LINK})
  if(WEFT_PCH)
    target_precompile_headers(${target} REUSE_FROM weft_pch)
  endif()
  set_property(GLOBAL APPEND PROPERTY WEFT_FOLDERS ${target})
endfunction()

function(weft_app name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/${name}/*.cpp)
  set(target weft_app_${name})
  add_library(${target} STATIC ${sources})
  set_target_properties(${target} PROPERTIES
    POSITION_INDEPENDENT_CODE ON UNITY_BUILD ${WEFT_UNITY} UNITY_BUILD_BATCH_SIZE ${WEFT_UNITY_BATCH})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC weft ${arg_LINK} PRIVATE weft_settings)
  if(WEFT_PCH)
    target_precompile_headers(${target} REUSE_FROM weft_pch)
  endif()
endfunction()

# Tests use neither the user's cache nor a store. Several tests run in parallel, so OpenMP's idle threads sleep instead of spinning; kernels
# keep all their threads, because these are under test. ThreadSanitizer does not see libgomp's synchronisation, so with it OpenMP
# (that is, oneDNN) gets one thread; our own kernels run on threads that it can follow. A test that hangs fails after ten minutes,
# or after an hour if instrumented or emulated code is slower.
function(weft_test name)
  set(environment WEFT_CACHE=0 WEFT_CACHE_URL= WEFT_SHARE_CPUS=0 OMP_WAIT_POLICY=passive
                  ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
                  TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1)
  if(NOT WEFT_OPENMP)
    list(APPEND environment OMP_NUM_THREADS=1)
  endif()
  set(seconds 600)
  if(WEFT_SANITIZE OR CMAKE_CROSSCOMPILING)
    set(seconds 3600)
  endif()
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}" TIMEOUT ${seconds})
endfunction()

function(weft_folder_tests name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${name}/*_test.cpp)
  if(NOT sources)
    return()
  endif()
  set(target weft_${name}_test)
  add_executable(${target} ${sources})
  target_link_libraries(${target} PRIVATE weft_test_support)
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/tests
    UNITY_BUILD ${WEFT_UNITY} UNITY_BUILD_BATCH_SIZE ${WEFT_TEST_UNITY_BATCH})
  if(WEFT_PCH)
    target_precompile_headers(${target} REUSE_FROM weft_test_pch)
  endif()
  if(name STREQUAL apps)
    target_link_libraries(${target} PRIVATE ${WEFT_APPS})
  elseif(name STREQUAL cli AND TARGET weft_cli)
    target_link_libraries(${target} PRIVATE weft_cli CLI11::CLI11)
    add_dependencies(${target} weft_command)  # the tests run it
  endif()
  weft_test(${name} ${target} --gtest_brief=1)
endfunction()

# Code generated by protoc is not compiled with our warnings.
function(weft_protobuf target)
  string(REGEX REPLACE "^weft_" "" layer ${target})
  set(folder ${PROJECT_BINARY_DIR}/generated/weft/${layer})
  file(MAKE_DIRECTORY ${folder})
  foreach(proto ${ARGN})
    cmake_path(GET proto STEM name)
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/${proto})
    cmake_path(GET source PARENT_PATH from)
    add_custom_command(OUTPUT ${folder}/${name}.pb.cc ${folder}/${name}.pb.h
      COMMAND protobuf::protoc --proto_path=${from} --cpp_out=${folder} ${source} DEPENDS ${source} VERBATIM)
    target_sources(${target} PRIVATE ${folder}/${name}.pb.cc ${folder}/${name}.pb.h)
    set_source_files_properties(${folder}/${name}.pb.cc PROPERTIES COMPILE_OPTIONS -w SKIP_PRECOMPILE_HEADERS ON)
  endforeach()
  target_include_directories(${target} SYSTEM PRIVATE ${PROJECT_BINARY_DIR}/generated ${folder})
endfunction()

function(weft_assets target header)
  cmake_path(GET header PARENT_PATH folder)
  string(REPLACE "/" "::" namespace weft/${folder})
  set(constants "")
  foreach(file ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    file(READ ${file} text)
    cmake_path(GET file FILENAME name)
    string(MAKE_C_IDENTIFIER ${name} name)
    string(APPEND constants "inline constexpr std::string_view ${name} = R\"weft_asset(${text})weft_asset\";\n")
  endforeach()
  set(made ${PROJECT_BINARY_DIR}/generated/weft/${header})
  file(CONFIGURE OUTPUT ${made} @ONLY
       CONTENT "#pragma once\n\n#include <string_view>\n\nnamespace @namespace@::assets {\n@constants@}  // namespace @namespace@::assets\n")
  target_include_directories(${target} SYSTEM PRIVATE ${PROJECT_BINARY_DIR}/generated)
endfunction()

function(weft_text_tests)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*.mlir)
  list(FILTER files EXCLUDE REGEX "/inputs/")
  foreach(file ${files})
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests OUTPUT_VARIABLE name)
    weft_test(${name} ${PROJECT_SOURCE_DIR}/tests/filecheck.sh
              $<TARGET_FILE_DIR:weft_command> ${WEFT_FILECHECK} ${PROJECT_BINARY_DIR}/text-tests ${file})
  endforeach()
endfunction()

function(weft_programs directory prefix)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${directory}/*.cpp)
  if(prefix STREQUAL bench AND NOT benchmark_FOUND)
    return()
  endif()
  foreach(source ${sources})
    cmake_path(GET source STEM name)
    set(target ${prefix}_${name})
    add_executable(${target} ${source})
    set_target_properties(${target} PROPERTIES
      OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/${directory})
    target_link_libraries(${target} PRIVATE weft weft_settings)
    if(prefix STREQUAL bench)
      target_link_libraries(${target} PRIVATE benchmark::benchmark)
    elseif(WEFT_TESTS)
      weft_test(examples/${name} ${target})
    endif()
  endforeach()
endfunction()
