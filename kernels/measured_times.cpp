// SPDX-License-Identifier: Apache-2.0
#include "kernels/measured_times.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "db/error.h"

namespace culprit {
namespace {

constexpr int kStepK = 64, kHalvesOfLine = 64;
// Chosen by leaving each shape out of the table in turn: 4 to 8 steps chose best.
constexpr double kFixedSteps = 8;
// In doublings. With 1, a table's 5000 was launched like its 5120 and took 1.5 times as long; 2 to 4 are equally good.
constexpr double kLinesApart = 2;

double Doublings(int x, int y) { return std::fabs(std::log2(static_cast<double>(std::max(x, 1)) / std::max(y, 1))); }

bool WholeLines(const GemmShape& s) { return s.n % kHalvesOfLine == 0 && s.k % kHalvesOfLine == 0; }

double Distance(const GemmShape& x, const GemmShape& y) {
  const double lines = WholeLines(x) == WholeLines(y) ? 0 : kLinesApart;
  return lines + Doublings(x.m, y.m) + Doublings(x.n, y.n) + Doublings(x.k, y.k);
}

double Covering(int extent, int tile) { return std::ceil(static_cast<double>(extent) / tile); }

}  // namespace

double StepsOfBusiest(const TiledStage& stage, const GemmShape& shape, int multiprocessors) {
  const double waves = Covering(shape.m, stage.tile_m) * Covering(shape.n, stage.tile_n) / multiprocessors;
  return kFixedSteps + std::ceil(waves) * Covering(shape.k, kStepK);
}

const Stage& LeastExpected(std::string_view dispatcher, std::span<const TiledStage> stages,
                           std::span<const MeasuredTimes> table, const GemmShape& shape, int multiprocessors) {
  const auto nearest = std::min_element(table.begin(), table.end(), [&](const auto& x, const auto& y) {
    return Distance(shape, x.shape) < Distance(shape, y.shape);
  });
  if (nearest == table.end()) throw Error(std::string(dispatcher) + "'s table has no row");
  double least = std::numeric_limits<double>::infinity();
  const char* fastest = "";
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const double expected = nearest->us.at(i) * StepsOfBusiest(stages[i], shape, multiprocessors) /
                            StepsOfBusiest(stages[i], nearest->shape, multiprocessors);
    if (expected < least) {
      least = expected;
      fastest = stages[i].stage;
    }
  }
  const Stage* const stage = FindStage(fastest);
  if (stage == nullptr) throw Error(std::string(dispatcher) + "'s table names no stage: '" + fastest + "'");
  return *stage;
}

}  // namespace culprit
