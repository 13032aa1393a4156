// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/device_memory.h"
#include "kernels/reference.h"
#include "kernels/stage.h"

namespace culprit {

// A and B of one problem on the current device, as the elements that a stage reads: the one place that knows how host
// inputs become a launch, whatever a stage's matrices consist of.
class DeviceInputs {
 public:
  // Uploads inputs.a and inputs.b as inputs.element. Throws culprit::Error when there is no room, or when a value is
  // none of that element type: the references compute with the value as given.
  explicit DeviceInputs(const GemmInputs& inputs);

  // Enqueues the stage on `stream` with `c` as C, on the device. Throws culprit::Error when the stage reads other
  // elements than these, and what the stage throws.
  void Launch(const Stage& stage, float alpha, float beta, float* c, cudaStream_t stream) const;

 private:
  GemmShape shape_;
  ElementType element_;
  DeviceMemory a_, b_;
};

}  // namespace culprit
