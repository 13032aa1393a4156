// SPDX-License-Identifier: Apache-2.0
// The hottest lines of a kernel (`culprit show STAGE --lines`).
#pragma once
#include <functional>
#include <span>
#include <string>

#include "analysis/blame/costs.h"
#include "analysis/render/report.h"
#include "db/database.h"

namespace culprit {

struct SourceText {
  std::string text;     // of the line, as it stands there
  std::string why_not;  // one sentence about the file; empty where there is text
};
using FindSourceText = std::function<SourceText(const SourceFrame& line)>;

// Of a base and a candidate: one file may have been edited between the two.
struct PairSource {
  FindSourceText base, candidate;
  const FindSourceText& Of(bool of_base) const { return of_base ? base : candidate; }
};

// `costs` of a launch with a time; `counted`: exact counts of its instructions, as far as there are any.
Report MakeLinesReport(const KernelRecord& kernel, const SamplingRecord& sampling, const KernelCosts& costs,
                       std::span<const InstructionRecord> counted, const FindSourceText& source);

// What a page says of lines beside everything else that is known of a kernel (`culprit show STAGE --format html`).
void AddHottestLines(const std::string& stage, const KernelCosts& costs, const FindSourceText& source, Report& page);

}  // namespace culprit
