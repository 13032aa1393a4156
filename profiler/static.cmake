# Machine code: ELF, lines, instructions, and analyses of them. Needs neither CUDA nor SQLite; analysis/ uses it too.
culprit_library(code
  code/asynchronous.cpp
  code/code_of.cpp
  code/cubin.cpp
  code/elf_image.cpp
  code/flow_graph.cpp
  code/instruction.cpp
  code/lane_addresses.cpp
  code/lane_value.cpp
  code/line_table.cpp
  code/local_access.cpp
  code/operation.cpp
  code/producers.cpp
  code/products.cpp
  code/resource_report.cpp
  code/sass_opcode.cpp
  code/spills.cpp
  code/static_attributes.cpp
  code/strides.cpp
  code/subroutines.cpp
  code/trips.cpp)
target_link_libraries(culprit_code PRIVATE fmt::fmt)

culprit_program(sass_dump NOT_INSTALLED code/sass_dump.cpp)  # for script/check-sass
target_link_libraries(sass_dump PRIVATE culprit::code)

# The messages between a recorded program and its recorder. Does not link SQLite into that program.
culprit_library(trace
  trace/capture.cpp
  trace/kept_instructions.cpp
  trace/libraries.cpp
  trace/rank.cpp
  trace/timeline.cpp
  trace/trace_line.cpp
  trace/trace_plan.cpp
  trace/trace_reader.cpp
  trace/trace_sums.cpp
  trace/trace_writer.cpp)
target_link_libraries(culprit_trace PRIVATE fmt::fmt PUBLIC culprit::regular_file)

# Where Python launches kernels, without CUPTI.
culprit_library(launch_places inject/launch_places.cpp inject/python_stack.cpp)
target_link_libraries(culprit_launch_places PUBLIC culprit::trace PRIVATE ${CMAKE_DL_LIBS})

# When a process records, without CUPTI.
culprit_library(capture_window inject/capture_window.cpp)
target_link_libraries(culprit_capture_window PUBLIC culprit::trace)

# How long a list of sampled counters has its turn, without CUPTI.
culprit_library(turn_length inject/turn_length.cpp)

# In which order a CUDA graph is taken apart, without CUDA.
culprit_library(walk_order inject/walk_order.cpp)

# Computes how many blocks fit on an SM; analysis/ needs it for kernels of recorded programs.
culprit_library(occupancy occupancy.cpp)
target_link_libraries(culprit_occupancy PUBLIC culprit::code)

# Static attributes. Uses no CUDA, so that tables can be read anywhere.
culprit_library(static
  sample_sums.cpp
  sampling_plan.cpp
  static_collector.cpp
  static_table.cpp
  static_table_default.cpp
  static_table_source.cpp)
target_link_libraries(culprit_static PUBLIC culprit::occupancy PRIVATE fmt::fmt)

culprit_program(culprit_static_table static_table_main.cpp)
target_link_libraries(culprit_static_table PRIVATE culprit::static CLI11::CLI11 fmt::fmt)
