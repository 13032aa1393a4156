// SPDX-License-Identifier: Apache-2.0
// Calls of the driver that launch one kernel, for those who watch them through CUPTI.
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
