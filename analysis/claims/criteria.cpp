// SPDX-License-Identifier: Apache-2.0
#include "analysis/claims/criteria.h"

#include <fmt/core.h>

namespace culprit {
namespace {

constexpr const char* kExact = "sass_shared_wavefronts";
constexpr const char* kIdeal = "sass_shared_wavefronts_ideal";

Measured Change(const Measured& candidate_us, const Measured& base_us) {
  return Measured(100) * (base_us - candidate_us) / candidate_us;
}

Measured ExcessPct(const Measured& exact, const Measured& ideal) { return Measured(100) * (exact - ideal) / ideal; }

}  // namespace

Criterion Speed(const std::string& candidate, const std::string& base, Threshold threshold, Role role) {
  return {role, fmt::format("throughput of {} against {}", candidate, base),
          [=](Evidence& e) {
            const Measured ours = e.Get(candidate, "time_us"), theirs = e.Get(base, "time_us");
            return Change(ours, theirs);
          },
          std::move(threshold)};
}

Criterion SpeedAt(int size, const std::string& candidate, const std::string& base, Threshold threshold, Role role) {
  return {role, fmt::format("throughput of {} against {} at {}", candidate, base, size),
          [=](Evidence& e) {
            const Measured ours = e.GetAt(candidate, "time_us", size), theirs = e.GetAt(base, "time_us", size);
            return Change(ours, theirs);
          },
          std::move(threshold)};
}

Criterion RatioOf(const std::string& metric, const std::string& candidate, const std::string& base, Threshold threshold,
                  Role role) {
  return {role, fmt::format("{} of {} over {}", metric, candidate, base),
          [=](Evidence& e) {
            const Measured ours = e.Get(candidate, metric), theirs = e.Get(base, metric);
            return ours / theirs;
          },
          std::move(threshold)};
}

Criterion RatioOfPer(const std::string& metric, const std::string& per, const std::string& candidate,
                     const std::string& base, Threshold threshold, Role role) {
  return {role, fmt::format("{} per {} of {} over {}", metric, per, candidate, base),
          [=](Evidence& e) {
            const Measured ours = e.Get(candidate, metric), of_ours = e.Get(candidate, per);
            const Measured theirs = e.Get(base, metric), of_theirs = e.Get(base, per);
            return ours / of_ours / (theirs / of_theirs);
          },
          std::move(threshold)};
}

Criterion ValueOf(const std::string& stage, const std::string& metric, Threshold threshold, Role role) {
  return {role, fmt::format("{} of {}", metric, stage), [=](Evidence& e) { return e.Get(stage, metric); },
          std::move(threshold)};
}

Criterion StallPct(const std::string& stage, std::vector<std::string> reasons, Threshold threshold, Role role) {
  std::string names;
  for (const std::string& reason : reasons) names += (names.empty() ? "" : " + ") + reason;
  return {role, fmt::format("share of {} in the warp time of {}", names, stage),
          [=](Evidence& e) {
            Measured sum = 0.0;
            for (const std::string& reason : reasons) sum = sum + e.Get(stage, "stall_" + reason);
            const Measured all = e.Get(stage, "warps_active");
            return Measured(100) * sum / all;
          },
          std::move(threshold)};
}

Criterion ExcessOf(const std::string& stage, InstructionClass which, const std::string& name, Threshold threshold,
                   Role role) {
  return {role, fmt::format("excess wavefronts of the {} of {}", name, stage),
          [=](Evidence& e) {
            const Measured exact = e.Sum(stage, which, kExact), ideal = e.Sum(stage, which, kIdeal);
            return ExcessPct(exact, ideal);
          },
          std::move(threshold)};
}

Criterion ExcessOfAll(const std::string& stage, Threshold threshold, Role role) {
  return {role, fmt::format("excess wavefronts of all shared accesses of {}", stage),
          [=](Evidence& e) {
            const Measured exact = e.Get(stage, kExact), ideal = e.Get(stage, kIdeal);
            return ExcessPct(exact, ideal);
          },
          std::move(threshold)};
}

Criterion WavefrontsEach(const std::string& stage, InstructionClass which, const std::string& name, Threshold threshold,
                         Role role) {
  return {role, fmt::format("wavefronts for each of the {} of {}", name, stage),
          [=](Evidence& e) {
            const Measured exact = e.Sum(stage, which, kExact), count = e.Sum(stage, which, "sass_inst");
            return exact / count;
          },
          std::move(threshold)};
}

Measured BarriersPerTile(Evidence& evidence, const std::string& stage, int step) {
  return PerWarpAndTile(evidence.Sum(stage, InstructionClass::kBarrier, "sass_inst"), evidence, stage, step);
}

Measured PerWarpAndTile(const Measured& count, Evidence& evidence, const std::string& stage, int step) {
  const Measured warps = evidence.Get(stage, "warps"), k = evidence.Get(stage, "k_extent");
  return count / warps / (k / Measured(step));
}

}  // namespace culprit
