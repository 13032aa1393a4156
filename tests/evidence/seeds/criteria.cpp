// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/seeds/criteria.h"

#include <fmt/core.h>

namespace culprit::claims {
namespace {

constexpr const char* kExact = "sass_shared_wavefronts";
constexpr const char* kIdeal = "sass_shared_wavefronts_ideal";

Measured Read(Evidence& evidence, const Launched& launched, const std::string& id) {
  return launched.size ? evidence.GetAt(launched.stage, id, launched.size) : evidence.Get(launched.stage, id);
}

Measured ChangePct(Evidence& evidence, const Launched& candidate, const Launched& base) {
  return Measured(100) * (TimeRatio(evidence, base, candidate) - Measured(1));
}

Measured ExcessPct(const Measured& exact, const Measured& ideal) { return Measured(100) * (exact - ideal) / ideal; }

}  // namespace

Measured TimeRatio(Evidence& evidence, const Launched& one, const Launched& other) {
  Measured ours = Read(evidence, one, "time_us"), theirs = Read(evidence, other, "time_us");
  if (evidence.HasClock(one.stage, one.size) && evidence.HasClock(other.stage, other.size)) {
    ours = ours * Read(evidence, one, "clock_mhz");
    theirs = theirs * Read(evidence, other, "clock_mhz");
  }
  return ours / theirs;
}

Criterion Speed(const std::string& candidate, const std::string& base, Threshold threshold, Role role) {
  return {role, fmt::format("throughput of {} against {}", candidate, base),
          [=](Evidence& e) { return ChangePct(e, {candidate}, {base}); }, std::move(threshold)};
}

Criterion SpeedAt(int size, const std::string& candidate, const std::string& base, Threshold threshold, Role role) {
  return {role, fmt::format("throughput of {} against {} at {}", candidate, base, size),
          [=](Evidence& e) {
            return ChangePct(e, {candidate, size}, {base, size});
          },
          std::move(threshold)};
}

std::vector<Criterion> ShareOf(const std::string& library, const std::string& stage, Threshold threshold) {
  return {{Role::kClaim, fmt::format("throughput of {} as a share of {}", stage, library),
           [=](Evidence& e) {
             const Measured ours = e.Get(stage, "time_us"), theirs = e.Get(library, "time_us");
             return Measured(100) * theirs / ours;
           },
           std::move(threshold)},
          {Role::kShown, "the same at equal clock",
           [=](Evidence& e) { return Measured(100) * TimeRatio(e, {library}, {stage}); }, OnlyShown(Unit::kPercent)}};
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

Criterion WavefrontsEach(const std::string& stage, InstructionClass which, const std::string& name, Threshold threshold,
                         Role role) {
  return {role, fmt::format("wavefronts for each of the {} of {}", name, stage),
          [=](Evidence& e) {
            const Measured exact = e.Sum(stage, which, kExact), count = e.Sum(stage, which, "sass_inst");
            return exact / count;
          },
          std::move(threshold)};
}

Criterion SameCode(const std::string& one, const std::string& other) {
  return {Role::kShown, fmt::format("machine code of {} the same as of {} (1: yes, 0: no)", one, other),
          [=](Evidence& e) { return e.SameCode(one, other); }, OnlyShown(Unit::kCount)};
}

Claim WithNote(Claim claim, std::string note) {
  claim.note = std::move(note);
  return claim;
}

Measured BarriersPerTile(Evidence& evidence, const std::string& stage, int step) {
  return PerWarpAndTile(evidence.Sum(stage, InstructionClass::kBarrier, "sass_inst"), evidence, stage, step);
}

Measured PerWarpAndTile(const Measured& count, Evidence& evidence, const std::string& stage, int step) {
  const Measured warps = evidence.Get(stage, "warps"), k = evidence.Get(stage, "k_extent");
  return count / warps / (k / Measured(step));
}

}  // namespace culprit::claims
