// SPDX-License-Identifier: Apache-2.0
// Finds other influences on times while programs are recorded, as far as the driver shows them (nvidia-smi).
#pragma once
#include <array>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace culprit {

class GpuWatch {
 public:
  // Construct it before the first execution.
  GpuWatch();
  // Call after each execution of a side (0: base, 1: candidate), when it has ended. A query takes 0.1 s, so after short
  // executions most queries are skipped. Queries take at most a twentieth of the whole time.
  void Look(int side);
  // Call after the last execution. Queries again if the last query was skipped.
  void LookAgain();
  // Sentences about other processes on a GPU between executions, about the time with lowered clocks, and about what is
  // not known.
  std::vector<std::string> Findings() const;

  // For each reason to lower a clock: microseconds since the driver was loaded, summed over all GPUs.
  using Held = std::array<double, 4>;

 private:
  using Clock = std::chrono::steady_clock;
  void Ask();
  void LookForOthers();

  const Clock::time_point start_ = Clock::now();
  Clock::duration asking_{0};
  std::array<bool, 2> ran_{};  // the sides that ran since the last query
  std::optional<Held> held_;
  std::array<Held, 3> of_sides_{};  // base, candidate, and intervals in which both ran
  std::set<std::string> others_;
  std::string no_others_, no_held_;  // why others_ and held_ are not known; empty: they are known
};

}  // namespace culprit
