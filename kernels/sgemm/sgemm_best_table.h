// SPDX-License-Identifier: Apache-2.0
// Written by script/best-table, which measures it: the fastest candidate at each shape. Measured on an NVIDIA H200.
#pragma once
#include "kernels/measured_best.h"

namespace culprit {

inline constexpr MeasuredBest kMeasuredBestSgemm[] = {
    {{64, 64, 64}, "sgemm_split_fine"},       {{128, 128, 128}, "sgemm_split_fine"},
    {{256, 256, 256}, "sgemm_split_fine"},    {{384, 384, 384}, "sgemm_split_fine"},
    {{512, 512, 512}, "sgemm_split_small"},   {{768, 768, 768}, "sgemm_split_small"},
    {{1024, 1024, 1024}, "sgemm_split_k"},    {{1536, 1536, 1536}, "sgemm_split_small"},
    {{2048, 2048, 2048}, "sgemm_snake"},      {{4096, 4096, 4096}, "sgemm_snake"},
    {{129, 127, 129}, "sgemm_split_fine"},    {{257, 255, 257}, "sgemm_split_fine"},
    {{513, 511, 513}, "sgemm_split_8"},       {{1025, 1023, 1025}, "sgemm_split_small"},
    {{2049, 2047, 2049}, "sgemm_small_tile"}, {{4097, 4095, 4097}, "sgemm_snake"},
    {{128, 128, 1024}, "sgemm_split_fine"},   {{128, 128, 8192}, "sgemm_split_fine"},
    {{129, 127, 8191}, "sgemm_split_fine"},   {{512, 512, 8192}, "sgemm_split_small"},
    {{4096, 128, 4096}, "sgemm_split_small"}, {{128, 4096, 4096}, "sgemm_split_small"},
    {{4096, 4096, 128}, "sgemm_small_tile"},  {{2049, 4095, 127}, "sgemm_small_tile"},
    {{4096, 1024, 2048}, "sgemm_snake"},      {{4097, 1023, 2049}, "sgemm_snake"},
    {{1537, 3001, 515}, "sgemm_split_small"}, {{333, 2049, 777}, "sgemm_split_8"},
    {{1000, 1000, 1000}, "sgemm_small_tile"}, {{513, 511, 1025}, "sgemm_split_8"},
    {{127, 129, 33}, "sgemm_split_fine"},
};

}  // namespace culprit
