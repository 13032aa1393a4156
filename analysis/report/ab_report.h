// SPDX-License-Identifier: Apache-2.0
// What `culprit ab` found.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/gate/ab.h"
#include "analysis/program/program_why.h"
#include "analysis/render/report.h"

namespace culprit {

struct AbOutcome {
  const AbTest& test;
  std::vector<RunSummary> base, candidate;  // executions that count, in the order in which they ran; one each at least
  std::string base_label, candidate_label;
  double seconds = 0;
  std::vector<std::string> caveats;            // what went wrong, and what else was on the machine
  std::optional<ProgramExplanation> why = {};  // of two executions with counters
};

Report MakeAbReport(const AbOutcome& outcome);

}  // namespace culprit
