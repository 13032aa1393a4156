// SPDX-License-Identifier: Apache-2.0
// The libraries that CUPTI loads to read counters.
#pragma once

namespace culprit {

// CUPTI loads them when its profiler is initialised, and takes most of that time for it. This loads them before, on a
// thread of ours, so that the first launch need not wait. It calls nothing of CUPTI, so it may run while the program
// starts CUDA.
void LoadProfilerLibrariesEarly();

}  // namespace culprit
