// SPDX-License-Identifier: Apache-2.0
// Several executions of one program, recorded with one label. Each counts as one value, as a benchmark's process does.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "db/database.h"

namespace culprit {

// Whether both sides have enough complete executions for a verdict with one value per execution. With fewer there would
// be no interval (verdict.h), so the calls of one execution are used.
bool CanPool(std::span<const RunSummary> base, std::span<const RunSummary> candidate);

class Executions {
 public:
  // Uses the complete ones of `runs`. `explained` is one of them.
  Executions(const Database& database, const RunSummary& explained, std::span<const RunSummary> runs);

  // Adds the calls of the same launch (kernel, grid, block, dynamic shared memory and range) in the other executions.
  // Sample::process is the execution's number. `kernel` is a launch of the explained run.
  void AddTo(KernelRecord& kernel) const;

 private:
  using LaunchKey = std::tuple<std::string, std::string, std::int64_t, std::string>;
  using Samples = std::map<LaunchKey, std::vector<Sample>>;  // all samples of one execution

  static LaunchKey KeyOf(const KernelRecord& kernel);  // `kernel` must be a program's

  std::vector<Samples> others_;
};

}  // namespace culprit
