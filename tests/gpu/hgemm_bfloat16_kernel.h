// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_bf16.h>

#include "kernels/stage.h"

namespace culprit {

// The text of hgemm_drained with bfloat16 as its element.
void LaunchBfloat16(const GemmProblemOf<__nv_bfloat16>& p);

// The same of hgemm_pingpong.
void LaunchPingPongBfloat16(const GemmProblemOf<__nv_bfloat16>& p);

}  // namespace culprit
