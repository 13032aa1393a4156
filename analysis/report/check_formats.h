// SPDX-License-Identifier: Apache-2.0
// A check in the forms that continuous integration reads by itself. Names of kernels, files and runs may be anybody's:
// each form escapes what it would obey, and nothing that a terminal would obey gets through.
#pragma once
#include <ostream>

#include "analysis/gate/check.h"

namespace culprit {

// SARIF 2.1.0 (OASIS Standard, 2020): one result for each launch that became slower or could not be judged, at the line
// that is to blame where one is known. The numbers are in its `properties`.
void RenderCheckSarif(const Check& check, std::ostream& out);

// What Jenkins, GitLab and others read as a report of tests: a test for each launch; slower is a failure, not judged an
// error, not compared is skipped. `time` is that of the candidate, in seconds. Runs that cannot be compared are one
// test, an error.
void RenderCheckJunit(const Check& check, std::ostream& out);

// Workflow commands of GitHub Actions: an annotation for the outcome, and one for each launch that became slower or
// could not be judged, of each kind as many as GitHub shows.
void RenderCheckGithub(const Check& check, std::ostream& out);

}  // namespace culprit
