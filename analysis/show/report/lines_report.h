// SPDX-License-Identifier: Apache-2.0
// The hottest lines of a kernel (`culprit show STAGE --lines`).
#pragma once
#include <functional>
#include <span>
#include <string>

#include "analysis/judge/blame/costs.h"
#include "analysis/show/render/report.h"
#include "db/database.h"

namespace culprit {

struct SourceText {
  std::string text;     // text of the line
  std::string why_not;  // if there is no text: one sentence about the file that says why
};
using FindSourceText = std::function<SourceText(const SourceFrame& line)>;

// The sources of base and candidate. They can differ, because a file may have been edited in between.
struct PairSource {
  FindSourceText base, candidate;
  const FindSourceText& Of(bool of_base) const { return of_base ? base : candidate; }
};

// `costs`: the costs of a launch with a time. `counted`: its exact instruction counts, if any.
Report MakeLinesReport(const KernelRecord& kernel, const SamplingRecord& sampling, const KernelCosts& costs,
                       std::span<const InstructionRecord> counted, const FindSourceText& source);

// Adds the lines to a kernel's page (`culprit show STAGE --format html`).
void AddHottestLines(const std::string& stage, const KernelCosts& costs, const FindSourceText& source, Report& page);

}  // namespace culprit
