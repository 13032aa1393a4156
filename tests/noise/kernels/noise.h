// SPDX-License-Identifier: Apache-2.0
// Kernels to measure noise with: each is made to wait for one thing, and takes how much of it to do as an argument. The
// same kernel with 2 % more work is the smallest slow-down that a verdict has to find; with the same work it is one
// that a verdict must not find.
#pragma once
#include <cuda_runtime_api.h>

#include <functional>
#include <span>
#include <string>

#include "tests/planted/kernels/planted.h"

namespace culprit {

// A kernel with its buffers in place on the current device, with room for SlowerWork. Both amounts of work run in the
// same buffers: elsewhere in memory they would differ by more than the work.
struct NoiseRun {
  // Enqueues `work` once; repeatable: each launch does the same work. Throws culprit::Error when CUDA refuses.
  std::function<void(int work, cudaStream_t)> launch;
  std::function<PlantedCheck(int work)> check;  // launches once, waits, compares all of the output exactly
};

struct NoiseKernel {
  std::string id;         // database key and symbol of the kernel (extern "C")
  std::string idea;       // one sentence: what it waits for
  std::string work_unit;  // what `work` counts: "rounds"
  int work = 0;           // a multiple of 50, so that 2 % more is a whole number
  std::string source_file;
  int source_line = 0;
  int block_threads = 0;
  double (*min_bytes)(int work) = nullptr;  // compulsory device-memory traffic of one launch; null: not stated
  // Throws culprit::Error when there is no memory for it.
  NoiseRun (*make)() = nullptr;
};

constexpr int SlowerWork(int work) { return work + work / 50; }

// THE table of noise kernels.
std::span<const NoiseKernel> NoiseKernels();

}  // namespace culprit
