// SPDX-License-Identifier: Apache-2.0
// The NVTX ranges that a thread is in: those that it pushed and has not popped, of all domains. Ranges that are started
// and ended, which belong to no thread, are not followed.
#pragma once
#include <cupti.h>

#include <string>

namespace culprit {

void OnNvtxCall(CUpti_CallbackId id, const CUpti_NvtxData& call);

// Of the calling thread, the one that was pushed first at the front: "step 3/forward"; empty: in none.
const std::string& NvtxPath();

}  // namespace culprit
