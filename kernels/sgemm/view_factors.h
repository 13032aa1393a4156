// SPDX-License-Identifier: Apache-2.0
// The factors in which the stages on matrix views differ. All stages use these names.
#pragma once
#include <string>

#include "kernels/stage.h"

namespace culprit {

// The defaults are view_block_v1's. "none": does not apply, because nothing is staged in shared memory.
struct ViewRow {
  std::string block_tile = "16x16";  // of C
  std::string k_tile = "16";         // extent of k in shared memory at a time
  std::string thread_tile = "1x1";
  std::string thread_block = "2-dimensional";
  std::string buffers = "1";  // in shared memory, each with a tile of A and one of B
  std::string move = "consecutive floats per thread";
  std::string load_width = "32 bit";
  std::string a_layout = "row-major";  // as the products read it
  std::string lane_map = "row-major";
  std::string unroll = "no pragma";
  std::string launch_bounds = "none";
  std::string bounds_checks = "none";
};

inline Factors ViewFactors(const ViewRow& row) {
  return {{"block tile", row.block_tile},       {"K tile", row.k_tile},
          {"thread tile", row.thread_tile},     {"thread block", row.thread_block},
          {"shared buffers", row.buffers},      {"gmem->smem move", row.move},
          {"load width", row.load_width},       {"A layout", row.a_layout},
          {"lane map", row.lane_map},           {"unroll", row.unroll},
          {"launch bounds", row.launch_bounds}, {"bounds checks", row.bounds_checks}};
}

}  // namespace culprit
