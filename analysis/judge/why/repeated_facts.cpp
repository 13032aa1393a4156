// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/why/repeated_facts.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "analysis/judge/causes/movement.h"
#include "db/sampled_counters.h"

namespace culprit {
namespace {

// A difference of a fact is real if chance makes one as large, in this direction, in one of 40 tries (Welch, "The
// generalization of Student's problem when several different population variances are involved", Biometrika 34, 1947).
constexpr double kByChance = 0.025;
// The standard error of a median of normal values is larger than that of their mean by sqrt(pi / 2).
constexpr double kOfMedian = 1.2533;
// Of counts that repeat exactly, a smaller change explains nothing.
constexpr double kLeastChange = 1e-4;

}  // namespace

KernelRecord OneRepetition(const KernelRecord& kernel, std::size_t repetition) {
  KernelRecord one = kernel;
  one.repeats.clear();
  for (Reading& reading : one.readings)
    if (const auto found = kernel.repeats.find(reading.metric.id);
        reading.value && reading.metric.source != kSampledSource && found != kernel.repeats.end() &&
        repetition < found->second.size())
      reading.value = found->second[repetition];
  return one;
}

std::size_t RepetitionsOf(const KernelRecord& kernel) {
  const auto found = kernel.repeats.find("warps_active");
  return found == kernel.repeats.end() ? 0 : found->second.size();
}

struct RepeatedFacts::Repetition {
  KernelRecord record;
  KernelView view;
  explicit Repetition(KernelRecord r) : record(std::move(r)), view(record) {}
};

RepeatedFacts::RepeatedFacts(const KernelView& kernel) : kernel_(kernel) {}
RepeatedFacts::~RepeatedFacts() = default;

const std::vector<std::unique_ptr<RepeatedFacts::Repetition>>& RepeatedFacts::Repetitions() const {
  if (!repetitions_) {
    repetitions_.emplace();
    for (std::size_t i = 0; i < RepetitionsOf(kernel_.record()); ++i)
      repetitions_->push_back(std::make_unique<Repetition>(OneRepetition(kernel_.record(), i)));
  }
  return *repetitions_;
}

std::optional<RepeatedFacts::Error> RepeatedFacts::Of(std::string_view id) const {
  if (const auto known = known_.find(id); known != known_.end()) return known->second;
  std::optional<Error>& error = known_[std::string(id)];
  if (kernel_.weights().AreScaled()) return error;
  const auto& readings = kernel_.record().readings;
  const auto reading =
      std::ranges::find(readings, id, [](const Reading& r) -> std::string_view { return r.metric.id; });
  const bool is_exact = reading != readings.end() && reading->metric.source == "sass";  // by patched code
  if (reading != readings.end() && !is_exact && !kernel_.record().repeats.contains(reading->metric.id)) return error;
  std::vector<double> values;
  for (const auto& repetition : Repetitions())
    if (const Measured value = repetition->view.Get(id)) values.push_back(*value);
  if (values.size() < 2) return error;
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double freedom = static_cast<double>(values.size() - 1);
  return error = Error{kOfMedian * std::sqrt(squares / freedom / static_cast<double>(values.size())), freedom};
}

bool FactMoved(std::string_view id, const KernelView& base, const RepeatedFacts& base_repeats,
               const KernelView& candidate, const RepeatedFacts& candidate_repeats, int sign) {
  const double from = base.Get(id).value_or(0), to = candidate.Get(id).value_or(0);
  const double moved = sign * (to - from), size = std::max(std::abs(from), std::abs(to));
  const auto a = base_repeats.Of(id), b = candidate_repeats.Of(id);
  if (!a || !b) return moved > kCountsRepeatWithin * size;
  if (!(moved > kLeastChange * size)) return false;
  const double va = a->standard * a->standard, vb = b->standard * b->standard;
  if (va + vb == 0) return true;
  const double freedom = (va + vb) * (va + vb) / (va * va / a->freedom + vb * vb / b->freedom);
  const double most = quantile(complement(boost::math::students_t(std::max(1.0, freedom)), kByChance));
  return moved > most * std::sqrt(va + vb);
}

}  // namespace culprit
