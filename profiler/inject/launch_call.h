// SPDX-License-Identifier: Apache-2.0
// Decodes the launches that CUPTI's callbacks report.
#pragma once
#include <cuda.h>
#include <cupti.h>

#include <array>
#include <optional>

#include "profiler/launch_calls.h"
#include "profiler/trace/trace.h"

namespace culprit {

// Calls that launch a graph.
inline constexpr std::array kGraphCalls = {CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
                                           CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz};

// Calls that begin and end the capture of a stream.
inline constexpr std::array kCaptureBegins = {
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture,        CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2,     CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph, CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz};
inline constexpr std::array kCaptureEnds = {CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture,
                                            CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz};

// Copies to the host. They return when the GPU is done, but CUPTI does not report them as synchronisation.
inline constexpr std::array kWaitingCopies = {
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2, CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2_ptds,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpy,        CUPTI_DRIVER_TRACE_CBID_cuMemcpy_ptds,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpy2D_v2,   CUPTI_DRIVER_TRACE_CBID_cuMemcpy2D_v2_ptds};

struct LaunchCall {
  LaunchGeometry geometry;
  CUstream stream = nullptr;
};

// None: `id` is not one of kLaunchCalls.
std::optional<LaunchCall> LaunchCallOf(CUpti_CallbackId id, const CUpti_CallbackData& call);
struct GraphCall {
  CUgraphExec* graph;  // the argument of the call, which launches what it points to
  CUstream stream;     // one of the special handles instead of null
};

// None: `id` is not one of kGraphCalls.
std::optional<GraphCall> GraphCallOf(CUpti_CallbackId id, const CUpti_CallbackData& call);

// Whether a call of kCaptureEnds with this result has ended a capture.
bool EndsCapture(CUresult result);

// Whether the stream is being captured into a graph. Then launches do not run.
bool IsCaptured(CUstream stream);

}  // namespace culprit
