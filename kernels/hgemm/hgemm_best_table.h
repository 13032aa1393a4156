// SPDX-License-Identifier: Apache-2.0
// Written by script/best-table, which measures it: the fastest candidate at each shape. Measured on an NVIDIA H200.
#pragma once
#include "kernels/measured_best.h"

namespace culprit {

inline constexpr MeasuredBest kMeasuredBestHgemm[] = {
    {{128, 128, 128}, "hgemm_small_tile"},      {{256, 256, 256}, "hgemm_small_tile"},
    {{512, 512, 512}, "hgemm_small_tile"},      {{768, 768, 768}, "hgemm_small_tile"},
    {{1024, 1024, 1024}, "hgemm_small_tile"},   {{1280, 1280, 1280}, "hgemm_pingpong_128"},
    {{1536, 1536, 1536}, "hgemm_pingpong"},     {{1792, 1792, 1792}, "hgemm_pingpong_128"},
    {{2048, 2048, 2048}, "hgemm_pingpong_128"}, {{2560, 2560, 2560}, "hgemm_pingpong_128"},
    {{3072, 3072, 3072}, "hgemm_pingpong"},     {{4096, 4096, 4096}, "hgemm_tma_store"},
    {{5120, 5120, 5120}, "hgemm_pingpong"},     {{6144, 6144, 6144}, "hgemm_pingpong"},
    {{8192, 8192, 8192}, "hgemm_pingpong"},     {{128, 128, 8192}, "hgemm_small_tile"},
    {{512, 512, 8192}, "hgemm_small_tile"},     {{4096, 128, 4096}, "hgemm_small_tile"},
    {{128, 4096, 4096}, "hgemm_small_tile"},    {{4096, 4096, 128}, "hgemm_tma_store"},
    {{2048, 8192, 1024}, "hgemm_pingpong_128"}, {{8192, 1024, 2048}, "hgemm_pingpong_128"},
    {{4096, 1024, 2048}, "hgemm_pingpong_128"}, {{1024, 4096, 4096}, "hgemm_pingpong_128"},
    {{1000, 1000, 1000}, "hgemm_small_tile"},   {{2049, 4104, 136}, "hgemm_pingpong"},
    {{4097, 1032, 2056}, "hgemm_tma_store"},    {{1537, 3000, 520}, "hgemm_pingpong"},
    {{333, 2056, 776}, "hgemm_small_tile"},
};

}  // namespace culprit
