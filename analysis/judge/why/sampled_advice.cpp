// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/why/sampled_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/judge/why/headline.h"
#include "analysis/launch/kernel_view.h"

namespace culprit {
namespace {

// Advice about a smaller share of the difference is not worthwhile.
constexpr double kWorthAdvising = 0.05;

// Whether the advice is about this line of the slower kernel. Without line information, it is about all lines.
bool IsNamed(const Advice& advice, const DifferentLine& line, bool base_is_slower) {
  const auto& place = base_is_slower ? line.base : line.candidate;
  if (!place) return false;
  if (advice.at.line == 0) return true;
  return place->frame.file == advice.at.file &&
         (place->frame.line == advice.at.line || std::ranges::count(advice.also_lines, place->frame.line) != 0);
}

// The growth of waiting, in the slower kernel, for the instructions that the advice is about.
double GrowthOf(const Advice& advice, const LineDifferences& differences, bool base_is_slower) {
  const double sign = base_is_slower ? -1 : 1;
  const bool barriers = advice.id == "barrier_in_loop";
  double us = 0;
  for (const DifferentLine& line : differences.lines) {
    // Warps that wait at a barrier are sampled after it, which can be on any line.
    if (barriers) {
      for (const auto& [kind, delta_us] : line.waiting_at)
        if (kind.second == "barrier") us += sign * delta_us;
      continue;
    }
    if (!IsNamed(advice, line, base_is_slower)) continue;
    for (const auto& [kind, delta_us] : line.blamed_for)
      if (std::ranges::count(advice.operations, kind.first) != 0) us += sign * delta_us;
  }
  return us;
}

// At most kMostShown lines are shown for a kernel. A line is left out if warps waited for it for less than kLeastShown
// of the kernel's time.
constexpr std::size_t kMostShown = 2;
constexpr double kLeastShown = 0.01;

void AddShown(const std::vector<ShownCode>& shown, bool of_base, const Explanation& explanation, std::string_view cause,
              std::vector<CauseCode>& all) {
  const double time_us = (of_base ? explanation.base_us : explanation.candidate_us).value_or(0);
  std::size_t added = 0;
  for (const ShownCode& code : shown) {
    if (code.cause != cause || code.at.line == 0 || code.us < kLeastShown * time_us || added == kMostShown) continue;
    // A fact that is true of both kernels does not explain their difference, so it is shown only once.
    if (std::ranges::any_of(all, [&](const CauseCode& c) {
          return c.of_base != of_base && c.file == code.at.file && c.line == code.at.line && c.text == code.text;
        }))
      continue;
    all.push_back({of_base, code.at.file, code.at.line, code.text, code.us});
    ++added;
  }
}

}  // namespace

bool IsAdviceOn(std::string_view cause, std::string_view advice) {
  const auto kind = std::ranges::find(AdviceKinds(), advice, &AdviceKind::id);
  return kind != AdviceKinds().end() && std::ranges::count(kind->causes, cause) != 0;
}

Examined ExamineKernel(const KernelRecord& kernel, const SampledKernel& sampled) {
  return Examine(QuestionOf(kernel, sampled.costs, sampled.counted));
}

ExaminedPair ExaminePair(const KernelRecord& base, const KernelRecord& candidate, const SampledPair& sampled) {
  ExaminedPair pair;
  const LineDifferences& differences = sampled.lines;
  const Measured base_us = KernelView(base).Get("time_us"), candidate_us = KernelView(candidate).Get("time_us");
  if (!base_us || !candidate_us || !sampled.base || !sampled.candidate) return pair;
  Examined examined_base = ExamineKernel(base, *sampled.base),
           examined_candidate = ExamineKernel(candidate, *sampled.candidate);
  pair.base = std::move(examined_base.shown);
  pair.candidate = std::move(examined_candidate.shown);
  const std::vector<Advice>&of_base = examined_base.advice, &of_candidate = examined_candidate.advice;
  const double delta_us = *candidate_us - *base_us;
  const bool base_is_slower = delta_us < 0;
  // Advice that also applies to the other kernel does not explain the difference. So the microseconds that it has there
  // are subtracted, kind by kind.
  std::vector<Advice> other = base_is_slower ? of_candidate : of_base;
  std::vector<DifferenceAdvice>& all = pair.advice;
  for (const Advice& advice : base_is_slower ? of_base : of_candidate) {
    DifferenceAdvice more{advice, base_is_slower, advice.waited_us};
    for (Advice& there : other) {
      if (there.id != advice.id) continue;
      const double both = std::min(more.more_us, there.waited_us);
      more.more_us -= both;
      there.waited_us -= both;
    }
    more.more_us = std::min(more.more_us, GrowthOf(advice, differences, base_is_slower));
    all.push_back(std::move(more));
  }
  HoldAgainstLines(differences, all);
  return pair;
}

void HoldAgainstLines(const LineDifferences& differences, std::vector<DifferenceAdvice>& advice) {
  for (DifferenceAdvice& a : advice) {
    double all_us = 0;
    a.line_us = 0;
    for (const DifferentLine& line : differences.lines) {
      if (!IsNamed(a.advice, line, a.of_base)) continue;
      const double grew = a.of_base ? -line.DeltaUs() : line.DeltaUs();
      all_us += grew;
      if ((a.of_base ? line.base : line.candidate)->frame == a.advice.at) a.line_us += grew;
    }
    a.more_us = std::min(a.more_us, all_us);
  }
  const double least = kWorthAdvising * std::abs(differences.DeltaUs());
  std::erase_if(advice, [least](const DifferenceAdvice& a) { return !(a.more_us > 0 && a.more_us >= least); });
  std::ranges::stable_sort(advice, std::ranges::greater(),
                           [](const DifferenceAdvice& a) { return std::pair(a.line_us, a.more_us); });
}

void LeadWithFirstCause(const Explanation& explanation, std::vector<DifferenceAdvice>& advice) {
  if (!FirstCauseStands(explanation)) return;
  const std::string& cause = explanation.causes.front().cause;
  std::stable_partition(advice.begin(), advice.end(),
                        [&](const DifferenceAdvice& a) { return IsAdviceOn(cause, a.advice.id); });
}

std::vector<CauseCode> CodeOf(const CausePart& part, const ExaminedPair& examined, const Explanation& explanation) {
  const bool in_base = part.delta_us < 0;
  std::vector<CauseCode> code;
  AddShown(in_base ? examined.base : examined.candidate, in_base, explanation, part.cause, code);
  AddShown(in_base ? examined.candidate : examined.base, !in_base, explanation, part.cause, code);
  return code;
}

std::vector<CauseAdvice> ToDoFor(const CausePart& part, const ExaminedPair& examined, double delta_us) {
  if (part.delta_us * delta_us <= 0) return {};
  std::vector<CauseAdvice> to_do;
  for (const auto& [advice, of_base, more_us, line_us] : examined.advice)
    if (IsAdviceOn(part.cause, advice.id) && advice.at.line != 0)
      to_do.push_back({advice.at.file, advice.at.line, std::string(advice.id), advice.finding, advice.action});
  return to_do;
}

}  // namespace culprit
