// SPDX-License-Identifier: Apache-2.0
// The wgmma stage with the least expected time, from each stage's time at the most similar measured shape.
// Idea     a tile that saves loads leaves SMs idle where tiles are few, and small tiles load each value more often.
//          hgemm_best_table.h has the measurements; how full each stage's waves are is computed.
// Expect   the launched kernel's own counts: it is one of the stages.
#include <variant>

#include "kernels/hgemm/hgemm_best_table.h"
#include "kernels/launch.h"
#include "kernels/stage.h"

namespace culprit {
namespace {

constexpr int kCallLine = __LINE__ + 1;
void Launch(const HgemmProblem& p, cudaStream_t stream) {
  std::get<LaunchOf<__half>>(
      LeastExpected("hgemm_best", kTiledHgemm, kMeasuredHgemm, p.shape, Multiprocessors()).launch)(p, stream);
}

}  // namespace

Stage HgemmBestStage() {
  return {.id = "hgemm_best",
          .family = "dispatcher",
          .parent = "",
          .idea = "the wgmma stage of the least expected time, by the measured shape most like this one",
          .factors = {{"chosen by", "times at the nearest measured shape, by waves and steps"},
                      {"input", "fp16"},
                      {"precision", "fp32"}},
          .constraint = {1, 8, 8},
          .device = {.least = 90, .no_other = true},
          .source_file = "kernels/hgemm/hgemm_best.cpp",
          .source_line = kCallLine,
          .launch = Launch};
}

}  // namespace culprit
