// SPDX-License-Identifier: Apache-2.0
// The values that a claim reads. Each is noted, so that the evidence shown and the missing values are exactly what was
// read.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/number/measured.h"
#include "analysis/show/render/report.h"
#include "tests/evidence/seeds/instruction_class.h"
#include "tests/support/recording.h"

namespace culprit::claims {

class Evidence {
 public:
  struct Missing {
    std::string name;  // "sgemm_padded.sts32.sass_shared_wavefronts"
    Absence why = Absence::kNotAsked;
    bool no_launch = false;  // the stage did not run at that shape
  };

  // Reads at `shape`. Without a recording nothing is found, and only the needs are noted.
  Evidence(const Recording* recording, std::string shape) : recording_(recording), shape_(std::move(shape)) {}

  // A value of KernelView::Get, or of the launch:
  //   warps               blocks x warps per block
  //   k_extent            K of the shape MxNxK
  //   error_over_bound    of the verification
  //   clock_mhz           median over the samples that time_us is the median of
  //   size_multiple       number that divides every size which the stage takes, from its constraint; 1: any size
  //   row_bytes_of_A      from one row of the array A in shared memory to the next, with padding (B, ... likewise)
  Measured Get(const std::string& stage, const std::string& id);
  // The value at M = N = K = size, whatever the shape of the other values.
  Measured GetAt(const std::string& stage, const std::string& id, int size);
  // Sum of an exact count over the instructions of one class.
  Measured Sum(const std::string& stage, InstructionClass which, const std::string& id);

  // The largest count per execution of any instruction of one class.
  Measured MostEach(const std::string& stage, InstructionClass which, const std::string& id);
  // 1 when both were built to the same machine code, else 0.
  Measured SameCode(const std::string& one, const std::string& other);
  // A value that this launch cannot have, whatever is measured.
  Measured Undefined(const std::string& stage, const std::string& id);
  // Whether the clock of the samples was measured: 0 as a size is the claim's shape. Notes nothing.
  bool HasClock(const std::string& stage, int size) const;

  // Each value once, in the order of reading.
  const std::vector<Fact>& facts() const { return facts_; }
  const std::vector<Missing>& missing() const { return missing_; }
  // What was read at the claim's shape, and at sizes of its own.
  const std::vector<std::string>& stages() const { return stages_; }
  const std::set<std::pair<std::string, int>>& sized_stages() const { return sized_; }

 private:
  Measured Note(std::string name, Measured value, Unit unit, bool no_launch);
  const KernelView* At(const std::string& stage);
  Measured Read(const KernelView* kernel, const std::string& name, const std::string& id);

  const Recording* recording_;
  std::string shape_;
  std::vector<Fact> facts_;
  std::vector<Missing> missing_;
  std::vector<std::string> stages_;
  std::set<std::pair<std::string, int>> sized_;
};

}  // namespace culprit::claims
