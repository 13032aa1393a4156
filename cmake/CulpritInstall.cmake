# `cmake --install` makes a bundle that runs in any folder. Programs are in bin/ and find their shared libraries in lib/
# through $ORIGIN. So one can build on one machine and measure on another.
#
# Leaves out the libraries listed in cmake/left_to_the_machine.txt.
include(GNUInstallDirs)
set(CMAKE_INSTALL_LIBDIR lib)  # not lib/x86_64-linux-gnu: a bundle is not a distribution's package
file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/left_to_the_machine.txt _culprit_left_to_the_machine REGEX "^[^#]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/left_to_the_machine.txt)
list(TRANSFORM _culprit_left_to_the_machine REPLACE ".+" "^\\0\\\\.so")
# The folders of the toolkit's libraries in NVIDIA's packages; CUPTI has its own. They become the RUNPATH, so that
# LD_LIBRARY_PATH takes precedence.
set(_culprit_toolkit_libraries
  /usr/local/cuda/lib64 /usr/local/cuda/extras/CUPTI/lib64 /usr/local/cuda/targets/${CMAKE_SYSTEM_PROCESSOR}-linux/lib)
define_property(GLOBAL PROPERTY CULPRIT_INSTALLED_PROGRAMS BRIEF_DOCS "Programs that have install rules" FULL_DOCS "")

function(_culprit_install target destination)
  get_property(installed GLOBAL PROPERTY CULPRIT_INSTALLED_PROGRAMS)
  if(target IN_LIST installed)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY CULPRIT_INSTALLED_PROGRAMS ${target})
  file(RELATIVE_PATH to_lib /prefix/${destination} /prefix/${CMAKE_INSTALL_LIBDIR})
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib};${_culprit_toolkit_libraries}")
  target_link_options(${target} PRIVATE -Wl,--enable-new-dtags)
  set(export "")
  set(component "")
  if(target STREQUAL culprit_static_table)
    set(export EXPORT culprit_targets)  # users need this program, because it writes the table of each benchmark
    set(component COMPONENT development)
  endif()
  if(target STREQUAL culprit_doctor)
    set(component COMPONENT recording)
  endif()
  if(target STREQUAL culprit)
    set(component COMPONENT reading)  # packed by cmake/CulpritPackage.cmake
  endif()
  if(target STREQUAL gemm_bench)
    set(component COMPONENT benchmark)
  endif()
  install(TARGETS ${target} ${export} RUNTIME_DEPENDENCY_SET culprit_dependencies RUNTIME DESTINATION ${destination} ${component})
endfunction()

# culprit_install_program(target): installs into bin/. It may be called twice for one target.
function(culprit_install_program target)
  _culprit_install(${target} ${CMAKE_INSTALL_BINDIR})
endfunction()

# culprit_install_library(target): installs a shared library that other programs load into lib/. If a build is partial,
# script/bundle packs only the components recording and benchmark.
function(culprit_install_library target)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN;${_culprit_toolkit_libraries}")
  target_link_options(${target} PRIVATE -Wl,--enable-new-dtags)
  install(TARGETS ${target} RUNTIME_DEPENDENCY_SET culprit_dependencies LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          COMPONENT recording)
endfunction()

# culprit_install_helper(target): installs into libexec/culprit/, where `culprit` finds it. In a build it has the same
# place.
function(culprit_install_helper target)
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBEXECDIR}/culprit)
  _culprit_install(${target} ${CMAKE_INSTALL_LIBEXECDIR}/culprit)
endfunction()

# culprit_install_test(target): installs into libexec/culprit/tests/, so that GPU tests can run on a machine with a GPU.
function(culprit_install_test target)
  _culprit_install(${target} ${CMAKE_INSTALL_LIBEXECDIR}/culprit/tests)
endfunction()

# Finds `target` and our static libraries that it links, directly or indirectly.
function(_culprit_link_closure target result)
  set(pending ${target})
  set(found)
  while(pending)
    list(POP_FRONT pending name)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" name "${name}")
    if(NOT TARGET ${name})
      continue()
    endif()
    get_target_property(aliased ${name} ALIASED_TARGET)
    if(aliased)
      set(name ${aliased})
    endif()
    get_target_property(type ${name} TYPE)
    if(NOT name MATCHES "^culprit_" OR NOT type STREQUAL STATIC_LIBRARY OR name IN_LIST found)
      continue()
    endif()
    list(APPEND found ${name})
    get_target_property(private ${name} LINK_LIBRARIES)
    get_target_property(public ${name} INTERFACE_LINK_LIBRARIES)
    foreach(next IN LISTS private public)
      list(APPEND pending ${next})
    endforeach()
  endwhile()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# Finds `headers` and all headers that they reach through #include "folder/file.h".
function(_culprit_include_closure result headers)
  set(found "")
  set(pending ${headers})
  while(pending)
    list(POP_FRONT pending header)
    if(header IN_LIST found)
      continue()
    endif()
    list(APPEND found ${header})
    file(STRINGS ${PROJECT_SOURCE_DIR}/${header} lines REGEX "^#include \"")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" next "${line}")
      list(APPEND pending ${next})
    endforeach()
  endwhile()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# The parts that a user's benchmark needs for find_package(culprit) and culprit::workload. They are a component, so that
# they can be installed alone.
function(_culprit_install_development)
  include(CMakePackageConfigHelpers)
  _culprit_link_closure(culprit_workload libraries)
  foreach(library IN LISTS libraries)
    string(REGEX REPLACE "^culprit_" "" short ${library})
    set_target_properties(${library} PROPERTIES EXPORT_NAME ${short})
    target_include_directories(${library} PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/culprit>)
  endforeach()
  set_target_properties(culprit_static_table PROPERTIES EXPORT_NAME static_table_writer)
  install(TARGETS ${libraries} EXPORT culprit_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  install(EXPORT culprit_targets NAMESPACE culprit:: FILE culpritTargets.cmake
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/culprit COMPONENT development)
  # The headers that bench/workload.h and the tables of culprit_benchmark include, and those for reading the database.
  # They keep their folders, so that #include "bench/workload.h" also works with an installed culprit.
  _culprit_include_closure(headers "bench/workload.h;db/database.h;profiler/static_table.h")
  foreach(header IN LISTS headers)
    get_filename_component(folder ${header} DIRECTORY)
    install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/culprit/${folder}
            COMPONENT development)
  endforeach()
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/culpritConfig.cmake.in
                                ${PROJECT_BINARY_DIR}/culpritConfig.cmake
                                INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/culprit)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/culpritConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/culpritConfig.cmake ${PROJECT_BINARY_DIR}/culpritConfigVersion.cmake
                ${PROJECT_SOURCE_DIR}/cmake/CulpritCupti.cmake ${PROJECT_SOURCE_DIR}/cmake/CulpritBenchmark.cmake
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/culprit COMPONENT development)
  install(PROGRAMS ${PROJECT_SOURCE_DIR}/cmake/keep_cubins.sh DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/culprit
          COMPONENT development)
endfunction()

function(_culprit_install_rest)
  install(RUNTIME_DEPENDENCY_SET culprit_dependencies
          PRE_EXCLUDE_REGEXES ${_culprit_left_to_the_machine}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  # A bundled library needs a RUNPATH of its own, because the program's RUNPATH does not apply to its dependencies.
  install(CODE [[
    find_program(patchelf patchelf)
    set(bundled ${CMAKE_INSTALL_MANIFEST_FILES})  # not other files in lib/
    list(FILTER bundled INCLUDE REGEX "/lib/[^/]*\\.so[^/]*$")
    list(FILTER bundled EXCLUDE REGEX "/libculprit_[^/]*$")  # ours already have it
    list(TRANSFORM bundled PREPEND "$ENV{DESTDIR}")
    if(bundled AND NOT patchelf)
      message(FATAL_ERROR "cmake --install needs patchelf to make lib/ relocatable; install the package patchelf.")
    endif()
    foreach(library IN LISTS bundled)
      if(NOT IS_SYMLINK "${library}")
        execute_process(COMMAND ${patchelf} --set-rpath "$ORIGIN" "${library}" COMMAND_ERROR_IS_FATAL ANY)
      endif()
    endforeach()
  ]])
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/db/recorded/ DESTINATION ${CMAKE_INSTALL_DATADIR}/culprit/recorded
          COMPONENT reading FILES_MATCHING PATTERN "*.sql.zst")
  # The bundle also has the documents, and their links work there.
  install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/culprit
          COMPONENT reading)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/culprit
          COMPONENT reading FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.csv" PATTERN schema EXCLUDE)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/culprit COMPONENT reading)
  # Measure what recording costs, and how good sampled counters are, beside the programs that they record.
  if(TARGET program_kinds)
    set(tests ${CMAKE_INSTALL_LIBEXECDIR}/culprit/tests)
    install(PROGRAMS ${PROJECT_SOURCE_DIR}/script/record-costs ${PROJECT_SOURCE_DIR}/script/sampled-truth DESTINATION ${tests})
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/script/lib/costs ${PROJECT_SOURCE_DIR}/script/lib/truth DESTINATION ${tests}/lib
            FILES_MATCHING PATTERN "*.py")
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/programs/ DESTINATION ${tests} FILES_MATCHING PATTERN "*.py")
  endif()
  if(TARGET culprit_workload)
    _culprit_install_development()
  endif()
endfunction()
# Runs last, because all programs are known only then.
cmake_language(DEFER DIRECTORY ${PROJECT_SOURCE_DIR} CALL _culprit_install_rest)
