// SPDX-License-Identifier: Apache-2.0
// Pairs of small kernels with one known difference. Both of a pair compute the same function of the same inputs, so
// whatever made the candidate slower is what was planted in it. What that is stands in tests/planted/answers.csv alone.
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
  Factors factors;               // those of base and candidate differ in exactly one entry
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
};

// THE table of planted pairs. Adding a pair is one .cu file, one line in planted.cpp and one in that table.
std::span<const PlantedPair> PlantedPairs();

}  // namespace culprit
