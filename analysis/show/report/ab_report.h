// SPDX-License-Identifier: Apache-2.0
// The result of `culprit versus` on two programs.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/gate/ab.h"
#include "analysis/judge/program/program_why.h"
#include "analysis/show/render/report.h"

namespace culprit {

struct AbOutcome {
  const AbTest& test;
  std::vector<RunSummary> base, candidate;  // the compared executions, in order; at least one each
  std::string base_label, candidate_label;
  double seconds = 0;
  std::vector<std::string> caveats;            // problems, and other load on the machine
  std::optional<ProgramExplanation> why = {};  // compares two executions with counters
};

Report MakeAbReport(const AbOutcome& outcome);

}  // namespace culprit
