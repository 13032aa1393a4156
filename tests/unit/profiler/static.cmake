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

# The same of a kernel with inlined functions.
add_library(culprit_inlined_kernel OBJECT inlined_kernel.cu)
culprit_keep_cubins(culprit_inlined_kernel)
target_include_directories(culprit_inlined_kernel PRIVATE ${PROJECT_SOURCE_DIR})
set_target_properties(culprit_inlined_kernel PROPERTIES CUDA_ARCHITECTURES 90-real)
culprit_test(source_lines_test LABEL unit
  SOURCES code_modules_test.cpp line_table_test.cpp source_lines_test.cpp source_quotes_test.cpp
  LIBRARIES culprit::profiler)
add_dependencies(source_lines_test culprit_test_kernel culprit_inlined_kernel)
target_compile_definitions(source_lines_test PRIVATE
  CULPRIT_KEPT_CUBINS="$<TARGET_OBJECTS:culprit_test_kernel>.keep"
  CULPRIT_INLINED_CUBINS="$<TARGET_OBJECTS:culprit_inlined_kernel>.keep")

# Instructions by name, as each generation of architectures encodes them.
add_library(culprit_opcode_kernels OBJECT opcode_kernels.cu)
culprit_keep_cubins(culprit_opcode_kernels)
set_target_properties(culprit_opcode_kernels PROPERTIES
  CUDA_ARCHITECTURES "75-real;80-real;89-real;90-real;100-real;120-real")
culprit_test(sass_opcode_test LABEL unit
  SOURCES sass_opcode_test.cpp
  LIBRARIES culprit::static)
add_dependencies(sass_opcode_test culprit_opcode_kernels)
target_include_directories(sass_opcode_test SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
target_compile_definitions(sass_opcode_test PRIVATE
  CULPRIT_KEPT_CUBINS="$<TARGET_OBJECTS:culprit_opcode_kernels>.keep")
culprit_test_command(check_opcodes_self_test LABEL whole COMMAND ${PROJECT_SOURCE_DIR}/script/check-opcodes --self-test)
culprit_test(sampling_test LABEL unit
  SOURCES sampling_test.cpp
  LIBRARIES culprit::static)
