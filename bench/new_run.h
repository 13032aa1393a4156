// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "db/records.h"

namespace culprit {

// A run of this program that begins now: its UUID, its time, what it was built from and with. The rest is for whoever
// records.
RunRecord NewRun();

}  // namespace culprit
