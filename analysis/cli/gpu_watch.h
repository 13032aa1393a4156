// SPDX-License-Identifier: Apache-2.0
// What else may move times on this machine while programs are recorded, as far as its driver tells (nvidia-smi).
#pragma once
#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace culprit {

class GpuWatch {
 public:
  // Before the first execution.
  GpuWatch();
  // After one of either side (0: base, 1: candidate), with nothing of it running any more.
  void Look(int side);
  // Sentences: who else used a GPU between executions, for how long clocks were held down, and what nobody can know.
  std::vector<std::string> Findings() const;

  // Microseconds since the driver was loaded, of all GPUs, for each reason to hold a clock down.
  using Held = std::array<double, 4>;

 private:
  void LookForOthers();

  std::optional<Held> held_;
  std::array<Held, 2> of_sides_{};
  std::set<std::string> others_;
  std::string no_others_, no_held_;  // why they are not known; empty: they are
};

}  // namespace culprit
