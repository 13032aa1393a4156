// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <tuple>
#include <utility>

#include "analysis/causes/cause.h"
#include "analysis/render/format.h"

namespace culprit {
namespace {

const CausePart* LargestInDirection(const Explanation& e) {
  return e.causes.empty() || e.causes.front().share <= 0 ? nullptr : &e.causes.front();
}

// Whether 0 lies in its interval: what may be nothing takes nothing back.
bool MayBeNothing(const CausePart& part) { return part.interval && !part.interval->Excludes0(); }

}  // namespace

std::string PartText(double part_us, double change_us) {
  const std::string us = Format(part_us, Unit::kTimeDeltaUs);
  return change_us == 0 ? us : fmt::format("{} ({})", us, Format(100 * part_us / change_us, Unit::kPercent));
}

std::optional<Opposed> LargePartsCancel(const Explanation& e) {
  const double change = e.DeltaUs();
  if (!IsDifference(e.verdict.speed) || !e.decomposition || change == 0) return std::nullopt;
  Opposed opposed;
  double against = 0, largest_cause = 0;
  const auto add = [&](const std::string& name, double us) {
    if (us / change > opposed.with_us / change) std::tie(opposed.with, opposed.with_us) = std::pair(name, us);
    if (us / change < opposed.against_us / change) std::tie(opposed.against, opposed.against_us) = std::pair(name, us);
    against += std::max(0.0, -us / change);
  };
  for (const CausePart& part : e.causes) {
    if (part.delta_us / change > 0 || !MayBeNothing(part)) add(part.cause, part.delta_us);
    largest_cause = std::max(largest_cause, part.delta_us / change);
  }
  add("unexplained", e.unexplained_us);
  const bool beyond = largest_cause > kMostOfAChange && against > kMostOfAChange - 1;
  return beyond || against >= 1 ? std::optional(opposed) : std::nullopt;
}

std::string ToText(const Opposed& o, double change_us) {
  return fmt::format("large parts cancel: {} {} against {} {}", o.with, PartText(o.with_us, change_us), o.against,
                     PartText(o.against_us, change_us));
}

bool FirstCauseStands(const Explanation& e) {
  const CausePart* first = LargestInDirection(e);
  return IsDifference(e.verdict.speed) && e.decomposition && first != nullptr &&
         e.unexplained_us / e.DeltaUs() <= first->share && e.open_us <= std::abs(first->delta_us) &&
         !LargePartsCancel(e);
}

// In which warp state most of what is unexplained is; empty: in none.
std::string MostlyIn(const Explanation& e) {
  if (e.rest.empty()) return {};
  const UnexplainedRest& most = e.rest.front();
  const bool is_state =
      std::ranges::find(e.decomposition->stalls, most.in, &StallDifference::reason) != e.decomposition->stalls.end();
  if (!is_state || 2 * most.us / e.unexplained_us < 1) return {};
  return fmt::format(", most of it in {}, {}", most.in, Format(most.us, Unit::kTimeDeltaUs));
}

std::string Headline(const Explanation& e) {
  if (!IsDifference(e.verdict.speed)) return {};
  if (!e.decomposition) return "not known: " + e.no_decomposition;
  if (const auto opposed = LargePartsCancel(e))
    return fmt::format("none alone, because {}.", ToText(*opposed, e.DeltaUs()));
  const CausePart* first = LargestInDirection(e);
  if (FirstCauseStands(e)) return first->cause + ": " + first->text;
  if (first != nullptr && e.unexplained_us / e.DeltaUs() <= first->share)
    return fmt::format(
        "not known: causes that were not judged may be larger than {}, {} of the change; see what was not measured.",
        first->cause, Format(100 * first->share, Unit::kPercent));
  if (e.unexplained_us / e.DeltaUs() > 1 && !e.causes.empty())
    return fmt::format(
        "not found: {} are unexplained, more than the change, because the causes that were found, {} together, work "
        "against it{}.",
        Format(e.unexplained_us, Unit::kTimeDeltaUs), Format(e.DeltaUs() - e.unexplained_us, Unit::kTimeDeltaUs),
        MostlyIn(e));
  return fmt::format("not found: {} of the change is unexplained{}{}.",
                     Format(100 * e.unexplained_us / e.DeltaUs(), Unit::kPercent), MostlyIn(e),
                     first == nullptr ? ""
                                      : fmt::format("; the largest cause is {}, {}", first->cause,
                                                    Format(100 * first->share, Unit::kPercent)));
}

std::string_view WordsFor(std::string_view cause, double delta_us) {
  const Cause* known = FindCause(cause);
  if (known == nullptr) return cause;
  return delta_us < 0 ? known->saves : known->title;
}

std::string SentenceFor(std::string_view cause, double delta_us, double share) {
  std::string words(WordsFor(cause, delta_us));
  words.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
  const std::string size = Format(100 * std::abs(share), Unit::kPercent);
  return fmt::format("{}: {} {}, {}.", words, Format(std::abs(delta_us), Unit::kTimeUs), delta_us > 0 ? "more" : "less",
                     share >= 0 ? size + " of the change" : fmt::format("against the change and {} of its size", size));
}

}  // namespace culprit
