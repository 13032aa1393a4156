// SPDX-License-Identifier: Apache-2.0
#include "kernels/device_inputs.h"

#include <cuda_fp16.h>

#include <atomic>
#include <string>
#include <vector>

#include "db/error.h"
#include "kernels/in_parallel.h"

namespace culprit {
namespace {

std::vector<__half> Halves(const std::vector<float>& values) {
  std::vector<__half> halves(values.size());
  std::atomic<const float*> inexact = nullptr;
  InParallel(values.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      halves[i] = __float2half_rn(values[i]);
      if (__half2float(halves[i]) != values[i]) inexact = &values[i];
    }
  });
  if (inexact != nullptr)
    throw Error("cannot give " + std::to_string(*inexact) +
                " to a half-precision stage exactly: make its inputs with RandomInputs(..., ElementType::kHalf).");
  return halves;
}

DeviceMemory Uploaded(const std::vector<float>& values, ElementType element) {
  if (element == ElementType::kFloat) {
    DeviceMemory memory(values.size() * sizeof(float));
    memory.Upload(values);
    return memory;
  }
  const std::vector<__half> halves = Halves(values);
  DeviceMemory memory(halves.size() * sizeof(__half));
  memory.Upload(halves);
  return memory;
}

}  // namespace

DeviceInputs::DeviceInputs(const GemmInputs& inputs)
    : shape_(inputs.shape),
      element_(inputs.element),
      a_(Uploaded(inputs.a, inputs.element)),
      b_(Uploaded(inputs.b, inputs.element)) {}

void DeviceInputs::Launch(const Stage& stage, float alpha, float beta, float* c, cudaStream_t stream) const {
  if (ElementOf(stage) != element_) {
    throw Error("cannot launch " + stage.id +
                " on elements that it does not read: make its inputs with RandomInputs(..., ElementOf(stage)).");
  }
  std::visit(
      [&]<class Element>(LaunchOf<Element> launch) {
        launch({shape_, alpha, a_.As<const Element>(), b_.As<const Element>(), beta, c}, stream);
      },
      stage.launch);
}

}  // namespace culprit
