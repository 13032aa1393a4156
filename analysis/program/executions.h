// SPDX-License-Identifier: Apache-2.0
// Several executions of one program, recorded with one label: each is to its kernels what a process is to a
// benchmark's.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "db/database.h"

namespace culprit {

// Whether both sides have so many complete executions that a kernel's verdict can take each for one value: below that
// there is no interval (verdict.h), and the calls of one execution say more.
bool CanPool(std::span<const RunSummary> base, std::span<const RunSummary> candidate);

class Executions {
 public:
  // Of `runs` those that are complete. `explained` is one of them.
  Executions(const Database& database, const RunSummary& explained, std::span<const RunSummary> runs);

  // Adds the calls of the same launch (kernel, grid, block, dynamic shared memory and range) in the other executions;
  // Sample::process tells them apart. `kernel` is of the explained run.
  void AddTo(KernelRecord& kernel) const;

 private:
  using LaunchKey = std::tuple<std::string, std::string, std::int64_t, std::string>;
  using Samples = std::map<LaunchKey, std::vector<Sample>>;  // of one execution

  static LaunchKey KeyOf(const KernelRecord& kernel);  // of a program's launch

  std::vector<Samples> others_;
};

}  // namespace culprit
