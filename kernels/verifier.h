// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <vector>

#include "kernels/reference.h"

namespace culprit {

// Up to this extent in every dimension an output is compared with double precision as well; beyond it with cuBLAS
// alone.
constexpr int kFloat64Extent = 512;

// Answers "is this C right?" for many kernels and one problem. The references are computed once, when it is made:
// cuBLAS in pedantic single precision, on the current device, and for extents up to 512 double precision on the CPU as
// well. (cuBLAS rounds too, so it is granted the same error bound as the kernel.)
class Verifier {
 public:
  // Needs room for a, b and c on the current device while it runs, and frees it. Throws culprit::Error when there is
  // none.
  explicit Verifier(const GemmInputs& inputs);

  Verification Check(std::span<const float> out) const;  // C after the launch, on the host

  // C after the launch, on the device; waits for the device first. Throws culprit::Error when the launch failed.
  Verification CheckDevice(const float* out) const;

 private:
  GemmShape shape_;
  std::vector<Expected> references_;
};

}  // namespace culprit
