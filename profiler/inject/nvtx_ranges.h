// SPDX-License-Identifier: Apache-2.0
// The NVTX ranges that a thread has pushed and not popped, in all domains. Start/end ranges belong to no thread and are
// not tracked.
#pragma once
#include <cupti.h>

#include <optional>
#include <string>

namespace culprit {

// A range that the calling thread began or ended.
struct NvtxTurn {
  std::string name;
  bool begins = false;
};

// None: the call pushed or popped nothing.
std::optional<NvtxTurn> OnNvtxCall(CUpti_CallbackId id, const CUpti_NvtxData& call);

// The calling thread's ranges, outermost first: "step 3/forward"; empty: none.
const std::string& NvtxPath();

}  // namespace culprit
