// SPDX-License-Identifier: Apache-2.0
// The stage of the ladder that was fastest at the most similar measured shape.
// Idea     no tile is best for every shape: large products need many results per thread, small ones enough blocks for
//          every SM, and long sums with few results need k divided. sgemm_best_table.h has the measurements.
// Expect   the launched kernel's own counts: it is one of the stages.
#include <variant>

#include "kernels/sgemm/sgemm_best_table.h"
#include "kernels/stage.h"

namespace culprit {
namespace {

constexpr int kCallLine = __LINE__ + 1;
void Launch(const GemmProblem& p, cudaStream_t stream) {
  // B and C are accessed by fours where n is a multiple of 4.
  std::get<LaunchOf<float>>(NearestBest("sgemm_best", kMeasuredBestSgemm, p.shape, 4).launch)(p, stream);
}

}  // namespace

Stage SgemmBestStage() {
  return {.id = "sgemm_best",
          .family = "dispatcher",
          .parent = "",
          .idea = "the stage of the ladder that was fastest at the measured shape most like this one",
          .factors = {{"chosen by", "nearest measured shape"}, {"input", "fp32"}, {"precision", "fp32"}},
          .constraint = {},
          .device = {.least = 90, .no_other = true},
          .source_file = "kernels/sgemm/sgemm_best.cpp",
          .source_line = kCallLine,
          .launch = Launch};
}

}  // namespace culprit
