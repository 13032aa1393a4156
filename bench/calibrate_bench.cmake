# The command that reads whole runs: needs no CUDA. Not installed: it needs the recorded runs of a checkout.
culprit_program(calibrate_bench NOT_INSTALLED ${CMAKE_CURRENT_LIST_DIR}/calibrate_bench.cpp)
target_compile_definitions(calibrate_bench PRIVATE CULPRIT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_link_libraries(calibrate_bench PRIVATE culprit::cli culprit::db SQLiteCpp benchmark::benchmark
                      benchmark::benchmark_main fmt::fmt)
