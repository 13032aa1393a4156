# Functions that make all libraries and programs of this project.
add_library(culprit_warnings INTERFACE)
set(_flags -Wall -Wextra -Wshadow -Wnon-virtual-dtor)
if(CULPRIT_WARNINGS_AS_ERRORS)
  list(APPEND _flags -Werror)
endif()
# g++ 12 reports an impossible overlap in "text" + std::string (GCC bug 105651, fixed in 13).
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
  set(_flags -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  if(NOT CULPRIT_FUZZ)
    # These five checks apply to every access and take 30 % of the time to compile. AddressSanitizer finds most of the same
    # errors. The fuzz targets have these checks.
    list(APPEND _flags -fno-sanitize=null,alignment,vptr,object-size,pointer-overflow)
  endif()
  foreach(flag IN LISTS _flags)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:${flag}>)
  endforeach()
  add_link_options(-fsanitize=address,undefined)
endif()

# Reading these headers takes most of the time to compile. With CULPRIT_PRECOMPILE they are read once per library of more
# than four files, and once for all tests, which halves the time. Files must still #include them, because other builds do
# not precompile.
#
# In a precompiled header, g++ 12 forgets which headers are the system's, and its optimiser warns about them. So four
# warnings of the optimiser are off. script/nightly builds without precompiling, with all warnings.
set(_culprit_headers <algorithm> <array> <chrono> <filesystem> <functional> <map> <memory> <optional> <ostream> <set> <span>
    <sstream> <string> <variant> <vector> <fmt/format.h>)

# culprit_precompile(target header...): precompiles these headers for the target's C++ files.
function(culprit_precompile target)
  list(TRANSFORM ARGN REPLACE "<(.+)>" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
  target_precompile_headers(${target} PRIVATE ${ARGN})
  _culprit_without_suspicions(${target})
endfunction()

function(_culprit_precompile_if_many target)
  list(LENGTH ARGN files)
  if(CULPRIT_PRECOMPILE AND files GREATER 4)
    culprit_precompile(${target} ${_culprit_headers})
  endif()
endfunction()

function(_culprit_without_suspicions target)
  foreach(suspicion array-bounds maybe-uninitialized stringop-overflow stringop-overread)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-${suspicion}>)
  endforeach()
endfunction()

function(_culprit_common target)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  # CMake 3.25 cannot request C++20 from nvcc 13, so the flag is explicit.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:culprit_warnings>)  # our warnings are not for users
endfunction()

# culprit_library(name file...): static library culprit_<name>, alias culprit::<name>
function(culprit_library name)
  add_library(culprit_${name} STATIC ${ARGN})
  add_library(culprit::${name} ALIAS culprit_${name})
  _culprit_precompile_if_many(culprit_${name} ${ARGN})
  set_target_properties(culprit_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  _culprit_common(culprit_${name})
  if(CULPRIT_ONE_DEFINITION)  # whose objects also have types: projects elsewhere link their machine code
    target_link_options(culprit_${name} INTERFACE $<INSTALL_INTERFACE:$<HOST_LINK:-fno-lto>>)
  endif()
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

# culprit_plugin(name file...): a shared library that other programs load: build/.../lib/lib<name>.so, installed into
# lib/. It exports only marked symbols and none of its static libraries.
function(culprit_plugin name)
  add_library(${name} SHARED ${ARGN})
  _culprit_precompile_if_many(${name} ${ARGN})
  _culprit_common(${name})
  set_target_properties(${name} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_link_options(${name} PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-undefined -Wl,-z,now)
  culprit_install_library(${name})
endfunction()

# Compile options of every test. A test runs only once per compilation, and -Og takes a quarter less time than -O1.
function(_culprit_test_options target)
  _culprit_common(${target})
  target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-Og>)
  target_link_libraries(${target} PRIVATE fmt::fmt GTest::gtest GTest::gmock)
  target_compile_definitions(${target} PRIVATE CULPRIT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endfunction()

# Every test has one label:
#   unit   host code, quick without optimisation: script/nightly also runs these under sanitizers
#   whole  programs as a whole, and how well Culprit judges: slow without optimisation
#   cuda   needs the CUDA Toolkit, no GPU
#   gpu    needs a GPU: built here, run elsewhere
# Tests with a label that is not in CULPRIT_TESTS are neither built nor known to ctest.
set(CULPRIT_TESTS "unit;whole;cuda;gpu" CACHE STRING "Labels of the tests to build")
add_custom_target(culprit_tests)  # all of them, and the programs that they start

# culprit_test(name LABEL label [TOGETHER] SOURCES file... LIBRARIES target...): a GoogleTest program, one ctest entry per
# TEST. One entry per program under sanitizers, where programs take long to start, and with TOGETHER, for tests that share
# what takes long to compute.
function(culprit_test name)
  cmake_parse_arguments(arg "TOGETHER" "LABEL" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  _culprit_test_options(${name})
  if(CULPRIT_PRECOMPILE)
    target_precompile_headers(${name} REUSE_FROM culprit_test_headers)
    _culprit_without_suspicions(${name})
  endif()
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gtest_main)
  if(NOT arg_LABEL IN_LIST CULPRIT_TESTS)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL TRUE)
    return()
  endif()
  add_dependencies(culprit_tests ${name})
  culprit_one_definition(${name})
  if(CULPRIT_SANITIZE OR arg_TOGETHER)
    culprit_test_command(${name} LABEL ${arg_LABEL} COMMAND ${name} --gtest_brief=1 PROPERTIES COST 100)
  else()
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS ${arg_LABEL})
  endif()
  if(arg_LABEL STREQUAL gpu)
    culprit_install_test(${name})
  endif()
endfunction()

# culprit_test_command(name LABEL label COMMAND word... [PROGRAMS target...] [PROPERTIES name value...]): a test that is a
# command. PROGRAMS are built before.
function(culprit_test_command name)
  cmake_parse_arguments(arg "" "LABEL" "COMMAND;PROGRAMS;PROPERTIES" ${ARGN})
  if(NOT arg_LABEL IN_LIST CULPRIT_TESTS)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES LABELS ${arg_LABEL} ${arg_PROPERTIES})
  if(arg_PROGRAMS)
    add_dependencies(culprit_tests ${arg_PROGRAMS})
  endif()
endfunction()
