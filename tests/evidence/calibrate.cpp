// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/calibrate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "analysis/judge/causes/cause.h"
#include "analysis/judge/causes/findings.h"
#include "analysis/judge/causes/gain.h"
#include "analysis/judge/causes/sharing.h"
#include "analysis/judge/why/explain.h"
#include "analysis/launch/recording.h"
#include "analysis/number/statistics.h"
#include "tests/support/recording.h"

namespace culprit {
namespace {

// "Went away or clearly smaller": at least half of it is gone.
constexpr double kGone = 0.5;
// Between these the gain is about this cause more than about all others together, for and against.
constexpr double kLeastOfTheGain = 0.5, kMostOfTheGain = 2;

bool IsMostly(double attributed_us, double real_us) {
  return real_us > 0 && attributed_us >= kLeastOfTheGain * real_us && attributed_us <= kMostOfTheGain * real_us;
}

// The share of the cause that went away, if it is at least kGone.
std::optional<double> WentAway(const GainRule& rule, const KernelView& with, const KernelView& without) {
  const Measured before = with.Get(rule.size), after = without.Get(rule.size);
  if (!before || !after || !(*before > 0)) return std::nullopt;
  const double went = 1 - std::max(0.0, *after) / *before;
  return went >= kGone ? std::optional(went) : std::nullopt;
}

using Parts = std::map<std::string, double, std::less<>>;

Measured AttributedTo(const Parts& parts, std::string_view cause) {
  const auto part = parts.find(cause);
  return part == parts.end() ? Measured() : Measured(-part->second);
}

// A stage has an edge to its parent and to each child, so its findings are computed once and kept.
using AllFindings = std::map<const KernelView*, std::vector<Finding>>;

const std::vector<Finding>& FindingsOf(const KernelView& kernel, AllFindings& findings) {
  const auto [found, is_new] = findings.try_emplace(&kernel);
  if (is_new) found->second = JudgeKernel(kernel).findings;
  return found->second;
}

void AddTrials(const std::string& run, const KernelView& with, const KernelView& without, AllFindings& findings,
               std::vector<Trial>& trials) {
  std::vector<Trial> edge;
  std::vector<std::string> gone;  // with an estimate and without
  const Measured with_us = with.Get("time_us"), without_us = without.Get("time_us");
  if (!with_us || !without_us) return;
  const Sharing sharing(with);
  for (const Finding& finding : FindingsOf(with, findings)) {
    const GainRule& rule = FindCause(finding.id)->gain;
    const auto went = rule.removal != nullptr ? WentAway(rule, with, without) : std::nullopt;
    if (!went) continue;
    gone.push_back(finding.id);
    const auto removal = rule.removal(sharing);
    const auto gain = removal ? EstimateGain(sharing, PartOf(*removal, *went)) : std::nullopt;
    if (!gain) continue;
    Trial trial;
    trial.run = run;
    trial.with = with.record().stage.id;
    trial.without = without.record().stage.id;
    trial.shape = with.record().launch.shape;
    trial.cause = finding.id;
    trial.with_us = *with_us;
    trial.without_us = *without_us;
    trial.went = *went;
    trial.estimate_us = gain->gain_us;
    edge.push_back(std::move(trial));
  }
  if (edge.empty()) return;
  std::vector<std::string> came;
  for (const Finding& finding : FindingsOf(without, findings)) {
    const GainRule& rule = FindCause(finding.id)->gain;
    if (rule.removal != nullptr && WentAway(rule, without, with)) came.push_back(finding.id);
  }
  std::stable_sort(edge.begin(), edge.end(),
                   [](const Trial& a, const Trial& b) { return a.estimate_us > b.estimate_us; });
  const Parts parts = PartsBeyondFloor(with, without);
  for (Trial& trial : edge) {
    trial.came = came;
    trial.attributed_us = AttributedTo(parts, trial.cause);
    std::copy_if(gone.begin(), gone.end(), std::back_inserter(trial.also),
                 [&](const std::string& cause) { return cause != trial.cause; });
    trial.leads = trial.also.empty() || (trial.attributed_us && IsMostly(*trial.attributed_us, trial.RealUs()));
  }
  std::move(edge.begin(), edge.end(), std::back_inserter(trials));
}

using Edge = std::array<std::string, 3>;  // with, without, cause
using LogRatios = std::map<Edge, std::vector<double>>;

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return Quantile(values, 0.5);
}

// One per edge.
std::vector<double> MediansOf(const LogRatios& edges) {
  std::vector<double> medians;
  for (const auto& [edge, ratios] : edges) medians.push_back(Median(ratios));
  return medians;
}

// How far estimates are off: half of them within `typical`, nine in ten within `most`, both of kLeastExperiments edges
// and more.
struct Factors {
  Measured typical = Measured::Missing(Absence::kUndefined), most = typical, worst = typical;
};

Factors FactorsOf(const LogRatios& edges) {
  Factors factors;
  std::vector<double> ratios = MediansOf(edges);
  if (ratios.empty()) return factors;
  for (double& ratio : ratios) ratio = std::abs(ratio);
  std::sort(ratios.begin(), ratios.end());
  factors.worst = std::exp(ratios.back());
  if (ratios.size() < static_cast<std::size_t>(kLeastExperiments)) return factors;
  factors.typical = std::exp(Quantile(ratios, 0.5));
  factors.most = std::exp(Quantile(ratios, 0.9));
  return factors;
}

template <class Chosen>
CauseError ErrorOf(const std::vector<Trial>& trials, std::string_view name, const Chosen& chosen) {
  CauseError error;
  error.cause = name;
  LogRatios real, attributed, alone;
  for (const Trial& t : trials) {
    if (!chosen(t)) continue;
    const Edge edge{t.with, t.without, t.cause};
    if (t.attributed_us && *t.attributed_us > 0 && t.estimate_us > 0)
      attributed[edge].push_back(std::log(t.estimate_us / *t.attributed_us));
    error.outweighed += t.IsOutweighed();
    if (t.IsAlone()) {
      ++error.alone_trials;
      alone[edge].push_back(std::log(t.Ratio()));
    }
    if (!t.leads || t.IsOutweighed()) continue;
    ++error.trials;
    real[edge].push_back(std::log(t.Ratio()));
  }
  error.experiments = static_cast<int>(real.size());
  error.attributed = static_cast<int>(attributed.size());
  if (!attributed.empty()) error.attributed_ratio = std::exp(Median(MediansOf(attributed)));
  error.alone = static_cast<int>(alone.size());
  const Factors of_alone = FactorsOf(alone), of_real = FactorsOf(real);
  error.alone_factor = of_alone.typical;
  error.alone_worst = of_alone.worst;
  error.alone_most = of_alone.most;
  error.alone_held = static_cast<int>(
      std::ranges::count_if(MediansOf(alone), [](double log_ratio) { return log_ratio >= -std::log(kHeld); }));
  if (real.empty()) return error;
  error.median_ratio = std::exp(Median(MediansOf(real)));
  error.error_factor = of_real.typical;
  error.worst_factor = of_real.worst;
  return error;
}

}  // namespace

bool Trial::IsOutweighed() const { return RealUs() < -kLeastVisibleGain * with_us; }

double Trial::Ratio() const {
  const double least = kLeastVisibleGain * with_us;
  return std::max(estimate_us, least) / std::max(RealUs(), least);
}

std::vector<Trial> TrialsOf(const Recording& recording, std::span<const StageRecord> stages) {
  std::vector<Trial> trials;
  AllFindings findings;
  const std::string run = ShortUuid(recording.run().run);
  for (const StageRecord& stage : stages) {
    if (stage.parent.empty()) continue;
    const std::array edge = {stage.parent, stage.id};
    for (const std::string& at : recording.SharedShapes(edge)) {
      const KernelView& parent = *recording.Find(stage.parent, at);
      const KernelView& child = *recording.Find(stage.id, at);
      AddTrials(run, parent, child, findings, trials);
      AddTrials(run, child, parent, findings, trials);
    }
  }
  return trials;
}

Calibration Calibrate(std::vector<Trial> trials) {
  Calibration calibration;
  for (const Cause& cause : Causes()) {
    const bool any = std::any_of(trials.begin(), trials.end(), [&](const Trial& t) { return t.cause == cause.id; });
    if (any)
      calibration.causes.push_back(ErrorOf(trials, cause.id, [&](const Trial& t) { return t.cause == cause.id; }));
  }
  const auto is_bound = [](const Trial& t) { return FindCause(t.cause)->gain.is_bound; };
  calibration.all = ErrorOf(trials, "all", [](const Trial&) { return true; });
  calibration.estimates = ErrorOf(trials, "estimates", [&](const Trial& t) { return !is_bound(t); });
  calibration.bounds = ErrorOf(trials, "bounds", is_bound);
  calibration.trials = std::move(trials);
  return calibration;
}

}  // namespace culprit
