// SPDX-License-Identifier: Apache-2.0
// The program culprit_evidence: it writes the documents on how well Culprit judges.
#pragma once
#include "analysis/cli/command.h"

namespace culprit {

const Tool& EvidenceTool();

// One function per command, each in its own file.
Action AddCalibrate(Syntax& syntax);
Action AddClaims(Syntax& syntax);
Action AddReproduce(Syntax& syntax);

}  // namespace culprit
