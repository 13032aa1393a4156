// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/device_memory.h"
#include "kernels/reference.h"
#include "kernels/stage.h"

namespace culprit {

// A and B of one problem on the current device, in the element type that a stage reads. Only this class turns host
// inputs into a launch.
class DeviceInputs {
 public:
  // Uploads inputs.a and inputs.b as inputs.element. Throws culprit::Error when memory runs out, or when the element
  // type cannot represent a value exactly, because the references compute with the given value.
  explicit DeviceInputs(const GemmInputs& inputs);

  // Enqueues the stage on `stream`, with `c` (on the device) as C. Throws culprit::Error if the stage reads another
  // element type. Exceptions of the stage pass through.
  void Launch(const Stage& stage, float alpha, float beta, float* c, cudaStream_t stream) const;

 private:
  GemmShape shape_;
  ElementType element_;
  DeviceMemory a_, b_;
};

}  // namespace culprit
