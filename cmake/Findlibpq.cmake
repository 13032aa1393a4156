# libpq's headers. FindPostgreSQL of CMake also wants the server's.
find_path(libpq_INCLUDE_DIR libpq-fe.h PATH_SUFFIXES postgresql)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(libpq REQUIRED_VARS libpq_INCLUDE_DIR)
mark_as_advanced(libpq_INCLUDE_DIR)
if(libpq_FOUND AND NOT TARGET libpq::headers)
  add_library(libpq::headers INTERFACE IMPORTED)
  set_target_properties(libpq::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${libpq_INCLUDE_DIR}")
endif()
