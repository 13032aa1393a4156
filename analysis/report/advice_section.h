// SPDX-License-Identifier: Apache-2.0
// Advice on a kernel's lines as reports show it (lines_report.h, line_difference_report.h).
#pragma once
#include <span>

#include "analysis/render/report.h"
#include "analysis/report/lines_report.h"
#include "analysis/why/sampled_advice.h"

namespace culprit {

// For people, alone.
Section AdviceSection(std::span<const Advice> advice, const FindSourceText& source);
Section AdviceSection(std::span<const DifferenceAdvice> advice, const PairSource& source);

// In one line: what to do, and where.
std::string AdviceLine(const Advice& advice);
// Of the first that is worth a hint at the top of a report; empty where there is none. Less of the kernel's time than
// two of the noise's hundredths (docs/noise.md) nobody would see gone.
inline constexpr double kWorthLeading = 0.02;
std::string AdviceLine(std::span<const Advice> advice, double time_us);

// Says beside each finding of `culprit show` what the code shows of it, and what it asks for.
void AddExamined(const Examined& examined, Report& report);

// For programs.
ReportTable AdviceTable(std::span<const Advice> advice);
ReportTable AdviceTable(std::span<const DifferenceAdvice> advice);

}  // namespace culprit
