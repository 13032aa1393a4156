// SPDX-License-Identifier: Apache-2.0
// Written by script/sgemm-table, which measures it: the fastest candidate at each shape. Measured on an NVIDIA H200.
#pragma once
#include "kernels/stage.h"

namespace culprit {

struct MeasuredBest {
  GemmShape shape;
  const char* stage;
};

inline constexpr MeasuredBest kMeasuredBest[] = {
    {{127, 129, 33}, "sgemm_split_fine"},    {{257, 255, 511}, "sgemm_split_fine"},
    {{513, 511, 1025}, "sgemm_split_8"},     {{512, 512, 512}, "sgemm_split_small"},
    {{1024, 1024, 1024}, "sgemm_split_k"},   {{1000, 1000, 1000}, "sgemm_small_tile"},
    {{1023, 1025, 1027}, "sgemm_split_8"},   {{333, 2049, 777}, "sgemm_split_8"},
    {{129, 127, 8191}, "sgemm_split_fine"},  {{1537, 3001, 515}, "sgemm_small_tile"},
    {{2049, 4095, 127}, "sgemm_small_tile"}, {{2048, 2048, 2048}, "sgemm_snake"},
    {{4096, 4096, 4096}, "sgemm_snake"},     {{4097, 1023, 2049}, "sgemm_tile_16x8"},
};

}  // namespace culprit
