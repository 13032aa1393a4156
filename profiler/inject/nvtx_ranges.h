// SPDX-License-Identifier: Apache-2.0
// The NVTX ranges that a thread is in: those that it pushed and has not popped. Ranges that are started and ended,
// which belong to no thread, are not followed.
#pragma once
#include <cupti.h>

#include <string>

namespace culprit {

void OnNvtxCall(CUpti_CallbackId id, const CUpti_NvtxData& call);

// Of the calling thread, the outermost first: "step 3/forward"; empty: in none.
const std::string& NvtxPath();

// Whether one of the ranges in the path has this name.
bool IsInRange(const std::string& path, const std::string& name);

}  // namespace culprit
