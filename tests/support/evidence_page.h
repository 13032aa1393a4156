// SPDX-License-Identifier: Apache-2.0
// A page of docs/evidence that a test writes, and the tables beside it.
#pragma once
#include <map>
#include <string>
#include <string_view>

namespace culprit::testing {

// The files of docs/evidence for `markdown`, by name. A table of more than 30 rows becomes a CSV file that the page
// names.
std::map<std::string, std::string> EvidenceFiles(const std::string& name, std::string_view markdown);

// Expects these files in docs/evidence. With CULPRIT_UPDATE_GOLDEN it writes them.
void ExpectEvidence(const std::string& name, std::string_view markdown);

}  // namespace culprit::testing
