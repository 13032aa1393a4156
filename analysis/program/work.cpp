// SPDX-License-Identifier: Apache-2.0
#include "analysis/program/work.h"

#include <algorithm>

namespace culprit {

double Work::CopiesUs() const {
  double us = 0;
  for (const auto& [kind, of_kind] : copies_us) us += of_kind;
  return us;
}

bool HasTimeline(const RunSummary& run, std::span<const KernelRecord> launches) {
  const auto& program = run.run.program;
  return program && program->span_us && program->idle_us &&
         std::ranges::all_of(launches, [](const KernelRecord& k) { return k.program && k.program->share_us; });
}

std::optional<double> UsOf(const KernelRecord& launch, bool of_timeline) {
  if (!launch.program) return std::nullopt;
  return of_timeline ? launch.program->share_us : launch.program->time_us;
}

std::optional<Work> WorkOf(const RunSummary& run, std::span<const KernelRecord> launches, bool of_timeline) {
  Work work;
  for (const KernelRecord& launch : launches) {
    const std::optional<double> us = UsOf(launch, of_timeline);
    if (!us) return std::nullopt;
    work.kernels_us += *us;
  }
  if (run.run.program)
    for (const ProgramCopy& copy : run.run.program->copies)
      work.copies_us[copy.kind] += of_timeline ? copy.share_us : copy.time_us;
  return work;
}

}  // namespace culprit
