// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "bench/workload.h"
#include "kernels/device_inputs.h"
#include "kernels/device_memory.h"
#include "kernels/stage.h"
#include "kernels/verifier.h"

namespace culprit {

// The matrices of one shape and element type on the current device, with the references for verification. A ladder runs
// shape by shape, so only one shape is in memory at a time. It has both element types if they fit together.
class GemmData {
 public:
  // Whether the matrices of both element types are in memory at the same time.
  static bool BothAreHeld(const GemmShape& shape);

  // The data of `shape`; creates it if needed.
  static GemmData& For(const GemmShape& shape, ElementType element, std::uint64_t seed);

  // Enqueues the timed and counted work. alpha is 1 and beta is 0, so repeating it changes nothing.
  void LaunchTimed(const Stage& stage, cudaStream_t stream) const;

  // Runs the stage twice on C filled with NaN: as it is timed, and with alpha and beta that no kernel can ignore.
  VerifyResult Verify(const Stage& stage);

 private:
  GemmData(const GemmShape& shape, ElementType element, std::uint64_t seed);
  bool Is(const GemmShape& shape, std::uint64_t seed) const { return timed_.shape == shape && seed_ == seed; }
  Verification Check(const Stage& stage, const GemmInputs& inputs, std::optional<Verifier>& verifier);

  std::uint64_t seed_;
  GemmInputs timed_, general_;  // general_ is made when something is verified
  DeviceInputs device_;
  DeviceMemory c_;
  std::optional<Verifier> timed_verifier_, general_verifier_;
};

}  // namespace culprit
