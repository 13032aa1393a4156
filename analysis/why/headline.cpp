// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>

#include "analysis/causes/causes.h"
#include "analysis/render/format.h"

namespace culprit {
namespace {

// Cause::title names what costs time; these name the same with the sign turned round.
constexpr std::pair<std::string_view, std::string_view> kWhereItSaves[] = {
    {"local_memory_array", "less of an array in local memory"},
    {"local_memory_spill", "fewer registers spilled to local memory"},
    {"local_memory_unknown", "less local memory, array or spill not known"},
    {"shared_bank_conflicts", "fewer bank conflicts in shared memory"},
    {"shared_access_width", "wider accesses to shared memory"},
    {"shared_traffic", "less data through shared memory"},
    {"global_uncoalesced", "better coalesced global accesses"},
    {"global_access_width", "wider global accesses"},
    {"l2_traffic", "less data asked of the caches"},
    {"dram_traffic", "less data from device memory"},
    {"exposed_latency", "latency that is hidden better"},
    {"occupancy_registers", "more resident warps: registers"},
    {"occupancy_shared", "more resident warps: shared memory"},
    {"occupancy_block", "more resident warps: block size"},
    {"imbalance_tail", "SMs less short of work"},
    {"barrier", "fewer barriers"},
    {"instruction_count", "fewer instructions"},
    {"divergence", "less divergent warps"},
    {"fp64_pipe", "less double-precision arithmetic"},
    {"fp16_pipe", "less half-precision arithmetic"},
    {"sfu_pipe", "fewer special functions"},
    {"fma_pipe", "less floating-point work"},
    {"tensor_pipe", "fewer matrix instructions"},
    {"register_bank_dispatch", "dispatch held back less"},
    {"instruction_cache", "instructions more often in the cache"},
    {"constant_cache", "constants more often at hand"},
    {"atomics", "fewer or less contended atomics"},
    {"clock", "a higher clock"},
    {"launch", "less launching"},
};

const CausePart* LargestInDirection(const Explanation& e) {
  return e.causes.empty() || e.causes.front().share <= 0 ? nullptr : &e.causes.front();
}

}  // namespace

std::string PartText(double part_us, double change_us) {
  const std::string us = Format(part_us, Unit::kTimeDeltaUs);
  return change_us == 0 ? us : fmt::format("{} ({})", us, Format(100 * part_us / change_us, Unit::kPercent));
}

std::optional<Opposed> LargePartsCancel(const Explanation& e) {
  const double change = e.DeltaUs();
  if (!IsDifference(e.verdict.outcome) || !e.decomposition || change == 0) return std::nullopt;
  Opposed opposed;
  double against = 0, largest_cause = 0;
  const auto add = [&](const std::string& name, double us) {
    if (us / change > opposed.with_us / change) std::tie(opposed.with, opposed.with_us) = std::pair(name, us);
    if (us / change < opposed.against_us / change) std::tie(opposed.against, opposed.against_us) = std::pair(name, us);
    against += std::max(0.0, -us / change);
  };
  for (const CausePart& part : e.causes) {
    add(part.cause, part.delta_us);
    largest_cause = std::max(largest_cause, part.delta_us / change);
  }
  add("unexplained", e.unexplained_us);
  return largest_cause > kMostOfAChange || against >= 1 ? std::optional(opposed) : std::nullopt;
}

std::string ToText(const Opposed& o, double change_us) {
  return fmt::format("large parts cancel: {} {} against {} {}", o.with, PartText(o.with_us, change_us), o.against,
                     PartText(o.against_us, change_us));
}

bool FirstCauseStands(const Explanation& e) {
  const CausePart* first = LargestInDirection(e);
  return IsDifference(e.verdict.outcome) && e.decomposition && first != nullptr &&
         e.unexplained_us / e.DeltaUs() <= first->share && e.open_us <= std::abs(first->delta_us) &&
         !LargePartsCancel(e);
}

std::string Headline(const Explanation& e) {
  if (!IsDifference(e.verdict.outcome)) return {};
  if (!e.decomposition) return "not known: " + e.no_decomposition;
  if (const auto opposed = LargePartsCancel(e))
    return fmt::format("none alone, because {}.", ToText(*opposed, e.DeltaUs()));
  const CausePart* first = LargestInDirection(e);
  if (FirstCauseStands(e)) return first->cause + ": " + first->text;
  if (first != nullptr && e.unexplained_us / e.DeltaUs() <= first->share)
    return fmt::format(
        "not known: causes that were not judged may be larger than {}, {} of the change; see what was not measured.",
        first->cause, Format(100 * first->share, Unit::kPercent));
  return fmt::format(
      "not found: {} of the change is unexplained{}.", Format(100 * e.unexplained_us / e.DeltaUs(), Unit::kPercent),
      first == nullptr
          ? ""
          : fmt::format("; the largest cause is {}, {}", first->cause, Format(100 * first->share, Unit::kPercent)));
}

std::string_view WordsFor(std::string_view cause, double delta_us) {
  const auto saves = std::find_if(std::begin(kWhereItSaves), std::end(kWhereItSaves),
                                  [&](const auto& entry) { return entry.first == cause; });
  if (delta_us < 0 && saves != std::end(kWhereItSaves)) return saves->second;
  const Cause* known = FindCause(cause);
  return known == nullptr ? cause : known->title;
}

std::string SentenceFor(std::string_view cause, double delta_us, double share) {
  std::string words(WordsFor(cause, delta_us));
  words.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
  const std::string size = Format(100 * std::abs(share), Unit::kPercent);
  return fmt::format("{}: {} {}, {}.", words, Format(std::abs(delta_us), Unit::kTimeUs), delta_us > 0 ? "more" : "less",
                     share >= 0 ? size + " of the change" : fmt::format("against the change and {} of its size", size));
}

}  // namespace culprit
