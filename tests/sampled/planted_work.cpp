// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "tests/planted/kernels/planted.h"
#include "tests/sampled/work.h"

namespace culprit::sampled {
namespace {

Work WorkOf(const PlantedKernel& kernel, const std::vector<int>& sizes) {
  return {kernel.id, sizes, [make = kernel.make](int size) -> Launch {
            // The run owns what it launches on.
            return [run = std::make_shared<const PlantedRun>(make(size))](cudaStream_t stream) { run->launch(stream); };
          }};
}

std::vector<Work> All() {
  std::vector<Work> all;
  for (const PlantedPair& pair : PlantedPairs())
    for (const PlantedKernel* kernel : {&pair.base, &pair.candidate})
      if (DeviceRefusal(kernel->id, pair.device).empty()) all.push_back(WorkOf(*kernel, pair.sizes));
  for (const PlantedMixture& mixture : PlantedMixtures())
    for (const PlantedKernel* kernel : {&mixture.base, &mixture.a, &mixture.b, &mixture.both})
      all.push_back(WorkOf(*kernel, mixture.sizes));
  return all;
}

}  // namespace

std::vector<Work> PlantedWork(int part, int parts) {
  std::vector<Work> all = All(), chosen;
  for (std::size_t i = static_cast<std::size_t>(part); i < all.size(); i += static_cast<std::size_t>(parts))
    chosen.push_back(std::move(all[i]));
  return chosen;
}

}  // namespace culprit::sampled
