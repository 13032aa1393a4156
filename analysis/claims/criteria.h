// SPDX-License-Identifier: Apache-2.0
// The kinds of criterion of which claims are made. Each names its values by stage and metric.
#pragma once
#include <string>

#include "analysis/claims/claim.h"

namespace culprit {

// 100 x (time of base / time of candidate - 1).
Criterion Speed(const std::string& candidate, const std::string& base, Threshold threshold, Role role = Role::kClaim);
Criterion SpeedAt(int size, const std::string& candidate, const std::string& base, Threshold threshold,
                  Role role = Role::kClaim);

// A metric of the candidate over that of the base.
Criterion RatioOf(const std::string& metric, const std::string& candidate, const std::string& base, Threshold threshold,
                  Role role = Role::kReason);
// A metric for each of another, of the candidate over that of the base.
Criterion RatioOfPer(const std::string& metric, const std::string& per, const std::string& candidate,
                     const std::string& base, Threshold threshold, Role role = Role::kReason);
Criterion ValueOf(const std::string& stage, const std::string& metric, Threshold threshold, Role role = Role::kReason);
// Stalls for these reasons, in percent of the resident warp-cycles.
Criterion StallPct(const std::string& stage, std::vector<std::string> reasons, Threshold threshold,
                   Role role = Role::kReason);

// Exact wavefronts beyond the ideal ones, in percent of the ideal ones: of the instructions of one class, or of the
// whole kernel.
Criterion ExcessOf(const std::string& stage, InstructionClass which, const std::string& name, Threshold threshold,
                   Role role = Role::kClaim);
Criterion ExcessOfAll(const std::string& stage, Threshold threshold, Role role = Role::kClaim);
// Exact wavefronts per instruction of one class.
Criterion WavefrontsEach(const std::string& stage, InstructionClass which, const std::string& name, Threshold threshold,
                         Role role = Role::kClaim);

// Barriers of a block that a warp executes for each step along K.
Measured BarriersPerTile(Evidence& evidence, const std::string& stage, int step);

// Executions per warp and step along K; `step` is the K extent of a tile.
Measured PerWarpAndTile(const Measured& count, Evidence& evidence, const std::string& stage, int step);

}  // namespace culprit
