// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>

#include "bench/workload.h"
#include "kernels/stage.h"

namespace culprit {

// The matrices of one shape and element type on the current device, with the references to verify against. One is held
// at a time: stages of a ladder run shape by shape, and those of a shape element type by element type.
class GemmData {
 public:
  // The data of `shape`, made if the last call was for another.
  static GemmData& For(const GemmShape& shape, ElementType element, std::uint64_t seed);

  // Enqueues what is timed and counted: alpha 1, beta 0, so that repeating it changes nothing.
  void LaunchTimed(const Stage& stage, cudaStream_t stream) const;

  // Runs the stage on C poisoned with NaN, as it is timed, and once more with alpha and beta that no kernel can ignore.
  Verdict Verify(const Stage& stage);

  ~GemmData();

 private:
  GemmData(const GemmShape& shape, ElementType element, std::uint64_t seed);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace culprit
