// SPDX-License-Identifier: Apache-2.0
// What one more recording of a pair would measure.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/launch/kernel_view.h"

namespace culprit {

struct Attribution;
class Attributor;
struct Explanation;

// A line of a terminal holds the names of so many missing metrics. JSON has all.
inline constexpr std::size_t kMostMissingNamed = 3;

struct ToMeasure {
  std::string how = {};  // HowToMeasure
  bool matters = false;  // much of the change may be of causes that were not judged
  // Metrics without which much of the change is open (kNotMeasured of Attribution::rest). Empty: little is open, or no
  // recording measures them.
  std::vector<std::string> for_rest = {};
};

// Those of `missing` that another recording can measure: that of one of the kernels did not ask for them.
std::vector<std::string> ToAsk(const std::vector<std::string>& missing, const KernelView& base,
                               const KernelView& candidate);

// None: another recording would measure nothing that a cause lacks, and close nothing that is much. `e` has a
// decomposition and the causes of `attribution`, which is the attributor's.
std::optional<ToMeasure> ToMeasureOf(const Explanation& e, const KernelView& base, const KernelView& candidate,
                                     const Attributor& attributor, const Attribution& attribution);

// A sentence; empty if what is missing does not matter.
std::string ToMeasureCaveat(const Explanation& e);

// What Explanation::to_measure measures: those causes of `not_judged`, and the metrics that these or the rest lack.
std::vector<std::string> CausesToMeasure(const Explanation& e);
std::vector<std::string> MetricsToMeasure(const Explanation& e);

}  // namespace culprit
