// SPDX-License-Identifier: Apache-2.0
// Advice on the slower of two kernels, without advice that applies equally to the other.
#pragma once
#include <string_view>
#include <vector>

#include "analysis/judge/advice/advice.h"
#include "analysis/judge/blame/line_difference.h"
#include "analysis/judge/why/explain.h"
#include "analysis/judge/why/sampled_pair.h"
#include "db/database.h"

namespace culprit {

struct DifferenceAdvice {
  Advice advice;         // on the slower kernel
  bool of_base = false;  // the slower kernel is the base
  // The advice's microseconds minus those of the same advice on the other kernel. At most the growth of its lines, and
  // the growth of the same instructions or barriers on these lines.
  double more_us = 0;
  double line_us = 0;  // the growth of the line that the advice is about
};

// Whether the advice is about that cause (an id of Causes()).
bool IsAdviceOn(std::string_view cause, std::string_view advice);

// What the code of a launch shows by itself.
Examined ExamineKernel(const KernelRecord& kernel, const SampledKernel& sampled);

struct ExaminedPair {
  std::vector<DifferenceAdvice> advice;  // on the line that grew most first
  std::vector<ShownCode> base, candidate;
};

// `sampled`: the result of LoadSamples for the two.
ExaminedPair ExaminePair(const KernelRecord& base, const KernelRecord& candidate, const SampledPair& sampled);

// Limits each more_us to the growth of the advice's lines, drops advice that is then not worthwhile, and sorts the rest
// by these lines. Call it after PutCausesOnLines.
void HoldAgainstLines(const LineDifferences& differences, std::vector<DifferenceAdvice>& advice);

// If the first cause may be the headline, moves advice on it to the front and keeps the order of the rest. Two pieces
// of advice on one line share its waiting, and samples alone do not show which of them made the difference.
void LeadWithFirstCause(const Explanation& explanation, std::vector<DifferenceAdvice>& advice);

// The facts about a cause that machine code shows. Those of the kernel with more of the cause come first.
std::vector<CauseCode> CodeOf(const CausePart& part, const ExaminedPair& examined, const Explanation& explanation);

// The advice on a cause; empty if the cause works against the whole difference, `delta_us`.
std::vector<CauseAdvice> ToDoFor(const CausePart& part, const ExaminedPair& examined, double delta_us);

}  // namespace culprit
