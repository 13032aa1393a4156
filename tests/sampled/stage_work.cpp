// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "kernels/device_inputs.h"
#include "kernels/device_memory.h"
#include "kernels/reference.h"
#include "kernels/stage.h"
#include "tests/sampled/work.h"

namespace culprit::sampled {
namespace {

// On an H100, stages take 25 to 2,000 us for squares of this extent.
constexpr int kExtent = 2048;

GemmShape Square(int extent) { return {extent, extent, extent}; }

struct Matrices {
  DeviceInputs inputs;
  DeviceMemory c;

  explicit Matrices(ElementType element)
      : inputs(RandomInputs(Square(kExtent), 1, 0, 1, element)), c(sizeof(float) * kExtent * kExtent) {}
};

// Shared by all stages of one element type.
std::shared_ptr<const Matrices> Of(ElementType element) {
  static const auto floats = std::make_shared<const Matrices>(ElementType::kFloat);
  static const auto halves = std::make_shared<const Matrices>(ElementType::kHalf);
  return element == ElementType::kHalf ? halves : floats;
}

}  // namespace

std::vector<Work> StageWork() {
  std::vector<Work> all;
  for (const Stage& stage : AllStages()) {
    if (!DeviceRefusal(stage).empty() || !Refusal(stage, Square(kExtent)).empty()) continue;
    all.push_back({stage.id, {kExtent}, [&stage](int) -> Launch {
                     return [&stage, matrices = Of(ElementOf(stage))](cudaStream_t stream) {
                       matrices->inputs.Launch(stage, 1, 0, matrices->c.As<float>(), stream);
                     };
                   }});
  }
  return all;
}

}  // namespace culprit::sampled
