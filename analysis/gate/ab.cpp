// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate/ab.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analysis/judge/difference/shift.h"
#include "analysis/judge/program/match.h"
#include "analysis/judge/program/work_verdict.h"
#include "analysis/launch/machine.h"
#include "analysis/number/name_in.h"
#include "analysis/number/statistics.h"

namespace culprit {
namespace {

// A kernel with a smaller share of the work changes the program by less than the usual limit, unless it becomes a tenth
// slower.
constexpr double kLeads = 0.1;

constexpr std::size_t kMostLeading = 5;

std::string KeyOf(const KernelRecord& kernel) {
  return fmt::format("{}\n{}\n{}\n{}", kernel.stage.id, kernel.launch.shape, kernel.launch.dynamic_shared_bytes,
                     kernel.program->nvtx);
}

double ShareUs(const KernelRecord& kernel) { return kernel.program ? kernel.program->share_us.value_or(0) : 0; }

// The floor of a kernel that takes a millisecond serves all kernels. Shorter kernels scatter more from process to
// process. The interval over processes already covers this, and their own floor describes single processes.
double FloorOf(const RunSummary& run) {
  constexpr double kLongUs = 1000;
  return NoiseFloorOf(run.run, kLongUs).in_turns;
}

}  // namespace

std::string_view ToText(AbVerdict verdict) {
  using enum AbVerdict;
  return NameIn<AbVerdict>({{kSlower, "slower"},
                            {kWithinLimit, "slower within the limit"},
                            {kSame, "the same"},
                            {kFaster, "faster"},
                            {kOpen, "open"}},
                           verdict);
}

AbVerdict JudgeAb(const std::optional<Shift>& change, double limit) {
  if (!change) return AbVerdict::kOpen;
  if (change->low > 0) return change->change > limit ? AbVerdict::kSlower : AbVerdict::kWithinLimit;
  if (change->high < 0) return AbVerdict::kFaster;
  return change->high <= limit ? AbVerdict::kSame : AbVerdict::kOpen;
}

void LookAt(AbQuantity& quantity, LookSpending& spending, double limit, bool last) {
  if (const auto change = spending.Look(quantity.base_us, quantity.candidate_us, last))
    quantity.change = Widened(*change, quantity.noise_floor);
  quantity.verdict = JudgeAb(quantity.change, limit);
  quantity.is_clear = quantity.verdict == AbVerdict::kSlower || (quantity.change && quantity.change->high <= limit);
}

const AbTest::Values& AbTest::ValuesOf(const Database& database, const RunSummary& run) {
  const auto known = values_.find(run.id);
  if (known != values_.end()) return known->second;
  Values& values = values_[run.id];
  if (const auto work_us = WorkUs(*run.run.program); work_us && IsPositive(*work_us)) values.work_us = work_us;
  for (const KernelRecord& kernel : database.LoadKernels(run.id, Ordinals::kAll)) {
    if (!kernel.program) continue;
    const TimeSummary times = Summarize(kernel.samples);
    if (times.time_us) values.kernels[KeyOf(kernel)] = times.time_us->median;
    has_clocks_ = has_clocks_ || times.clock_mhz;
  }
  return values;
}

void AbTest::Choose(const Database& database, const RunSummary& base, const RunSummary& candidate) {
  const std::vector<KernelRecord> from = database.LoadKernels(base.id, Ordinals::kAll),
                                  to = database.LoadKernels(candidate.id, Ordinals::kAll);
  const auto work = [](const RunSummary& run) { return WorkUs(*run.run.program).value_or(0); };
  struct Leading {
    double share;
    const KernelRecord *base, *candidate;
  };
  std::vector<Leading> leading;
  for (const MatchedLaunches& match : MatchLaunches(from, to)) {
    if (match.base.size() != 1 || match.candidate.size() != 1) continue;
    const KernelRecord &b = from[match.base.front()], &c = to[match.candidate.front()];
    const double share = std::max(ShareUs(b) / work(base), ShareUs(c) / work(candidate));
    if (b.program && c.program && std::isfinite(share) && share >= kLeads) leading.push_back({share, &b, &c});
  }
  std::ranges::stable_sort(leading, std::greater(), &Leading::share);
  leading.resize(std::min(leading.size(), kMostLeading));
  quantities_.push_back({});
  followed_.push_back({"", "", LookSpending(kAbFalseAlarms / 2, most_)});
  for (const auto& [share, b, c] : leading) {
    quantities_.push_back({.stage = b->stage.id, .shape = b->launch.shape, .share = share});
    followed_.push_back(
        {KeyOf(*b), KeyOf(*c), LookSpending(kAbFalseAlarms / 2 / static_cast<double>(leading.size()), most_)});
  }
}

void AbTest::Look(const Database& database, std::span<const RunSummary> base, std::span<const RunSummary> candidate,
                  bool last) {
  if (base.empty() || candidate.empty()) return;
  if (quantities_.empty()) Choose(database, base.front(), candidate.front());
  ++looks_;
  for (std::size_t i = 0; i < quantities_.size(); ++i) {
    AbQuantity& quantity = quantities_[i];
    const auto values = [&](std::span<const RunSummary> runs, const std::string& key) {
      std::vector<double> all;
      for (const RunSummary& run : runs) {
        const Values& of = ValuesOf(database, run);
        const auto found = of.kernels.find(key);
        if (quantity.IsProgram() && of.work_us) all.push_back(*of.work_us);
        if (!quantity.IsProgram() && found != of.kernels.end()) all.push_back(found->second);
      }
      return all;
    };
    quantity.base_us = values(base, followed_[i].base_key);
    quantity.candidate_us = values(candidate, followed_[i].candidate_key);
    if (quantity.base_us.empty() || quantity.candidate_us.empty()) continue;
    quantity.noise_floor = FloorOf(base.front());
    LookAt(quantity, followed_[i].spending, limit_, last);
  }
}

bool AbTest::IsClear() const {
  const auto is_slower = [](const AbQuantity& q) { return q.verdict == AbVerdict::kSlower; };
  return std::ranges::any_of(quantities_, is_slower) ||
         (!quantities_.empty() && std::ranges::all_of(quantities_, &AbQuantity::is_clear));
}

CheckStatus AbTest::Status() const {
  const auto count = [&](AbVerdict verdict) { return std::ranges::count(quantities_, verdict, &AbQuantity::verdict); };
  if (count(AbVerdict::kSlower) > 0) return CheckStatus::kRegression;
  if (quantities_.empty()) return CheckStatus::kNotJudged;
  return count(AbVerdict::kOpen) > 0 ? CheckStatus::kInconclusive : CheckStatus::kFine;
}

std::optional<double> AbTest::Drift() const {
  if (quantities_.empty()) return std::nullopt;
  std::vector<double> early, late;
  for (const auto* values : {&quantities_.front().base_us, &quantities_.front().candidate_us}) {
    if (values->size() < 2) return std::nullopt;
    const double median = Describe(*values)->median;
    const std::size_t half = values->size() / 2;
    for (std::size_t i = 0; i < half; ++i) early.push_back((*values)[i] / median);
    for (std::size_t i = values->size() - half; i < values->size(); ++i) late.push_back((*values)[i] / median);
  }
  const auto shift = EstimateShift(early, late, 0.99);
  return shift && (shift->low > 0 || shift->high < 0) ? std::optional(shift->change) : std::nullopt;
}

}  // namespace culprit
