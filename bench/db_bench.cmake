# The database alone: needs no CUDA.
culprit_program(db_bench ${CMAKE_CURRENT_LIST_DIR}/db_bench.cpp)
target_link_libraries(db_bench PRIVATE culprit::db benchmark::benchmark benchmark::benchmark_main fmt::fmt)
# The command that reads most. Not installed: it needs the recorded runs of a checkout.
add_executable(why_bench ${CMAKE_CURRENT_LIST_DIR}/why_bench.cpp)
_culprit_common(why_bench)
target_compile_definitions(why_bench PRIVATE CULPRIT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_link_libraries(why_bench PRIVATE culprit::cli culprit::db benchmark::benchmark benchmark::benchmark_main fmt::fmt)
