# Static attributes: no CUDA in here, so that tables can be read anywhere.
culprit_library(static
  cubin.cpp
  elf_image.cpp
  line_table.cpp
  occupancy.cpp
  resource_report.cpp
  sample_sums.cpp
  sampling_plan.cpp
  sass_opcode.cpp
  static_attributes.cpp
  static_collector.cpp
  static_table.cpp
  static_table_default.cpp
  static_table_source.cpp)
target_link_libraries(culprit_static PRIVATE fmt::fmt)

culprit_program(culprit_static_table static_table_main.cpp)
target_link_libraries(culprit_static_table PRIVATE culprit::static CLI11::CLI11 fmt::fmt)

# What the running system says: needs the runtime.
if(CULPRIT_ENABLE_CUDA)
  culprit_library(runtime_attributes runtime_attributes.cpp)
  target_link_libraries(culprit_runtime_attributes PRIVATE CUDA::cudart_static)
endif()
