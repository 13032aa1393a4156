// SPDX-License-Identifier: Apache-2.0
// What else may move times on this machine while programs are recorded, as far as its driver tells (nvidia-smi).
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
  // Before the first execution.
  GpuWatch();
  // After one of either side (0: base, 1: candidate), with nothing of it running any more. Asking takes a tenth of a
  // second: of programs that take little more it is left out after most executions, so that it takes a twentieth of the
  // whole time.
  void Look(int side);
  // After the last: what was left out.
  void LookAgain();
  // Sentences: who else used a GPU between executions, for how long clocks were held down, and what nobody can know.
  std::vector<std::string> Findings() const;

  // Microseconds since the driver was loaded, of all GPUs, for each reason to hold a clock down.
  using Held = std::array<double, 4>;

 private:
  using Clock = std::chrono::steady_clock;
  void Ask();
  void LookForOthers();

  const Clock::time_point start_ = Clock::now();
  Clock::duration asking_{0};
  std::array<bool, 2> ran_{};  // since it was asked last
  std::optional<Held> held_;
  std::array<Held, 3> of_sides_{};  // the last: while both ran
  std::set<std::string> others_;
  std::string no_others_, no_held_;  // why they are not known; empty: they are
};

}  // namespace culprit
