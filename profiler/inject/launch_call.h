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

// Copies to the host that come back when the GPU is done: CUPTI does not report them as waiting.
inline constexpr std::array kWaitingCopies = {
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2, CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2_ptds,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpy,        CUPTI_DRIVER_TRACE_CBID_cuMemcpy_ptds,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpy2D_v2,   CUPTI_DRIVER_TRACE_CBID_cuMemcpy2D_v2_ptds};

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
