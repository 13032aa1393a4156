// SPDX-License-Identifier: Apache-2.0
// The stage of the ladder that was fastest at the measured shape most like this one.
// Idea     no tile is best for every shape: large products want many results a thread, small ones enough blocks for
//          every SM, and long sums over few results parts of k. sgemm_best_table.h says what was measured; nothing is
//          guessed between its rows, the nearest is taken.
// Expect   the launched kernel's own counts: it is one of the stages.
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <variant>

#include "db/error.h"
#include "kernels/sgemm/sgemm_best_table.h"
#include "kernels/stage.h"

namespace culprit {
namespace {

// Distance in doublings of an extent. B and C are accessed by fours where n is a multiple of 4: a shape for which they
// are not is like no shape for which they are.
double Distance(const GemmShape& shape, const MeasuredBest& row) {
  const auto doublings = [](int x, int y) { return std::fabs(std::log2(static_cast<double>(x) / y)); };
  const double alignment = (shape.n % 4 == 0) == (row.shape.n % 4 == 0) ? 0 : 1;
  return alignment + doublings(shape.m, row.shape.m) + doublings(shape.n, row.shape.n) +
         doublings(shape.k < 1 ? 1 : shape.k, row.shape.k);
}

const Stage& Nearest(const GemmShape& shape) {
  double least = std::numeric_limits<double>::infinity();
  const MeasuredBest* nearest = nullptr;
  for (const MeasuredBest& row : kMeasuredBest) {
    const double distance = Distance(shape, row);
    if (distance < least) {
      least = distance;
      nearest = &row;
    }
  }
  const Stage* const stage = FindStage(nearest->stage);
  if (stage == nullptr) throw Error("sgemm_best's table names no stage: '" + std::string(nearest->stage) + "'");
  return *stage;
}

constexpr int kCallLine = __LINE__ + 1;
void Launch(const GemmProblem& p, cudaStream_t stream) {
  std::get<LaunchOf<float>>(Nearest(p.shape).launch)(p, stream);
}

}  // namespace

Stage SgemmBestStage() {
  return {.id = "sgemm_best",
          .family = "dispatcher",
          .parent = "",
          .idea = "the stage of the ladder that was fastest at the measured shape most like this one",
          .factors = {{"chosen by", "nearest measured shape"}, {"input", "fp32"}, {"precision", "fp32"}},
          .constraint = {},
          .device = {.least = 90},
          .source_file = "kernels/sgemm/sgemm_best.cpp",
          .source_line = kCallLine,
          .launch = Launch};
}

}  // namespace culprit
