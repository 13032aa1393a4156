// SPDX-License-Identifier: Apache-2.0
// Where Python launched a program's kernel, in words.
#pragma once
#include <string>

#include "db/database.h"

namespace culprit {

// "/home/me/models/attention.py:77 (forward)", of the first call. Empty: not known.
std::string LaunchedAt(const KernelRecord& kernel);

// The same for people: at most one folder before the file. "models/attention.py:77 (forward)"
std::string ShortLaunchedAt(const KernelRecord& kernel);

// "train.py:42 (step)"; "train.py:40 (step) -> train.py:42 (step)" if the place moved. Null: the kernel is not in this
// run. Empty: not known.
std::string LaunchedAtInBoth(const KernelRecord* base, const KernelRecord* candidate);

}  // namespace culprit
