// SPDX-License-Identifier: Apache-2.0
// Small kernels with known differences. All of a pair or a mixture compute the same function of the same inputs, so
// whatever made one slower is what was planted in it. What that is stands in tests/planted/*.csv alone.
#pragma once
#include <cuda_runtime_api.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kernels/stage.h"

namespace culprit {

// Comparing the output of one launch with a reference that the host computed in double precision.
struct PlantedCheck {
  double error_over_bound = 0;  // largest |out - reference| / bound over the elements: 1 is the limit
  std::string message = {};     // when that is above 1: which element, got, wanted, allowed
};

// One kernel with its inputs and outputs in place, on the current device. What it holds is freed with it.
struct PlantedRun {
  std::function<void(cudaStream_t)> launch;  // enqueues the work once; repeatable: each launch does the same work
  std::function<PlantedCheck()> check;       // poisons the output, launches once, waits, compares
};

struct PlantedKernel {
  std::string id;                // database key and symbol of the kernel (extern "C")
  std::string idea;              // one sentence; states what the code does, not what is wrong with it
  Factors factors;               // those of base and candidate, or along a side of a mixture, differ in one entry
  std::string source_file;       // relative to the repository root
  int source_line = 0;           // of the kernel
  const void* kernel = nullptr;  // for cudaFuncGetAttributes
  LaunchConfig (*config)(int size) = nullptr;
  // Throws culprit::Error when there is no memory for it.
  PlantedRun (*make)(int size) = nullptr;
};

struct PlantedPair {
  std::string id;  // of the pair; never renamed
  PlantedKernel base, candidate;
  std::vector<int> sizes;                   // what `size` means is the pair's own; 2 sizes or more, smallest first
  double (*flop)(int size) = nullptr;       // useful floating-point operations of one launch; null: none
  double (*min_bytes)(int size) = nullptr;  // compulsory device-memory traffic of one launch; null: not stated
  DeviceConstraint device = {};             // GPUs that run it; on others it is left out
};

// Of pairs in which instructions that compute capability 9.0 alone has are used.
inline constexpr DeviceConstraint kHopper = {90, true};

// THE table of planted pairs. Adding a pair is one .cu file, one line in planted.cpp and one in that table.
std::span<const PlantedPair> PlantedPairs();

// Two changes, each alone and both together: base -> a and b -> both are one of them, base -> b and a -> both the
// other. How much of base -> both is due to either follows from the four times.
struct PlantedMixture {
  std::string id;  // of the mixture; never renamed
  PlantedKernel base, a, b, both;
  std::vector<int> sizes;                   // as of a pair
  double (*flop)(int size) = nullptr;       // as of a pair
  double (*min_bytes)(int size) = nullptr;  // as of a pair
};

// THE table of mixtures. Adding one is what adding a pair is; its answer stands in tests/planted/mixtures.csv.
std::span<const PlantedMixture> PlantedMixtures();

}  // namespace culprit
