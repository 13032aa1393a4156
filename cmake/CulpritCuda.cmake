# CUDA, CUPTI, and the table of static attributes that is made from the cubins of the build itself.

# nvcc passes its commands on to a shell, with quotes that hold a space together and nothing else.
if("${PROJECT_SOURCE_DIR}${PROJECT_BINARY_DIR}" MATCHES "['\"`$\\]")
  message(FATAL_ERROR "nvcc cannot compile in a folder whose name has a quote, a backquote, a dollar sign or a backslash: move "
                      "${PROJECT_SOURCE_DIR}, or configure with -DCULPRIT_ENABLE_CUDA=OFF to build the half that reads measurements.")
endif()

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

include(${CMAKE_CURRENT_LIST_DIR}/CulpritBenchmark.cmake)
