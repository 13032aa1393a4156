# One way to make a library or a program of this project.
add_library(culprit_warnings INTERFACE)
set(_flags -Wall -Wextra -Wshadow -Wnon-virtual-dtor)
if(CULPRIT_WARNINGS_AS_ERRORS)
  list(APPEND _flags -Werror)
endif()
# g++ 12 sees an impossible overlap in "text" + std::string (GCC bug 105651, gone in 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND _flags -Wno-restrict)
endif()
foreach(flag IN LISTS _flags)
  target_compile_options(culprit_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${flag}>)
endforeach()

if(CULPRIT_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    message(FATAL_ERROR "CULPRIT_FUZZ needs clang: cmake --preset fuzz names it; script/bootstrap --fuzz installs it and libFuzzer.")
  endif()
  set(CULPRIT_SANITIZE ON)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(CULPRIT_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined> $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=undefined>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>)
  add_link_options(-fsanitize=address,undefined)
endif()

# Most of a compilation is reading these. With CULPRIT_PRECOMPILE they are read once for each library, and once for all tests:
# half of the time. They save nobody an #include, since other builds go without.
#
# g++ 12 forgets in a precompiled header which lines are a system's, and what it suspects there when it optimises becomes a
# warning of ours. So a library whose warnings are errors is optimised without, and tests go without the warnings that only an
# optimiser gives.
set(_culprit_headers <algorithm> <array> <chrono> <filesystem> <functional> <map> <memory> <optional> <ostream> <set> <span>
    <sstream> <string> <variant> <vector> <fmt/format.h>)

# culprit_precompile(target header...): C++ files of the target find these read already.
function(culprit_precompile target)
  list(TRANSFORM ARGN REPLACE "<(.+)>" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
  target_precompile_headers(${target} PRIVATE ${ARGN})
endfunction()

function(_culprit_common target)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  # CMake 3.25 does not know how to ask nvcc 13 for C++20, hence the explicit flag.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:culprit_warnings>)  # our warnings are not the users'
endfunction()

# culprit_library(name file...): static library culprit_<name>, alias culprit::<name>
function(culprit_library name)
  add_library(culprit_${name} STATIC ${ARGN})
  add_library(culprit::${name} ALIAS culprit_${name})
  list(LENGTH ARGN files)
  if(CULPRIT_PRECOMPILE AND files GREATER 4 AND (CMAKE_BUILD_TYPE STREQUAL Debug OR NOT CULPRIT_WARNINGS_AS_ERRORS))
    culprit_precompile(culprit_${name} ${_culprit_headers})
  endif()
  set_target_properties(culprit_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  _culprit_common(culprit_${name})
  culprit_one_definition(culprit_${name})
endfunction()

# culprit_program(name [NOT_INSTALLED] file...): an executable that `cmake --install` puts into bin/
function(culprit_program name)
  cmake_parse_arguments(arg "NOT_INSTALLED" "" "" ${ARGN})
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  _culprit_common(${name})
  if(NOT arg_NOT_INSTALLED)
    culprit_install_program(${name})
  endif()
endfunction()

# culprit_plugin(name file...): a shared library that programs of others load: build/.../lib/lib<name>.so, installed into
# lib/. They see what it marks as visible, and nothing of the libraries that it is made of.
function(culprit_plugin name)
  add_library(${name} SHARED ${ARGN})
  _culprit_common(${name})
  set_target_properties(${name} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_link_options(${name} PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-undefined -Wl,-z,now)
  culprit_install_library(${name})
endfunction()

# What every test is compiled with. A test runs once for each time it is compiled, so it is not worth much optimising.
function(_culprit_test_options target)
  _culprit_common(${target})
  target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>)
  if(CULPRIT_PRECOMPILE)
    foreach(suspicion array-bounds maybe-uninitialized stringop-overflow stringop-overread)
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-${suspicion}>)
    endforeach()
  endif()
  target_link_libraries(${target} PRIVATE fmt::fmt GTest::gtest GTest::gmock)
  target_compile_definitions(${target} PRIVATE CULPRIT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endfunction()

# culprit_test(name LABEL unit|gpu|cupti SOURCES file... LIBRARIES target...): a GoogleTest program, one ctest entry per TEST.
function(culprit_test name)
  cmake_parse_arguments(arg "" "LABEL" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  _culprit_test_options(${name})
  culprit_one_definition(${name})
  if(CULPRIT_PRECOMPILE)
    target_precompile_headers(${name} REUSE_FROM culprit_test_headers)
  endif()
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS ${arg_LABEL})
  if(arg_LABEL STREQUAL gpu)
    culprit_install_test(${name})  # built here, run where the GPU is
  endif()
endfunction()
