// SPDX-License-Identifier: Apache-2.0
// The difference of two kernels by source line (`culprit why BASE CANDIDATE --lines`).
#pragma once
#include <span>

#include "analysis/blame/line_difference.h"
#include "analysis/render/report.h"
#include "analysis/report/lines_report.h"
#include "analysis/why/explain.h"
#include "analysis/why/sampled_advice.h"
#include "db/database.h"

namespace culprit {

// Of two that are as fast no line is shown to people, unless `even_without_difference`; JSON has what was sampled.
Report MakeLineDifferenceReport(const KernelRecord& base, const KernelRecord& candidate, const Explanation& explanation,
                                const LineDifferences& differences, std::span<const DifferenceAdvice> advice,
                                const PairSource& source, bool even_without_difference = false);

// What a page says of lines beside the causes (`culprit why BASE CANDIDATE --format html`).
void AddDifferentLines(const KernelRecord& base, const KernelRecord& candidate, const LineDifferences& differences,
                       const PairSource& source, Report& page);

}  // namespace culprit
