// SPDX-License-Identifier: Apache-2.0
// The difference of two kernels by source line (`culprit why BASE CANDIDATE --lines`).
#pragma once
#include <span>

#include "analysis/judge/blame/line_difference.h"
#include "analysis/judge/why/explain.h"
#include "analysis/judge/why/sampled_advice.h"
#include "analysis/show/render/report.h"
#include "analysis/show/report/lines_report.h"
#include "db/database.h"

namespace culprit {

// If both kernels are equally fast, people see no lines unless `even_without_difference`. JSON always has the samples.
Report MakeLineDifferenceReport(const KernelRecord& base, const KernelRecord& candidate, const Explanation& explanation,
                                const LineDifferences& differences, std::span<const DifferenceAdvice> advice,
                                const PairSource& source, bool even_without_difference = false);

// Adds the lines to a page of causes (`culprit why BASE CANDIDATE --format html`).
void AddDifferentLines(const KernelRecord& base, const KernelRecord& candidate, const LineDifferences& differences,
                       const PairSource& source, Report& page);

}  // namespace culprit
