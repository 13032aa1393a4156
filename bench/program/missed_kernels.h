// SPDX-License-Identifier: Apache-2.0
// Lists of sampled counters take turns (db/sampled_counters.h). Which kernels ran in no turn of a list?
#pragma once
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "bench/program/sampled_program.h"

namespace culprit {

struct MissedKernels {
  std::string_view list;      // what it counts
  double share = 0;           // of the time of all kernels
  std::size_t costliest = 0;  // their class with most time

  // Of most kernels' time the list knows nothing.
  bool AreMost() const { return share > 0.5; }
};

// The lists that missed more than a twentieth of the kernels' time, in their order. A list missed all kernels if they ran
// for less than 10 ms in its turns, and for less than a twentieth of their time. `time_us`: by class, also of launches
// that are not in `gpus`. Other classes than these are not recorded.
std::vector<MissedKernels> KernelsMissedByLists(std::span<const GpuWork> gpus, std::span<const double> time_us,
                                                std::string_view chip);

// By class: whether one of its launches ran in a turn of any list.
std::vector<bool> ClassesInRecords(std::span<const GpuWork> gpus, std::size_t classes, std::string_view chip);

}  // namespace culprit
