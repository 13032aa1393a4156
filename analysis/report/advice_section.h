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

// The first, in one line: what to do, and where; empty where there is none.
std::string AdviceLine(std::span<const Advice> advice);

// Says beside each finding of `culprit show` what the code shows of it, and what it asks for.
void AddExamined(const Examined& examined, Report& report);

// For programs.
ReportTable AdviceTable(std::span<const Advice> advice);
ReportTable AdviceTable(std::span<const DifferenceAdvice> advice);

}  // namespace culprit
