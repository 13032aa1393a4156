// SPDX-License-Identifier: Apache-2.0
#include "tests/noise/recorded_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/number/statistics.h"

namespace culprit::testing {
namespace {

double MedianUs(const Recording& r) { return Summarize(r.samples).time_us.value().median; }

Verdict VerdictOf(const Recording& base, const Recording& candidate) {
  const double shorter_us = std::min(MedianUs(base), MedianUs(candidate));
  return VerdictOn(base.samples, candidate.samples, NoiseFloorOf(base.device, shorter_us));
}

// A process that ended before has no recording.
void Count(Tally& tally, const Recording* base, const Recording* candidate, Speed expected) {
  if (base == nullptr || candidate == nullptr) return;
  tally.Count(VerdictOf(*base, *candidate), expected,
              fmt::format("{} {} of process {} -> {} of {}", base->kernel, base->variant, base->process,
                          candidate->variant, candidate->process));
}

double MedianOf(const std::vector<double>& values) { return Describe(values).value().median; }

}  // namespace

RecordedPairs::RecordedPairs(std::vector<Recording> recordings) : recordings_(std::move(recordings)) {
  std::set<std::string> kernels;
  std::set<int> processes;
  for (const Recording& r : recordings_) {
    of_[{r.kernel, r.variant}][r.process] = &r;
    kernels.insert(r.kernel);
    processes.insert(r.process);
  }
  kernels_.assign(kernels.begin(), kernels.end());
  processes_.assign(processes.begin(), processes.end());
}

Tally RecordedPairs::Same(const std::string& kernel, const Pairs& pairs) const {
  Tally tally;
  for (const auto& [first, second] : pairs)
    for (const char* variant : {"base", "slower"})
      Count(tally, Find(kernel, variant, first), Find(kernel, variant, second), Speed::kSame);
  return tally;
}

Tally RecordedPairs::Slower(const std::string& kernel, const Pairs& pairs) const {
  Tally tally;
  for (const auto& [first, second] : pairs) {
    Count(tally, Find(kernel, "base", first), Find(kernel, "slower", second), Speed::kSlower);
    Count(tally, Find(kernel, "base", second), Find(kernel, "slower", first), Speed::kSlower);
  }
  return tally;
}

double RecordedPairs::TimeUs(const std::string& kernel) const {
  std::vector<double> times;
  for (const int process : processes_)
    if (const Recording* r = Find(kernel, "base", process)) times.push_back(MedianUs(*r));
  return MedianOf(times);
}

double RecordedPairs::Added(const std::string& kernel) const {
  std::vector<double> changes;
  for (const int process : processes_) {
    const Recording *base = Find(kernel, "base", process), *slower = Find(kernel, "slower", process);
    if (base == nullptr || slower == nullptr) continue;
    const Verdict verdict = VerdictOf(*base, *slower);
    changes.push_back(verdict.cycles ? verdict.cycles->change : verdict.time.value().change);
  }
  return MedianOf(changes);
}

const Recording* RecordedPairs::Find(const std::string& kernel, const std::string& variant, int process) const {
  const auto runs = of_.find({kernel, variant});
  if (runs == of_.end()) return nullptr;
  const auto run = runs->second.find(process);
  return run == runs->second.end() ? nullptr : run->second;
}

RecordedPairs::Pairs RecordedPairs::Apart(std::size_t distance) const {
  Pairs pairs;
  std::set<std::size_t> used;
  for (std::size_t i = 0; i + distance < processes_.size(); ++i)
    if (!used.contains(i) && used.insert(i + distance).second)
      pairs.emplace_back(processes_[i], processes_[i + distance]);
  return pairs;
}

}  // namespace culprit::testing
