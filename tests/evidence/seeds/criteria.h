// SPDX-License-Identifier: Apache-2.0
// The kinds of criteria in claims. Each names its values by stage and metric.
#pragma once
#include <string>
#include <vector>

#include "tests/evidence/seeds/claim.h"

namespace culprit::claims {

// A stage at the claim's shape, or at M = N = K = size.
struct Launched {
  std::string stage;
  int size = 0;
};

// Time of one launch over that of another at equal clock: in cycles (median time x median clock of the samples) where
// the clocks of both were measured, else in microseconds. Clocks of one run differ by up to 1 %, and by more where the
// GPU draws too much power for its usual clock, while the kernel's code accounts for its cycles alone.
Measured TimeRatio(Evidence& evidence, const Launched& one, const Launched& other);

// 100 x (time of base / time of candidate - 1), as TimeRatio.
Criterion Speed(const std::string& candidate, const std::string& base, Threshold threshold, Role role = Role::kClaim);
Criterion SpeedAt(int size, const std::string& candidate, const std::string& base, Threshold threshold,
                  Role role = Role::kClaim);

// Throughput as a share of a library's, in percent, as delivered: in time, since a library that draws more power and
// runs at a lower clock for it is no faster to those who call it. Those at equal clock are shown beside it.
std::vector<Criterion> ShareOf(const std::string& library, const std::string& stage, Threshold threshold);

// A metric of the candidate over that of the base.
Criterion RatioOf(const std::string& metric, const std::string& candidate, const std::string& base, Threshold threshold,
                  Role role = Role::kReason);
// The ratio of two metrics, of the candidate divided by that of the base.
Criterion RatioOfPer(const std::string& metric, const std::string& per, const std::string& candidate,
                     const std::string& base, Threshold threshold, Role role = Role::kReason);
Criterion ValueOf(const std::string& stage, const std::string& metric, Threshold threshold, Role role = Role::kReason);
// Stalls for these reasons, in percent of the resident warp-cycles.
Criterion StallPct(const std::string& stage, std::vector<std::string> reasons, Threshold threshold,
                   Role role = Role::kReason);

// Exact wavefronts beyond the ideal ones, in percent of the ideal ones, of the instructions of one class.
Criterion ExcessOf(const std::string& stage, InstructionClass which, const std::string& name, Threshold threshold,
                   Role role = Role::kClaim);
// Exact wavefronts per instruction of one class.
Criterion WavefrontsEach(const std::string& stage, InstructionClass which, const std::string& name, Threshold threshold,
                         Role role = Role::kClaim);

// 1 when the compiler made the same machine code of both, else 0. Only shown.
Criterion SameCode(const std::string& one, const std::string& other);

Claim WithNote(Claim claim, std::string note);

// Barriers of a block that a warp executes for each step along K.
Measured BarriersPerTile(Evidence& evidence, const std::string& stage, int step);

// Executions per warp and step along K; `step` is the K extent of a tile.
Measured PerWarpAndTile(const Measured& count, Evidence& evidence, const std::string& stage, int step);

}  // namespace culprit::claims
