# Two files of one program may define one name differently. Only a linker that reads types detects this. With
# CULPRIT_ONE_DEFINITION, objects also contain types, and the target one_definition compares the types of all libraries
# and tests at once. Programs are still linked from machine code. Compiling takes 1 % longer. CUDA files are left out,
# because nvcc compiles them itself.

if(CULPRIT_ONE_DEFINITION)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    message(FATAL_ERROR "CULPRIT_ONE_DEFINITION needs g++, whose -Wodr compares types: leave it off, or set CXX=g++.")
  endif()
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-flto> $<$<COMPILE_LANGUAGE:CXX>:-ffat-lto-objects>)
  add_link_options(-fno-lto)
  # The index of a library must name what its machine code defines. By themselves, ar and ranlib take the names from the
  # types. These also name inline functions that machine code no longer has, and linkers then load one object twice.
  foreach(_language CXX CUDA)
    set(CMAKE_${_language}_ARCHIVE_CREATE "<CMAKE_AR> qc --target=elf64-little <TARGET> <LINK_FLAGS> <OBJECTS>")
    set(CMAKE_${_language}_ARCHIVE_APPEND "<CMAKE_AR> q --target=elf64-little <TARGET> <LINK_FLAGS> <OBJECTS>")
    set(CMAKE_${_language}_ARCHIVE_FINISH "")
  endforeach()
endif()

# culprit_one_definition(target): adds the target's C++ files to the comparison.
function(culprit_one_definition target)
  set_property(GLOBAL APPEND PROPERTY CULPRIT_ONE_DEFINITION_TARGETS ${target})
endfunction()

# Call after all targets.
function(culprit_check_one_definition)
  if(NOT CULPRIT_ONE_DEFINITION)
    return()
  endif()
  get_property(_targets GLOBAL PROPERTY CULPRIT_ONE_DEFINITION_TARGETS)
  # Their objects would also need their CUDA files, and there are many of these.
  list(REMOVE_ITEM _targets culprit_kernels culprit_planted culprit_noise)
  list(TRANSFORM _targets REPLACE ".+" "$<TARGET_OBJECTS:\\0>")
  # Every program with kernels has its own static table. It replaces the empty one.
  set(_objects "$<FILTER:$<FILTER:${_targets},INCLUDE,[.]cpp[.]o$>,EXCLUDE,static_table(_default)?[.]cpp[.]o$>")
  set(_list ${CMAKE_BINARY_DIR}/one_definition.txt)
  set(_out ${CMAKE_BINARY_DIR}/one_definition.o)
  file(GENERATE OUTPUT ${_list} CONTENT "$<JOIN:${_objects},\n>\n")
  add_custom_command(OUTPUT ${_out}
    COMMAND ${CMAKE_CXX_COMPILER} -flto -Werror=odr -Werror=lto-type-mismatch -r -flinker-output=rel -nostdlib -o ${_out} @${_list}
    DEPENDS "${_objects}" ${_list}
    COMMENT "Looking for one name that means two things"
    VERBATIM COMMAND_EXPAND_LISTS)
  add_custom_target(one_definition DEPENDS ${_out})
endfunction()
