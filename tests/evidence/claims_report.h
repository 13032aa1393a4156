// SPDX-License-Identifier: Apache-2.0
// The claims of the documents with their verdicts (`culprit_evidence claims`).
#pragma once
#include <string>
#include <vector>

#include "analysis/show/render/report.h"
#include "tests/evidence/seeds/retest.h"

namespace culprit::claims {

// `ids`: only these claims, each with its evidence; empty: all, one row each. Throws culprit::Error for an unknown id.
// `wide`: shows every column, for documents.
Report MakeClaimsReport(const Recording& recording, const std::vector<std::string>& ids, bool wide,
                        const std::vector<Warning>& warnings);

}  // namespace culprit::claims
