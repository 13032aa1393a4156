// SPDX-License-Identifier: Apache-2.0
// Sections and tables of advice on a kernel's lines, for lines_report.h and line_difference_report.h.
#pragma once
#include <span>

#include "analysis/judge/why/sampled_advice.h"
#include "analysis/show/render/report.h"
#include "analysis/show/report/lines_report.h"

namespace culprit {

// Only for people.
Section AdviceSection(std::span<const Advice> advice, const FindSourceText& source);
Section AdviceSection(std::span<const DifferenceAdvice> advice, const PairSource& source);

// One line: what to do, and where.
std::string AdviceLine(const Advice& advice);
// The first advice with at least this share of the kernel's time, for the top of a report. Empty: none. A gain below 2
// % is near the noise (docs/evidence/noise.md).
inline constexpr double kWorthLeading = 0.02;
std::string AdviceLine(std::span<const Advice> advice, double time_us);

// Adds the facts that the code shows, and the advice, to each finding of `culprit show`.
void AddExamined(const Examined& examined, Report& report);

// Only for programs.
ReportTable AdviceTable(std::span<const Advice> advice);
ReportTable AdviceTable(std::span<const DifferenceAdvice> advice);

}  // namespace culprit
