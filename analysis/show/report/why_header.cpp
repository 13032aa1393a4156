// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/why_header.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/launch/recording.h"
#include "analysis/show/report/run_header.h"

namespace culprit {

std::string GpuOf(const KernelRecord& kernel) {
  return kernel.run.run.device ? kernel.run.run.device->name : std::string();
}

std::string InItsRun(const KernelRecord& kernel) {
  return fmt::format("{}@{}", kernel.stage.id, ShortUuid(kernel.run.run));
}

std::vector<Fact> PairIdentity(const KernelRecord& base, const KernelRecord& candidate) {
  return {{"base", "", base.stage.id},
          {"candidate", "", candidate.stage.id},
          {"base_shape", "", base.launch.shape},
          {"candidate_shape", "", candidate.launch.shape},
          {"base_run_uuid", "", base.run.run.uuid},
          {"candidate_run_uuid", "", candidate.run.run.uuid}};
}

Banner BannerOf(Speed speed) {
  static const std::map<Speed, Banner> banners = {{Speed::kSlower, {Tone::kBad, "Slower"}},
                                                  {Speed::kFaster, {Tone::kGood, "Faster"}},
                                                  {Speed::kSame, {Tone::kNeutral, "As fast"}},
                                                  {Speed::kAmbiguous, {Tone::kOpen, "Not decided"}}};
  return banners.at(speed);
}

std::vector<std::string> WarningsOf(const KernelRecord& base, const KernelRecord& candidate) {
  Report report;
  for (const auto& [kernel, other] : {std::pair(&base, &candidate), std::pair(&candidate, &base)}) {
    if (kernel->run.state == "interrupted")
      AddWarnings({{"interrupted", "run " + ShortUuid(kernel->run.run) + " was stopped early.", {}}}, report);
    AddWarnings(WarningsBeside(*kernel, *other), report);
  }
  return report.warnings;
}

std::vector<StallDifference> LargestFirst(std::vector<StallDifference> stalls) {
  std::stable_sort(stalls.begin(), stalls.end(), [](const StallDifference& a, const StallDifference& b) {
    return std::abs(a.DeltaUs()) > std::abs(b.DeltaUs());
  });
  return stalls;
}

Section RecordedSection(const KernelRecord& base, const KernelRecord& candidate) {
  Section section{"recorded", "Recorded"};
  const bool same_run = base.run.run.uuid == candidate.run.run.uuid;
  for (const KernelRecord* kernel : {&base, &candidate}) {
    if (same_run && kernel == &candidate) break;
    const std::string side = same_run ? "" : kernel == &base ? "base_" : "candidate_";
    const std::string prefix = same_run ? "" : kernel == &base ? "Base: " : "Candidate: ";
    Report header;
    AddRunHeader(kernel->run, {}, header);
    for (const Fact& fact : header.context) {
      section.facts.push_back({side + fact.key, prefix + fact.title, fact.value, fact.detail});
    }
  }
  return section;
}

}  // namespace culprit
