// SPDX-License-Identifier: Apache-2.0
// Written by script/best-table, which measures it: the fastest candidate at each shape. Measured on an NVIDIA H200.
#pragma once
#include "kernels/measured_best.h"

namespace culprit {

inline constexpr MeasuredBest kMeasuredBestHgemm[] = {
    {{4097, 1032, 2056}, "hgemm_pingpong"},    {{333, 2056, 776}, "hgemm_small_tile"},
    {{129, 264, 72}, "hgemm_small_tile"},      {{512, 512, 512}, "hgemm_small_tile"},
    {{768, 768, 768}, "hgemm_small_tile"},     {{1024, 1024, 1024}, "hgemm_small_tile"},
    {{1280, 1280, 1280}, "hgemm_small_tile"},  {{1536, 1536, 1536}, "hgemm_pingpong"},
    {{1792, 1792, 1792}, "hgemm_specialised"}, {{2048, 2048, 2048}, "hgemm_tma_store"},
    {{2560, 2560, 2560}, "hgemm_tma_store"},   {{3072, 3072, 3072}, "hgemm_pingpong"},
    {{4096, 4096, 4096}, "hgemm_tma_store"},   {{5120, 5120, 5120}, "hgemm_pingpong"},
    {{8192, 8192, 8192}, "hgemm_pingpong"},
};

}  // namespace culprit
