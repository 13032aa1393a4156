# culprit_add_git_info(target): defines the variables of bench/build_info.h in `target`. Git is asked at each build.
function(culprit_add_git_info target)
  set(_info ${CMAKE_CURRENT_BINARY_DIR}/build_info.cpp)
  add_custom_target(${target}_git_info
    COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DOUTPUT=${_info} -P ${PROJECT_SOURCE_DIR}/cmake/GitInfo.cmake
    BYPRODUCTS ${_info}
    COMMENT "Asking git which sources these are")
  target_sources(${target} PRIVATE ${_info})
  add_dependencies(${target} ${target}_git_info)
endfunction()
