# Commands on runs of thousands of kernels: needs no CUDA. Not installed: it is of interest to who changes them.
culprit_program(many_kernels_bench NOT_INSTALLED ${CMAKE_CURRENT_LIST_DIR}/many_kernels_bench.cpp)
target_link_libraries(many_kernels_bench PRIVATE culprit::cli culprit::db benchmark::benchmark benchmark::benchmark_main fmt::fmt)
