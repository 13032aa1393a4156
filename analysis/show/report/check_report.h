// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ostream>
#include <span>

#include "analysis/gate/check.h"
#include "analysis/show/render/report.h"

namespace culprit {

// In Markdown, this is a summary for a pull request: a headline, the launches to look at, and the rest folded.
// `base_warnings`, `candidate_warnings`: all warnings of the runs; those of folded launches are left out.
Report MakeCheckReport(const Check& check, std::span<const Warning> base_warnings,
                       std::span<const Warning> candidate_warnings);

// Formats for continuous integration. Names of kernels, files and runs are untrusted, so each format escapes its own
// control characters and those of terminals.

// SARIF 2.1.0 (OASIS Standard, 2020): one result per launch that became slower or could not be judged. Its location is
// the line of the cause, if known. The numbers are in `properties`.
void RenderCheckSarif(const Check& check, std::ostream& out);

// JUnit XML for Jenkins, GitLab and others: one test per launch. A regression is a failure. A launch that is not judged
// is an error, and one that is not compared is skipped. `time` is the candidate's, in seconds. Runs that cannot be
// compared are one test with an error.
void RenderCheckJunit(const Check& check, std::ostream& out);

// GitHub Actions workflow commands: an annotation for the outcome, and one per launch that became slower or could not
// be judged, up to GitHub's limit for each kind.
void RenderCheckGithub(const Check& check, std::ostream& out);

}  // namespace culprit
