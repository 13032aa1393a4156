// SPDX-License-Identifier: Apache-2.0
// What the members of the V-study say of themselves, so that they say it alike.
#pragma once
#include <string>
#include <vector>

#include "kernels/sgemm/v_study_map.h"
#include "kernels/stage.h"

namespace culprit {

// The study's columns, in its order; the defaults are what most of its rows have. The table adds to V1.6, V1.6.1,
// V1.6.3 and V1 that r_c is found in local memory: that is what came of the other factors, not one that was set, so it
// is no part of the value.
struct VStudyRow {
  std::string move;
  std::string unroll = "false";
  std::string nest = "k->m->n";
  std::string bank_conflicts = "none";
  std::string volatile_smem = "false";
  std::string sums = "float r_c[8][8]";
  std::string task_split = "standard tiling";
};
Factors VStudyFactors(const VStudyRow& row);

// 128x128x8 tiles without bounds checks.
inline constexpr ShapeConstraint kVStudyShapes{v_study::kTileM, v_study::kTileN, v_study::kTileK};
LaunchConfig VStudyConfig(const GemmShape& shape);

// Shared accesses whose width the source decides; those of other loops are the compiler's choice and not named.
// `padding` counts floats behind each row of both tiles.
std::vector<SharedAccess> VStudyFloat4Stores();
std::vector<SharedAccess> VStudySingleFloatStores(int padding = 0);
std::vector<SharedAccess> VStudyVolatileAccesses();  // single-float stores, and loads that may not be merged
std::vector<SharedAccess> VStudySumsInShared();      // single-float stores, and sums kept in shared memory

}  // namespace culprit
