// SPDX-License-Identifier: Apache-2.0
// What to do about the slower of two kernels: advice on its code that is not as true of the other's.
#pragma once
#include <string_view>
#include <vector>

#include "analysis/advice/advice.h"
#include "analysis/blame/line_difference.h"
#include "analysis/why/explain.h"
#include "analysis/why/sampled_pair.h"
#include "db/database.h"

namespace culprit {

struct DifferenceAdvice {
  Advice advice;         // on the slower kernel
  bool of_base = false;  // which is the base
  // Microseconds of the advice less those of the same advice on the other kernel, and no more than by what the same
  // instructions of its lines, or barriers, grew, nor than by what its lines grew.
  double more_us = 0;
  double line_us = 0;  // by what the line that it is about grew
};

// Whether what the advice changes is what that cause (an id of Causes()) is about.
bool IsAdviceOn(std::string_view cause, std::string_view advice);

// What the code of a launch shows by itself; nothing where it was not sampled or has no time.
Examined ExamineKernel(const Database& database, const KernelRecord& kernel);

struct ExaminedPair {
  std::vector<DifferenceAdvice> advice;  // on the line that grew most first
  std::vector<ShownCode> base, candidate;
};

// `sampled`: of the two, as LoadSamples has it.
ExaminedPair ExaminePair(const KernelRecord& base, const KernelRecord& candidate, const SampledPair& sampled);

// Takes from advice what its lines did not grow by, leaves out what is then not worth it, and sorts it by the lines:
// of these, where causes were put on them (PutCausesOnLines).
void HoldAgainstLines(const LineDifferences& differences, std::vector<DifferenceAdvice>& advice);

// Where the first cause may stand alone, advice on it comes first, the rest behind it in the order that it had: two on
// one line share its waiting, and samples alone do not say which of them made the difference.
void LeadWithFirstCause(const Explanation& explanation, std::vector<DifferenceAdvice>& advice);

// Says beside each cause what its code asks for (CausePart::to_do), and what it shows of it (CausePart::code).
void AddExamined(const ExaminedPair& examined, Explanation& explanation);

}  // namespace culprit
