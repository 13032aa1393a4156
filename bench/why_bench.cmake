# The command that reads most: needs no CUDA. Not installed: it needs the recorded runs of a checkout.
culprit_program(why_bench NOT_INSTALLED ${CMAKE_CURRENT_LIST_DIR}/why_bench.cpp)
target_compile_definitions(why_bench PRIVATE CULPRIT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_link_libraries(why_bench PRIVATE culprit::cli culprit::db benchmark::benchmark benchmark::benchmark_main fmt::fmt)
