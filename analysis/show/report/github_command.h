// SPDX-License-Identifier: Apache-2.0
// A workflow command of GitHub Actions: an annotation, by "Workflow commands for GitHub Actions". Texts are untrusted.
#pragma once
#include <ostream>
#include <string_view>

#include "analysis/number/line_ranges.h"

namespace culprit {

// `kind`: "notice", "warning" or "error". Without a file in `at`, the annotation has no place.
void WriteGithubCommand(std::string_view kind, const LineRange& at, std::string_view title, std::string_view text,
                        std::ostream& out);

}  // namespace culprit
