// SPDX-License-Identifier: Apache-2.0
// The columns in which the stages on matrix views differ, so that all of them name the same ones.
#pragma once
#include <string>

#include "kernels/stage.h"

namespace culprit {

struct ViewRow {
  std::string block_tile;
  std::string thread_tile = "1x1";
  std::string shared_memory = "A and B tiles";
  std::string buffers = "1";
  std::string load_width = "32 bit";
  std::string a_layout = "row-major";
  std::string move = "consecutive floats per thread";
  std::string lane_map = "row-major";
  std::string bounds_checks = "none";
};

inline Factors ViewFactors(const ViewRow& row) {
  return {{"block tile", row.block_tile}, {"thread tile", row.thread_tile}, {"shared memory", row.shared_memory},
          {"buffers", row.buffers},       {"load width", row.load_width},   {"A tile layout", row.a_layout},
          {"gmem->smem move", row.move},  {"lane map", row.lane_map},       {"bounds checks", row.bounds_checks}};
}

}  // namespace culprit
