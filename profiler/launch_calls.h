// SPDX-License-Identifier: Apache-2.0
// The driver calls that launch one kernel, by CUPTI's callback ids.
#pragma once
#include <cupti.h>

#include <array>

namespace culprit {

inline constexpr std::array kLaunchCalls = {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                                            CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
                                            CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                                            CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
                                            CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
                                            CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz};

}  // namespace culprit
