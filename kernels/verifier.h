// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <vector>

#include "kernels/reference.h"

namespace culprit {

// Up to this extent in every dimension, outputs are also compared with double precision; above it only with cuBLAS.
constexpr int kFloat64Extent = 512;

// Checks C of many kernels on one problem. The constructor computes the references: cuBLAS in pedantic single precision
// on the current device and, for extents up to 512, double precision on the CPU. (cuBLAS also rounds, so it is allowed
// the same error as the kernel.)
class Verifier {
 public:
  // Uses memory for a, b and c on the current device while it runs. Throws culprit::Error when there is none.
  explicit Verifier(const GemmInputs& inputs);

  Verification Check(std::span<const float> out) const;  // C after the launch, on the host

  // `out` is C after the launch, on the device. Waits for the device first. Throws culprit::Error when the launch
  // failed.
  Verification CheckDevice(const float* out) const;

 private:
  GemmShape shape_;
  std::vector<Expected> references_;
};

}  // namespace culprit
