// SPDX-License-Identifier: Apache-2.0
// `culprit why` in JSON: a contract that other programs read, described by docs/schema/why.schema.json and
// docs/json.md. Numbers are raw; what was not measured is null, and `<key>_status` says why.
#pragma once
#include <ostream>

#include "analysis/why/explain.h"
#include "db/database.h"

namespace culprit {

void RenderWhyJson(const KernelRecord& base, const KernelRecord& candidate, const Explanation& explanation,
                   std::ostream& out);

}  // namespace culprit
