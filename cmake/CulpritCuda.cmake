# CUDA, CUPTI, and the table of static attributes that is made from the cubins of the build itself.

# CUDA_HOME counts as much as CUDAToolkit_ROOT or nvcc in PATH.
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(CMAKE_CUDA_COMPILER nvcc
    HINTS ${CUDAToolkit_ROOT}/bin $ENV{CUDAToolkit_ROOT}/bin $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin
    PATHS /usr/local/cuda/bin)
  if(NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "nvcc was not found: set CUDA_HOME to a CUDA Toolkit 12.6 or newer, or configure with "
                        "-DCULPRIT_ENABLE_CUDA=OFF to build the half that reads measurements.")
  endif()
endif()

# The default list names architectures that a 12.6 compiler does not know yet (and a later one may have dropped): build those
# that it knows, and PTX of the newest for every GPU after it.
if(CMAKE_CUDA_COMPILER)
  set(_nvcc ${CMAKE_CUDA_COMPILER})
else()
  set(_nvcc $ENV{CUDACXX})
endif()
execute_process(COMMAND ${_nvcc} --list-gpu-code OUTPUT_VARIABLE _known_codes RESULT_VARIABLE _failed ERROR_QUIET)
set(CMAKE_CUDA_ARCHITECTURES "")
set(_left_out "")
foreach(_arch IN LISTS CULPRIT_CUDA_ARCHITECTURES)
  string(REGEX MATCH "^[0-9]+" _number "${_arch}")  # empty for "native" and "all", which nvcc resolves by itself
  if(NOT _failed AND _number AND NOT _known_codes MATCHES "sm_${_number}[^0-9]")
    list(APPEND _left_out ${_arch})
  else()
    list(APPEND CMAKE_CUDA_ARCHITECTURES ${_arch})
  endif()
endforeach()
if(_left_out)
  message(STATUS "This nvcc does not know ${_left_out}: leaving them out of CULPRIT_CUDA_ARCHITECTURES.")
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    message(FATAL_ERROR "None of the architectures in CULPRIT_CUDA_ARCHITECTURES is known to ${_nvcc}: "
                        "choose from the list that '${_nvcc} --list-gpu-code' prints.")
  endif()
  list(POP_BACK CMAKE_CUDA_ARCHITECTURES _newest)
  string(REGEX REPLACE "-real$" "" _newest "${_newest}")
  list(APPEND CMAKE_CUDA_ARCHITECTURES ${_newest})
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
if(CUDAToolkit_VERSION VERSION_LESS 12.6)
  message(FATAL_ERROR "The CUDA Toolkit in ${CUDAToolkit_BIN_DIR} is ${CUDAToolkit_VERSION}, and CUPTI's range profiler host "
                      "API needs 12.6: set CUDA_HOME to a newer one, or configure with -DCULPRIT_ENABLE_CUDA=OFF.")
endif()

include(${CMAKE_CURRENT_LIST_DIR}/CulpritCupti.cmake)

set(CULPRIT_KEEP_CUBINS ${CMAKE_CURRENT_LIST_DIR}/keep_cubins.sh CACHE INTERNAL "")

# culprit_keep_cubins(library): the library's CUDA objects keep their cubins and ptxas's report for culprit_static_table.
function(culprit_keep_cubins library)
  set_target_properties(${library} PROPERTIES CUDA_COMPILER_LAUNCHER ${CULPRIT_KEEP_CUBINS})
  target_compile_options(${library} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>)
endfunction()

# culprit_static_table(program [library...]): defines culprit::StaticTable() in `program`, with the static attributes of every
# kernel in the named libraries (each prepared by culprit_keep_cubins) and of the program's own .cu files.
#
# The program's own .cu files move into an object library: the table is a source of the program, so it can only be made from
# objects that another target has finished.
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

  set(table ${CMAKE_CURRENT_BINARY_DIR}/${program}_static_table.cpp)
  set(objects "")
  foreach(library IN LISTS libraries)
    list(APPEND objects $<TARGET_OBJECTS:${library}>)
  endforeach()
  add_custom_command(OUTPUT ${table}
    COMMAND culprit_static_table --output ${table} ${objects}
    DEPENDS culprit_static_table ${objects}
    COMMENT "Reading registers, stack frames and spills of ${program}'s kernels from their cubins"
    COMMAND_EXPAND_LISTS VERBATIM)
  target_sources(${program} PRIVATE ${table})
  target_link_libraries(${program} PRIVATE culprit::static)
endfunction()
