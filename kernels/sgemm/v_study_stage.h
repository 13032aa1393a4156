// SPDX-License-Identifier: Apache-2.0
// Common parts of the V-study's stage descriptions.
#pragma once
#include <string>
#include <vector>

#include "kernels/sgemm/v_study_map.h"
#include "kernels/stage.h"

namespace culprit {

// The study's columns in its order. The defaults are the most common values. For V1.6, V1.6.1, V1.6.3 and V1, the
// study's table notes that r_c is in local memory. This follows from the other factors, so it is not part of the value.
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

// The shared accesses that have their width from the source. In other loops the compiler chooses the width, so these
// are not listed. `padding`: floats after each row of both tiles.
std::vector<SharedAccess> VStudyFloat4Stores();
std::vector<SharedAccess> VStudySingleFloatStores(int padding = 0);
std::vector<SharedAccess> VStudyVolatileAccesses();  // single-float stores, and loads that may not be combined
std::vector<SharedAccess> VStudySumsInShared();      // single-float stores, and sums kept in shared memory

}  // namespace culprit
