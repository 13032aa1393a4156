// SPDX-License-Identifier: Apache-2.0
// Launches as CUPTI's callbacks show them.
#pragma once
#include <cuda.h>
#include <cupti.h>

#include <array>
#include <optional>

#include "db/trace.h"
#include "profiler/launch_calls.h"

namespace culprit {

// Calls that launch a graph.
inline constexpr std::array kGraphCalls = {CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
                                           CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz};

struct LaunchCall {
  LaunchGeometry geometry;
  CUstream stream = nullptr;
};

// None: `id` is no call of kLaunchCalls.
std::optional<LaunchCall> LaunchCallOf(CUpti_CallbackId id, const CUpti_CallbackData& call);
// Null: `id` is no call of kGraphCalls.
CUgraphExec GraphOf(CUpti_CallbackId id, const CUpti_CallbackData& call);

// Whether what goes into the stream is kept for a graph, and does not run.
bool IsCaptured(CUstream stream);

}  // namespace culprit
