// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "tests/evidence/seeds/published.h"

namespace culprit {
namespace {

// The document does not say at which size.
constexpr std::array kRows{
    Published{"cublas_sgemm", "gflops", 13872, "GFLOP/s"},
    Published{"v2", "gflops", 9784, "GFLOP/s"},
    Published{"v1_9", "gflops", 8606, "GFLOP/s"},
    Published{"v1_8", "gflops", 8388, "GFLOP/s"},
    Published{"v1_7", "gflops", 6056, "GFLOP/s"},
    Published{"v1_7_1", "gflops", 1057, "GFLOP/s"},
    Published{"v1_7_2", "gflops", 6959, "GFLOP/s"},
    Published{"v1_6", "gflops", 1931, "GFLOP/s"},
    Published{"v1_6_1", "gflops", 1947, "GFLOP/s"},
    Published{"v1_6_3", "gflops", 990, "GFLOP/s"},
    Published{"v1_6_4", "gflops", 5090, "GFLOP/s"},
    Published{"v1", "gflops", 1986, "GFLOP/s"},
    Published{"v0", "gflops", 2471, "GFLOP/s"},
    Published{"sgemm_naive", "gflops", 1894, "GFLOP/s"},
};

}  // namespace

const PublishedTable& PublishedVStudy() {
  static constexpr PublishedTable table{"seeds/002", "performance table", "A10", kRows};
  return table;
}

}  // namespace culprit
