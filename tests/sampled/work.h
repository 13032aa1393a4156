// SPDX-License-Identifier: Apache-2.0
// What sampled_loop launches. Nothing here knows of Culprit's recorder.
#pragma once
#include <cuda_runtime_api.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::sampled {

using Launch = std::function<void(cudaStream_t)>;

// One kernel, or the few of one launch of a stage.
struct Work {
  std::string name;
  std::vector<int> sizes;           // that it may have, smallest first
  std::function<Launch(int)> make;  // of a size. Allocates and fills the inputs. Throws culprit::Error
};

// The planted kernels of one part of `parts`, counted from 0, and all stages of the ladder, as far as this GPU runs
// them.
std::vector<Work> PlantedWork(int part, int parts);
std::vector<Work> StageWork();

// 16 kernels of some 2 to 15 us on an H100, each with other work.
struct ShortKernel {
  std::string_view name;
  Launch launch;
};
std::vector<ShortKernel> ShortKernels();

}  // namespace culprit::sampled
