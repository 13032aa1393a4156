// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/why/headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <tuple>
#include <utility>

#include "analysis/judge/causes/cause.h"
#include "analysis/number/format.h"

namespace culprit {
namespace {

const CausePart* LargestInDirection(const Explanation& e) {
  return e.causes.empty() || e.causes.front().delta_us * e.DeltaUs() <= 0 ? nullptr : &e.causes.front();
}

// Whether its interval contains 0. Such a part does not count as one that cancels another.
bool MayBeNothing(const CausePart& part) { return part.interval && !part.interval->Excludes0(); }

std::string Sentence(std::string_view what, double delta_us, double share) {
  std::string words(what);
  words.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
  const std::string size = Format(100 * std::abs(share), Unit::kPercent);
  return fmt::format("{}: {} {}, {}.", words, Format(std::abs(delta_us), Unit::kTimeUs), delta_us > 0 ? "more" : "less",
                     share >= 0 ? size + " of the change" : fmt::format("against the change and {} of its size", size));
}

}  // namespace

std::string PartText(double part_us, double change_us) {
  const std::string us = Format(part_us, Unit::kTimeDeltaUs);
  return change_us == 0 ? us : fmt::format("{} ({})", us, Format(100 * part_us / change_us, Unit::kPercent));
}

std::optional<Opposed> LargePartsCancel(const Explanation& e) {
  const double change = e.DeltaUs();
  if (!IsExplained(e) || change == 0) return std::nullopt;
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
  return IsExplained(e) && first != nullptr && e.unexplained_us / e.DeltaUs() <= first->share &&
         e.open_us <= std::abs(first->delta_us) && !LargePartsCancel(e);
}

// The warp state with most of the unexplained part. Empty: no state has most of it.
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
  if (!e.decomposition) {
    const std::string known = FirstOf(e.known);
    return known.empty() ? "not known: " + e.no_decomposition
                         : fmt::format("not known, but these differ: {}; {}", known, e.no_decomposition);
  }
  if (const auto opposed = LargePartsCancel(e))
    return fmt::format("none alone, because {}.", ToText(*opposed, e.DeltaUs()));
  const CausePart* first = LargestInDirection(e);
  if (FirstCauseStands(e)) return first->cause + ": " + first->text;
  if (first != nullptr && e.unexplained_us / e.DeltaUs() <= first->share)
    return fmt::format(
        "not known: causes that were not judged may be larger than {}, {} of the change; see what was not measured.",
        first->cause, Format(100 * first->share, Unit::kPercent));
  if (e.same_code)
    return fmt::format(
        "not in the code: both are the same machine code, launched alike. What was counted does not tell {} of the "
        "change{}; see below what may differ.",
        Format(100 * e.unexplained_us / e.DeltaUs(), Unit::kPercent), MostlyIn(e));
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
  return Sentence(WordsFor(cause, delta_us), delta_us, share);
}

std::string WaitingSentenceFor(std::string_view cause, double delta_us, double share, bool sampled) {
  const Cause* known = FindCause(cause);
  if (known == nullptr || known->waits.empty()) return {};
  return Sentence(delta_us < 0 ? known->waits_less : known->waits, delta_us, share) +
         (sampled ? " Why was not measured; what is read from the code does not tell."
                  : " Why was not measured: samples of instructions show how early the code asks.");
}

bool IsExplained(const Explanation& explanation) {
  return IsDifference(explanation.verdict.speed) && explanation.decomposition;
}

const CausePart* FirstCause(const Explanation& explanation) {
  return LargePartsCancel(explanation) ? nullptr : LargestInDirection(explanation);
}

const CausePart* SecondCause(const Explanation& explanation) {
  if (explanation.causes.size() < 2 || LargePartsCancel(explanation)) return nullptr;
  const CausePart& second = explanation.causes[1];
  return second.delta_us / explanation.DeltaUs() >= kSecondCauseFrom ? &second : nullptr;
}

std::string WithoutCause(const Explanation& explanation) {
  if (!IsDifference(explanation.verdict.speed)) return std::string(ToText(explanation.verdict.speed));
  if (const auto opposed = LargePartsCancel(explanation)) return ToText(*opposed, explanation.DeltaUs());
  return explanation.decomposition ? "unexplained" : "not measured";
}

std::string WithinNoiseText(const Explanation& explanation) {
  constexpr std::size_t kNamed = 4;
  const double change = explanation.DeltaUs(), left = explanation.unexplained_us;
  if (!(std::abs(left) >= kTellOfNoiseFrom * std::abs(change))) return "";
  const double sum = WithinNoiseUs(explanation);
  std::string named;
  std::size_t count = 0;
  for (const auto& [cause, us] : explanation.within_noise) {
    if (++count <= kNamed)
      named += fmt::format("{}{} {}", count == 1 ? "" : ", ", cause, Format(us, Unit::kTimeDeltaUs));
  }
  // Of less than half of it, the others would be the news.
  if (!(sum / left >= 0.5)) return "";
  return fmt::format(
      "small causes add up to {} where {} are unexplained, but noise alone could make each of them: {}{}",
      Format(sum, Unit::kTimeDeltaUs), Format(left, Unit::kTimeDeltaUs), named, count > kNamed ? " and others" : "");
}

double WithinNoiseUs(const Explanation& explanation) {
  double sum = 0;
  for (const auto& [cause, us] : explanation.within_noise) sum += us;
  return sum;
}

const std::pair<std::string, double>* FirstWithinNoise(const Explanation& explanation) {
  const double change = explanation.DeltaUs();
  if (change == 0 || !(WithinNoiseUs(explanation) / change >= 0.5)) return nullptr;
  const auto& parts = explanation.within_noise;
  return &*std::ranges::find_if(parts, [&](const auto& part) { return part.second * change > 0; });
}

double PartOfCause(const Explanation& explanation, const std::string& cause) {
  if (const auto part = std::ranges::find(explanation.causes, cause, &CausePart::cause);
      part != explanation.causes.end())
    return part->delta_us;
  for (const auto& [name, us] : explanation.within_noise)
    if (name == cause) return us;
  return 0;
}

std::string CauseText(const CausePart* cause, double change_us) {
  return cause == nullptr ? "-" : fmt::format("{} {}", cause->cause, PartText(cause->delta_us, change_us));
}

CausePlace PlaceOf(const CausePart& cause) {
  if (cause.source.empty() || cause.source.front().file.empty()) return {};
  std::vector<SourceFrame> places;
  for (const CauseSource& s : cause.source)
    if (places.empty() || s.tied) places.push_back({s.file, s.line});
  return {RangesOf(places), cause.source.front().kernel};
}

std::string ToText(const CausePlace& place) {
  const std::string lines = ToText(std::span(place.lines));
  return place.kernel.empty() ? lines : fmt::format("kernel {} ({})", place.kernel, lines);
}

}  // namespace culprit
