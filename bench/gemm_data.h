// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>

#include "bench/workload.h"
#include "kernels/stage.h"

namespace culprit {

// The matrices of one shape and element type on the current device, with the references to verify against. Those of one
// shape are held at a time, and of both element types only where they fit together: stages of a ladder run shape by
// shape.
class GemmData {
 public:
  // Whether the matrices of both element types are held beside each other.
  static bool BothAreHeld(const GemmShape& shape);

  // The data of `shape`, made if it is not held.
  static GemmData& For(const GemmShape& shape, ElementType element, std::uint64_t seed);

  // Enqueues what is timed and counted: alpha 1, beta 0, so that repeating it changes nothing.
  void LaunchTimed(const Stage& stage, cudaStream_t stream) const;

  // Runs the stage on C poisoned with NaN, as it is timed, and once more with alpha and beta that no kernel can ignore.
  Verification Verify(const Stage& stage);

  ~GemmData();

 private:
  GemmData(const GemmShape& shape, ElementType element, std::uint64_t seed);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace culprit
