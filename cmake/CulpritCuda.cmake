# CUDA, CUPTI, and the table of static attributes from this build's cubins.

# nvcc passes its commands to a shell, in quotes that only protect spaces.
if("${PROJECT_SOURCE_DIR}${PROJECT_BINARY_DIR}" MATCHES "['\"`$\\]")
  message(FATAL_ERROR "nvcc cannot compile in a folder whose name has a quote, a backquote, a dollar sign or a backslash: move "
                      "${PROJECT_SOURCE_DIR}, or configure with -DCULPRIT_ENABLE_CUDA=OFF to build the half that reads measurements.")
endif()

# CUDA_HOME is accepted, like CUDAToolkit_ROOT or nvcc in PATH.
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(CMAKE_CUDA_COMPILER nvcc
    HINTS ${CUDAToolkit_ROOT}/bin $ENV{CUDAToolkit_ROOT}/bin $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin
    PATHS /usr/local/cuda/bin)
  if(NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "nvcc was not found: set CUDA_HOME to a CUDA Toolkit 12.6 or newer, or configure with "
                        "-DCULPRIT_ENABLE_CUDA=OFF to build the half that reads measurements.")
  endif()
endif()

# nvcc 12.6 lacks some architectures of the default list, and a later nvcc may have dropped others. Builds those that nvcc
# knows, and PTX of the newest for later GPUs.
if(CMAKE_CUDA_COMPILER)
  set(_nvcc ${CMAKE_CUDA_COMPILER})
else()
  set(_nvcc $ENV{CUDACXX})
endif()
execute_process(COMMAND ${_nvcc} --list-gpu-code OUTPUT_VARIABLE _known_codes RESULT_VARIABLE _failed ERROR_QUIET)
set(CMAKE_CUDA_ARCHITECTURES "")
set(_left_out "")
foreach(_arch IN LISTS CULPRIT_CUDA_ARCHITECTURES)
  string(REGEX MATCH "^[0-9]+" _number "${_arch}")  # empty for "native" and "all", which nvcc resolves itself
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
