culprit_test(occupancy_test LABEL unit
  SOURCES occupancy_test.cpp
  LIBRARIES culprit::static)
target_include_directories(occupancy_test SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})

# A cubin of our own to read and to damage: the simplest kernel, for one architecture.
add_library(culprit_test_kernel OBJECT one_kernel.cu)
culprit_keep_cubins(culprit_test_kernel)
set_target_properties(culprit_test_kernel PROPERTIES CUDA_ARCHITECTURES 90-real)
culprit_test(static_collector_test LABEL unit
  SOURCES static_collector_test.cpp
  LIBRARIES culprit::static)
add_dependencies(static_collector_test culprit_test_kernel)
target_compile_definitions(static_collector_test PRIVATE
  CULPRIT_KEPT_CUBINS="$<TARGET_OBJECTS:culprit_test_kernel>.keep")

culprit_test(source_lines_test LABEL unit
  SOURCES source_lines_test.cpp
  LIBRARIES culprit::profiler)
add_dependencies(source_lines_test culprit_test_kernel)
target_compile_definitions(source_lines_test PRIVATE
  CULPRIT_KEPT_CUBINS="$<TARGET_OBJECTS:culprit_test_kernel>.keep")
