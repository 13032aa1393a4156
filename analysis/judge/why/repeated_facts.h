// SPDX-License-Identifier: Apache-2.0
// How far a fact of a kernel differs when the kernel is counted again: some counters repeat to 0.001 %, others not to 3 %.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/launch/kernel_view.h"

namespace culprit {

// The kernel with the readings of one repetition of its counters, as if it were the only one. `repetition` is below
// RepetitionsOf. Readings without repetitions stay.
KernelRecord OneRepetition(const KernelRecord& kernel, std::size_t repetition);
// Only repetitions with all readings can be decomposed. 0: the counters were collected once.
std::size_t RepetitionsOf(const KernelRecord& kernel);

class RepeatedFacts {
 public:
  // Keeps a reference: the kernel must outlive this object.
  explicit RepeatedFacts(const KernelView& kernel);
  ~RepeatedFacts();

  struct Error {
    double standard = 0;  // of the fact, in its unit
    double freedom = 0;   // degrees of freedom
  };
  // Exact counts have none. None known: the fact was counted once. Facts that samples estimate or scale
  // (launch_weights.h) have other errors, which replicates draw (replicate.h).
  std::optional<Error> Of(std::string_view id) const;

 private:
  struct Repetition;
  const std::vector<std::unique_ptr<Repetition>>& Repetitions() const;

  const KernelView& kernel_;
  mutable std::optional<std::vector<std::unique_ptr<Repetition>>> repetitions_;  // views point into records
  mutable std::map<std::string, std::optional<Error>, std::less<>> known_;
};

// Whether a fact differs between two kernels by more than its error, in the direction of `sign`. Where an error is not
// known: by more than kCountsRepeatWithin of the larger value.
bool FactMoved(std::string_view id, const KernelView& base, const RepeatedFacts& base_repeats,
               const KernelView& candidate, const RepeatedFacts& candidate_repeats, int sign);

}  // namespace culprit
