// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/launch_call.h"

#include "profiler/inject/driver.h"

namespace culprit {
namespace {

template <class Params>
LaunchCall Plain(const void* params) {
  const auto& p = *static_cast<const Params*>(params);
  return {{p.gridDimX, p.gridDimY, p.gridDimZ, p.blockDimX, p.blockDimY, p.blockDimZ, p.sharedMemBytes}, p.hStream};
}

}  // namespace

std::optional<LaunchCall> LaunchCallOf(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
      return Plain<cuLaunchKernel_params>(call.functionParams);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
      return Plain<cuLaunchCooperativeKernel_params>(call.functionParams);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: {
      const CUlaunchConfig& c = *static_cast<const cuLaunchKernelEx_params*>(call.functionParams)->config;
      return LaunchCall{{c.gridDimX, c.gridDimY, c.gridDimZ, c.blockDimX, c.blockDimY, c.blockDimZ, c.sharedMemBytes},
                        c.hStream};
    }
    default:
      return std::nullopt;
  }
}

std::optional<GraphCall> GraphCallOf(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  const bool is_per_thread = id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz;
  if (id != CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch && !is_per_thread) return std::nullopt;
  // CUPTI hands out the driver's own copy of the arguments.
  auto& p = *const_cast<cuGraphLaunch_params*>(static_cast<const cuGraphLaunch_params*>(call.functionParams));
  const CUstream stream = p.hStream != nullptr ? p.hStream : is_per_thread ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY;
  return GraphCall{&p.hGraph, stream};
}

bool EndsCapture(CUresult result) {
  return result == CUDA_SUCCESS || result == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED ||
         result == CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
}

bool IsCaptured(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const auto ask = Driver::Get().stream_is_capturing;
  // The legacy stream cannot be queried while another stream is captured, and nothing can be launched into it.
  return ask != nullptr && (ask(stream, &status) != CUDA_SUCCESS || status != CU_STREAM_CAPTURE_STATUS_NONE);
}

}  // namespace culprit
