// SPDX-License-Identifier: Apache-2.0
// Written by script/best-table, which measures it: the fastest candidate at each shape. Measured on an NVIDIA H200.
#pragma once
#include "kernels/measured_best.h"

namespace culprit {

inline constexpr MeasuredBest kMeasuredBestSgemm[] = {
    {{64, 64, 64}, "sgemm_split_fine"},       {{128, 128, 128}, "sgemm_split_fine"},
    {{256, 256, 256}, "sgemm_split_fine"},    {{384, 384, 384}, "sgemm_split_fine"},
    {{512, 512, 512}, "sgemm_split_small"},   {{768, 768, 768}, "sgemm_split_8"},
    {{1024, 1024, 1024}, "sgemm_split_k"},    {{1280, 1280, 1280}, "sgemm_fed_sliced"},
    {{1536, 1536, 1536}, "sgemm_stream_k"},   {{1792, 1792, 1792}, "sgemm_stream_k"},
    {{2048, 2048, 2048}, "sgemm_stream_k"},   {{3072, 3072, 3072}, "sgemm_stream_k"},
    {{4096, 4096, 4096}, "sgemm_stream_k"},   {{8192, 8192, 8192}, "sgemm_stream_k"},
    {{129, 127, 129}, "sgemm_split_fine"},    {{257, 255, 257}, "sgemm_split_fine"},
    {{513, 511, 513}, "sgemm_split_8"},       {{1025, 1023, 1025}, "sgemm_fed_sliced"},
    {{2049, 2047, 2049}, "sgemm_small_tile"}, {{4097, 4095, 4097}, "sgemm_snake"},
    {{128, 128, 1024}, "sgemm_split_fine"},   {{128, 128, 8192}, "sgemm_fed_sliced"},
    {{129, 127, 8191}, "sgemm_fed_sliced"},   {{512, 512, 8192}, "sgemm_fed_sliced"},
    {{4096, 128, 4096}, "sgemm_fed_sliced"},  {{128, 4096, 4096}, "sgemm_fed_sliced"},
    {{4096, 4096, 128}, "sgemm_small_tile"},  {{2049, 4095, 127}, "sgemm_small_tile"},
    {{4096, 1024, 2048}, "sgemm_stream_k"},   {{4097, 1023, 2049}, "sgemm_snake"},
    {{1537, 3001, 515}, "sgemm_split_small"}, {{333, 2049, 777}, "sgemm_fed_sliced"},
    {{1000, 1000, 1000}, "sgemm_small_tile"}, {{513, 511, 1025}, "sgemm_split_8"},
    {{127, 129, 33}, "sgemm_split_fine"},     {{257, 255, 511}, "sgemm_split_fine"},
    {{1023, 1025, 1027}, "sgemm_fed_sliced"},
};

}  // namespace culprit
