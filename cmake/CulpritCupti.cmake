# The target culprit::cupti, from the toolkit that find_package(CUDAToolkit) found. culpritConfig.cmake includes this file
# on the user's machine, because the libraries of an installed culprit link to that target.

# A full toolkit has CUPTI in extras/CUPTI. Packages have it beside their other headers and libraries.
set(_cupti_roots ${CUDAToolkit_LIBRARY_ROOT} ${CUDAToolkit_TARGET_DIR} ${CUDAToolkit_BIN_DIR}/..)
set(_cupti_include_hints ${CUDAToolkit_INCLUDE_DIRS})
set(_cupti_library_hints ${CUDAToolkit_LIBRARY_DIR})
foreach(_root IN LISTS _cupti_roots)
  list(APPEND _cupti_include_hints ${_root}/extras/CUPTI/include ${_root}/include)
  list(APPEND _cupti_library_hints ${_root}/extras/CUPTI/lib64 ${_root}/lib64 ${_root}/lib)
endforeach()
find_path(CULPRIT_CUPTI_INCLUDE_DIR cupti_range_profiler.h HINTS ${_cupti_include_hints})
find_library(CULPRIT_CUPTI_LIBRARY cupti HINTS ${_cupti_library_hints})
if(NOT CULPRIT_CUPTI_INCLUDE_DIR OR NOT CULPRIT_CUPTI_LIBRARY)
  message(FATAL_ERROR "CUPTI was not found in the CUDA Toolkit ${CUDAToolkit_VERSION} (neither in extras/CUPTI nor in include "
                      "and lib): install the toolkit's cupti-dev package, or configure with -DCULPRIT_ENABLE_CUDA=OFF.")
endif()
if(TARGET culprit_cupti)  # another directory of the project has already called this
  return()
endif()
add_library(culprit_cupti SHARED IMPORTED GLOBAL)
add_library(culprit::cupti ALIAS culprit_cupti)
set_target_properties(culprit_cupti PROPERTIES
  IMPORTED_LOCATION ${CULPRIT_CUPTI_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES "${CULPRIT_CUPTI_INCLUDE_DIR};${CUDAToolkit_INCLUDE_DIRS}")
