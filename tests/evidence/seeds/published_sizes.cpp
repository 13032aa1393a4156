// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "tests/evidence/seeds/published.h"

namespace culprit {
namespace {

// BlockGemm_V1 was measured with 16x16 blocks up to 1024 and with 32x32 above: two stages of ours.
constexpr std::array kRows{
    Published{"view_naive", "time_ms", 0.03, "ms", 128},
    Published{"view_naive", "time_ms", 0.08, "ms", 256},
    Published{"view_naive", "time_ms", 0.50, "ms", 512},
    Published{"view_naive", "time_ms", 4.25, "ms", 1024},
    Published{"view_naive", "time_ms", 45.36, "ms", 2048},
    Published{"view_naive", "time_ms", 402.47, "ms", 4096},
    Published{"view_block_v1", "time_ms", 0.02, "ms", 128},
    Published{"view_block_v1", "time_ms", 0.06, "ms", 256},
    Published{"view_block_v1", "time_ms", 0.25, "ms", 512},
    Published{"view_block_v1", "time_ms", 1.72, "ms", 1024},
    Published{"view_block_v1_32", "time_ms", 9.43, "ms", 2048},
    Published{"view_block_v1_32", "time_ms", 74.20, "ms", 4096},
    Published{"view_block_v2", "time_ms", 0.09, "ms", 128},
    Published{"view_block_v2", "time_ms", 0.15, "ms", 256},
    Published{"view_block_v2", "time_ms", 0.27, "ms", 512},
    Published{"view_block_v2", "time_ms", 0.81, "ms", 1024},
    Published{"view_block_v2", "time_ms", 3.77, "ms", 2048},
    Published{"view_block_v2", "time_ms", 26.51, "ms", 4096},
    Published{"view_block_v3", "time_ms", 0.09, "ms", 128},
    Published{"view_block_v3", "time_ms", 0.15, "ms", 256},
    Published{"view_block_v3", "time_ms", 0.27, "ms", 512},
    Published{"view_block_v3", "time_ms", 0.77, "ms", 1024},
    Published{"view_block_v3", "time_ms", 3.65, "ms", 2048},
    Published{"view_block_v3", "time_ms", 25.59, "ms", 4096},
    Published{"cublas_sgemm", "time_ms", 0.02, "ms", 128},
    Published{"cublas_sgemm", "time_ms", 0.02, "ms", 256},
    Published{"cublas_sgemm", "time_ms", 0.05, "ms", 512},
    Published{"cublas_sgemm", "time_ms", 0.35, "ms", 1024},
    Published{"cublas_sgemm", "time_ms", 2.08, "ms", 2048},
    Published{"cublas_sgemm", "time_ms", 15.52, "ms", 4096},
};

}  // namespace

const PublishedTable& PublishedSizes() {
  static constexpr PublishedTable table{"seeds/003", "performance test", "P100", kRows};
  return table;
}

}  // namespace culprit
