// SPDX-License-Identifier: Apache-2.0
// The stages that the documents' claims and tables are about.
#pragma once
#include <string>

#include "tests/support/recording.h"

namespace culprit {

// One sentence where the run has none of them at any shape, so that everything would be "not measured"; else empty.
std::string NothingOfTheSeeds(const Recording& recording);

}  // namespace culprit
