// SPDX-License-Identifier: Apache-2.0
// The libraries that CUPTI loads to read counters.
#pragma once

namespace culprit {

// Loads them on a thread of ours, so that the first launch need not wait for it: CUPTI loads them when its profiler is
// initialised, and most of that time is theirs. Calls nothing of CUPTI, so it may run while the program starts CUDA.
void LoadProfilerLibrariesEarly();

}  // namespace culprit
