// SPDX-License-Identifier: Apache-2.0
// The libraries that CUPTI loads to read counters.
#pragma once
#include <filesystem>

namespace culprit {

// The file from which CUPTI was loaded into this process. Empty: not known.
std::filesystem::path CuptiLibrary();

// CUPTI loads them when its profiler is initialised, and takes most of that time for it. This loads them before, on a
// thread of ours, so that the first launch need not wait. It calls nothing of CUPTI, so it may run while the program
// starts CUDA.
void LoadProfilerLibrariesEarly();

}  // namespace culprit
