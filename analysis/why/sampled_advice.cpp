// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/sampled_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/kernel/kernel_view.h"
#include "analysis/why/headline.h"

namespace culprit {
namespace {

// Of the difference: what came with less of it is not what to change.
constexpr double kLeastShare = 0.05;

struct OfCause {
  std::string_view advice, cause;
};
constexpr OfCause kCauses[] = {{"local_array", "local_memory_array"},
                               {"spill", "local_memory_spill"},
                               {"bank_conflicts", "shared_bank_conflicts"},
                               {"uncoalesced", "global_uncoalesced"},
                               {"narrow", "global_access_width"},
                               {"narrow", "shared_access_width"},
                               {"double", "fp64_pipe"},
                               {"load_early", "exposed_latency"},
                               {"load_chain", "exposed_latency"},
                               {"barrier_in_loop", "barrier"},
                               {"atomics", "atomics"}};

// Whether the advice is about that line of the slower kernel; without line information it is about any.
bool IsNamed(const Advice& advice, const DifferentLine& line, bool base_is_slower) {
  const auto& place = base_is_slower ? line.base : line.candidate;
  if (!place) return false;
  if (advice.at.line == 0) return true;
  return place->frame.file == advice.at.file &&
         (place->frame.line == advice.at.line || std::ranges::count(advice.also_lines, place->frame.line) != 0);
}

// By how much longer warps waited in the slower kernel for what the advice is about.
double GrowthOf(const Advice& advice, const LineDifferences& differences, bool base_is_slower) {
  const double sign = base_is_slower ? -1 : 1;
  const bool barriers = advice.id == "barrier_in_loop";
  double us = 0;
  for (const DifferentLine& line : differences.lines) {
    // Warps that wait at a barrier are seen behind it, on whatever line that is.
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

// Of a kernel no more lines, and none for which warps waited less than a hundredth of its time.
constexpr std::size_t kMostShown = 2;
constexpr double kLeastShown = 0.01;

void AddShown(const std::vector<ShownCode>& shown, bool of_base, const Explanation& explanation, CausePart& part) {
  const double time_us = (of_base ? explanation.base_us : explanation.candidate_us).value_or(0);
  std::size_t added = 0;
  for (const ShownCode& code : shown) {
    if (code.cause != part.cause || code.at.line == 0 || code.us < kLeastShown * time_us || added == kMostShown)
      continue;
    // The same in both says nothing of their difference: once is enough.
    if (std::ranges::any_of(part.code, [&](const CauseCode& c) {
          return c.of_base != of_base && c.file == code.at.file && c.line == code.at.line && c.text == code.text;
        }))
      continue;
    part.code.push_back({of_base, code.at.file, code.at.line, code.text, code.us});
    ++added;
  }
}

}  // namespace

bool IsAdviceOn(std::string_view cause, std::string_view advice) {
  return std::ranges::any_of(kCauses, [&](const OfCause& of) { return of.advice == advice && of.cause == cause; });
}

Examined ExamineKernel(const Database& database, const KernelRecord& kernel) {
  const std::optional<SamplingRecord> sampling = database.Sampling(kernel.id);
  const Measured time_us = KernelView(kernel).Get("time_us");
  if (!sampling || !time_us) return {};
  const std::vector<InstructionRecord> counted = database.Instructions(kernel.id);
  return Examine(QuestionOf(kernel, CostsOf(*time_us, *sampling, counted), counted));
}

ExaminedPair ExaminePair(const KernelRecord& base, const KernelRecord& candidate, const SampledPair& sampled) {
  ExaminedPair pair;
  const LineDifferences& differences = sampled.lines;
  const Measured base_us = KernelView(base).Get("time_us"), candidate_us = KernelView(candidate).Get("time_us");
  if (!base_us || !candidate_us || !sampled.base || !sampled.candidate) return pair;
  const auto examine = [](const KernelRecord& kernel, const SampledKernel& of) {
    return Examine(QuestionOf(kernel, of.costs, of.counted));
  };
  Examined examined_base = examine(base, *sampled.base), examined_candidate = examine(candidate, *sampled.candidate);
  pair.base = std::move(examined_base.shown);
  pair.candidate = std::move(examined_candidate.shown);
  const std::vector<Advice>&of_base = examined_base.advice, &of_candidate = examined_candidate.advice;
  const double delta_us = *candidate_us - *base_us;
  const bool base_is_slower = delta_us < 0;
  // What is true of the other kernel as well made no difference: of each kind as many microseconds as it has there.
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
  const double least = kLeastShare * std::abs(differences.DeltaUs());
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

void AddExamined(const ExaminedPair& examined, Explanation& explanation) {
  for (CausePart& part : explanation.causes) {
    // Of the one that has more of it first.
    const bool in_base = part.delta_us < 0;
    AddShown(in_base ? examined.base : examined.candidate, in_base, explanation, part);
    AddShown(in_base ? examined.candidate : examined.base, !in_base, explanation, part);
    if (part.delta_us * explanation.DeltaUs() <= 0) continue;
    for (const DifferenceAdvice& more : examined.advice) {
      if (!IsAdviceOn(part.cause, more.advice.id) || more.advice.at.line == 0) continue;
      part.to_do.push_back({more.advice.at.file, more.advice.at.line, std::string(more.advice.id), more.advice.finding,
                            more.advice.action});
    }
  }
}

}  // namespace culprit
