// SPDX-License-Identifier: Apache-2.0
#include "tests/noise/kernels/noise.h"

#include <vector>

namespace culprit {

// Each is defined at the end of the file that holds its kernel.
NoiseKernel NoiseFma();
NoiseKernel NoiseStream();
NoiseKernel NoiseShared();
NoiseKernel NoiseChase();
NoiseKernel NoiseAtomics();

std::span<const NoiseKernel> NoiseKernels() {
  static const std::vector<NoiseKernel> kernels{NoiseFma(), NoiseStream(), NoiseShared(), NoiseChase(), NoiseAtomics()};
  return kernels;
}

}  // namespace culprit
