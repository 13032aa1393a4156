# How a benchmark program is built: here, and in a user's project that calls find_package(culprit).

set(_culprit_keep_cubins ${CMAKE_CURRENT_LIST_DIR}/keep_cubins.sh CACHE INTERNAL "")

# culprit_keep_cubins(library): keeps the cubins of the library's CUDA objects, and ptxas's report, for
# culprit_static_table.
function(culprit_keep_cubins library)
  set_target_properties(${library} PROPERTIES CUDA_COMPILER_LAUNCHER ${_culprit_keep_cubins})
  target_compile_options(${library} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>)
endfunction()

# culprit_static_table(program [library...]): defines culprit::StaticTable() in `program`, with the static attributes of every
# kernel in the named libraries (each prepared by culprit_keep_cubins) and of the program's own .cu files.
#
# The program's own .cu files move into an object library. The table is a source of the program, so it can only be made
# from objects of another target.
function(culprit_static_table program)
  set(libraries ${ARGN})
  get_target_property(sources ${program} SOURCES)
  set(cuda_sources ${sources})
  list(FILTER cuda_sources INCLUDE REGEX "\\.cu$")
  if(cuda_sources)
    list(FILTER sources EXCLUDE REGEX "\\.cu$")
    set(own ${program}_cuda)
    add_library(${own} OBJECT ${cuda_sources})
    foreach(what IN ITEMS INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS COMPILE_FEATURES)
      set_target_properties(${own} PROPERTIES ${what} "$<TARGET_PROPERTY:${program},${what}>")
    endforeach()
    culprit_keep_cubins(${own})
    set_target_properties(${program} PROPERTIES SOURCES "${sources}")
    target_sources(${program} PRIVATE $<TARGET_OBJECTS:${own}>)
    list(APPEND libraries ${own})
  endif()
  if(NOT libraries)
    message(FATAL_ERROR "culprit_static_table(${program}) has no kernels to describe: name the libraries that hold them.")
  endif()

  # The program that writes the table, from this build or installed.
  set(writer culprit_static_table)
  if(NOT TARGET ${writer})
    set(writer culprit::static_table_writer)
  endif()
  set(table ${CMAKE_CURRENT_BINARY_DIR}/${program}_static_table.cpp)
  set(objects "")
  foreach(library IN LISTS libraries)
    list(APPEND objects $<TARGET_OBJECTS:${library}>)
  endforeach()
  add_custom_command(OUTPUT ${table}
    COMMAND ${writer} --output ${table} ${objects}
    DEPENDS ${writer} ${objects}
    COMMENT "Reading registers, stack frames and spills of ${program}'s kernels from their cubins"
    COMMAND_EXPAND_LISTS VERBATIM)
  # A list of thousands of texts, read once: optimised it takes minutes.
  set_source_files_properties(${table} PROPERTIES COMPILE_OPTIONS -O0 SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${program} PRIVATE ${table})
  target_link_libraries(${program} PRIVATE culprit::static)
endfunction()

# culprit_benchmark(program file...): makes a user's executable that records its kernels. It has culprit::workload, C++20,
# source lines and the static table of its .cu files.
function(culprit_benchmark program)
  add_executable(${program} ${ARGN})
  target_compile_features(${program} PRIVATE cxx_std_20)
  # CMake 3.25 cannot request C++20 from nvcc 13.
  target_compile_options(${program} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
  target_link_libraries(${program} PRIVATE culprit::workload)
  culprit_static_table(${program})
endfunction()
