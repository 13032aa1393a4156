// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/kernels/per_element.h"

#include <limits>
#include <memory>
#include <utility>

#include "tests/planted/kernels/run.h"

namespace culprit {

PlantedRun PerElementRun(std::vector<float> in, std::size_t outputs, std::size_t every,
                         std::function<void(cudaStream_t, const float*, float*)> launch,
                         std::function<Wanted(const std::vector<float>&, std::size_t)> wanted) {
  const auto input = Uploaded(in);
  const auto output = std::make_shared<DeviceMemory>(outputs * sizeof(float));
  PlantedRun run;
  run.launch = [=](cudaStream_t stream) { launch(stream, input->As<float>(), output->As<float>()); };
  run.check = [=, in = std::move(in), enqueue = run.launch] {
    std::vector<double> values(outputs);
    // An infinite bound still refuses what is not finite, and NaN is what an output that nobody wrote holds.
    std::vector<double> bounds(outputs, std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < outputs; i += every) {
      const Wanted w = wanted(in, i);
      values[i] = w.value;
      bounds[i] = w.bound;
    }
    return CheckFloats({enqueue, {}}, output->As<float>(), values, bounds);
  };
  return run;
}

}  // namespace culprit
