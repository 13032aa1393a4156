// SPDX-License-Identifier: Apache-2.0
// What one more recording of a pair would measure.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/launch/kernel_view.h"

namespace culprit {

struct Attribution;
struct Explanation;

struct ToMeasure {
  std::string how;       // HowToMeasure
  bool matters = false;  // much of the change may be of causes that were not judged
  // What would tell whose the part of the change is that UnexplainedRest calls kNotMeasured. Empty: that part is small.
  std::vector<std::string> for_rest = {};
};

// Those of `missing` that another recording can measure: that of one of the kernels did not ask for them.
std::vector<std::string> ToAsk(const std::vector<std::string>& missing, const KernelView& base,
                               const KernelView& candidate);

// None: nothing that any cause lacks, or that much of the change rests on. `open_by`: Attributor::OpenBy.
std::optional<ToMeasure> ToMeasureOf(const Explanation& e, const KernelView& base, const KernelView& candidate,
                                     const Attribution& attribution, const std::vector<std::string>& open_by);

// A sentence; empty if what is missing does not matter.
std::string ToMeasureCaveat(const Explanation& e);

// What Explanation::to_measure measures: those causes of `not_judged`, and the metrics that these or the rest lack.
std::vector<std::string> CausesToMeasure(const Explanation& e);
std::vector<std::string> MetricsToMeasure(const Explanation& e);

// "a, b, c and 4 more"
std::string FirstOf(const std::vector<std::string>& ids);

}  // namespace culprit
