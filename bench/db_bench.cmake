# The database alone: needs no CUDA.
culprit_program(db_bench ${CMAKE_CURRENT_LIST_DIR}/db_bench.cpp)
target_link_libraries(db_bench PRIVATE culprit::db benchmark::benchmark benchmark::benchmark_main fmt::fmt)
