// SPDX-License-Identifier: Apache-2.0
// The claims of the documents with their verdicts (`culprit claims`).
#pragma once
#include <string>
#include <vector>

#include "analysis/render/report.h"
#include "analysis/seeds/retest.h"

namespace culprit::claims {

// `ids`: only these claims, each with its evidence; empty: all of them, one row each. Throws culprit::Error for an id
// that does not exist. `wide`: people see every column, as a document has room for.
Report MakeClaimsReport(const Recording& recording, const std::vector<std::string>& ids, bool wide,
                        const std::vector<Warning>& warnings);

}  // namespace culprit::claims
