// SPDX-License-Identifier: Apache-2.0
// What lowered the clocks of GPUs while a program was timed, what they drew, which memory errors they corrected, and which
// other processes used them. The driver knows all of these (NVML, libnvidia-ml, opened while culprit runs).
#pragma once
#include <array>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "db/records.h"

namespace culprit {

// Since the driver was loaded, summed over all GPUs. None: no GPU counts it.
struct GpuHealth {
  std::chrono::steady_clock::time_point at;
  int gpus = 0;
  // For each reason to lower a clock, the microseconds: the power limit, temperature, the board's limit, reliability
  // (voltage).
  std::array<std::optional<double>, 4> lowered_us = {};
  std::optional<double> joules, corrected_errors;
  std::set<unsigned> processes = {};  // that have a context of CUDA on one of them, as far as this user sees them
};

// Nullopt without the library, the driver or a GPU. Takes some 20 ms.
std::optional<GpuHealth> ReadGpuHealth(const std::string& library = "libnvidia-ml.so.1");

// "clocks_lowered" and "memory_errors", if there was any of it between the two, and "other_processes", if a process was
// there before or afterwards. The program that was timed must be among neither.
std::vector<Warning> HealthWarnings(const GpuHealth& before, const GpuHealth& after);

}  // namespace culprit
