# Machine code: what a cubin's instructions say. Neither CUDA nor SQLite; the half that reads uses it too.
culprit_library(sass
  sass/code_of.cpp
  sass/elf_image.cpp
  sass/instruction.cpp
  sass/sass_opcode.cpp)

culprit_program(sass_dump NOT_INSTALLED sass/sass_dump.cpp)  # for script/check-sass
target_link_libraries(sass_dump PRIVATE culprit::sass)

# How many blocks fit an SM: the half that reads asks for kernels of recorded programs.
culprit_library(occupancy occupancy.cpp static_attributes.cpp)

# Static attributes: no CUDA in here, so that tables can be read anywhere.
culprit_library(static
  cubin.cpp
  line_table.cpp
  resource_report.cpp
  sample_sums.cpp
  sampling_plan.cpp
  static_collector.cpp
  static_table.cpp
  static_table_default.cpp
  static_table_source.cpp)
target_link_libraries(culprit_static PUBLIC culprit::occupancy culprit::sass PRIVATE fmt::fmt)

culprit_program(culprit_static_table static_table_main.cpp)
target_link_libraries(culprit_static_table PRIVATE culprit::static CLI11::CLI11 fmt::fmt)

# What the running system says: needs the runtime.
if(CULPRIT_ENABLE_CUDA)
  culprit_library(runtime_attributes runtime_attributes.cpp)
  target_link_libraries(culprit_runtime_attributes PRIVATE CUDA::cudart_static)
endif()
