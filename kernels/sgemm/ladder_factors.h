// SPDX-License-Identifier: Apache-2.0
// The factors in which stages of the ladder differ, in one place, so that every stage states the same ones.
#pragma once
#include "kernels/stage.h"

namespace culprit {

// The defaults are sgemm_naive's.
struct LadderFactors {
  const char* thread_mapping = "x along n";
  const char* block_mapping = "x along n";  // which way blockIdx.x walks over C
  const char* shared_memory = "none";
  const char* copy_mapping = "-";  // which way threadIdx.x walks when tiles are copied to shared memory
  const char* block_tile = "32x32";
  const char* thread_tile = "1x1";
  const char* load_width = "32 bit";  // of the source's accesses; the compiler may widen those to shared memory
  const char* a_tile_layout = "-";
  const char* lane_map = "row-major";
  const char* loop_nest = "k";
  const char* fragments = "none";  // whether the source copies operands from shared memory to registers before use
  const char* unroll = "no pragma";
  const char* shared_buffers = "-";
  const char* global_prefetch = "none";
  const char* k_split = "none";  // which blocks share a tile of C
  const char* bounds_checks = "yes";

  Factors Named() const {
    return {{"thread mapping", thread_mapping},
            {"block mapping", block_mapping},
            {"shared memory", shared_memory},
            {"copy mapping", copy_mapping},
            {"block tile", block_tile},
            {"thread tile", thread_tile},
            {"load width", load_width},
            {"A tile layout", a_tile_layout},
            {"lane map", lane_map},
            {"loop nest", loop_nest},
            {"fragments", fragments},
            {"unroll", unroll},
            {"shared buffers", shared_buffers},
            {"global prefetch", global_prefetch},
            {"split of k", k_split},
            {"bounds checks", bounds_checks}};
  }
};

}  // namespace culprit
