// SPDX-License-Identifier: Apache-2.0
// What a stage is: one kernel, one idea, the stage it was changed from and the factors in which it differs.
// Stages know nothing of timing, counting or storage: they launch on given device pointers and return.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "db/shared_access.h"

struct __half;  // cuda_fp16.h is large, and only kernels compute with it

namespace culprit {

struct GemmShape {
  int m = 0, n = 0, k = 0;
  bool operator==(const GemmShape&) const = default;
};

// C (m x n) = alpha * A (m x k) * B (k x n) + beta * C, all row-major and dense; A and B of `Element`, accumulated and
// stored in single precision. A, B and C are aligned to their elements; the stages that access 16 bytes at once
// (float4, 8 halves) need 16, those with WMMA fragments 32, as the stage's launch checks. cudaMalloc aligns to 256.
template <class Element>
struct GemmProblemOf {
  GemmShape shape;
  float alpha = 1.0f;
  const Element* a = nullptr;  // device, m x k
  const Element* b = nullptr;  // device, k x n
  float beta = 0.0f;           // as in BLAS: with beta == 0, C is not read
  float* c = nullptr;          // device, m x n
};
using GemmProblem = GemmProblemOf<float>;
using HgemmProblem = GemmProblemOf<__half>;

// What A and B consist of.
enum class ElementType { kFloat, kHalf };

template <class Element>
using LaunchOf = void (*)(const GemmProblemOf<Element>&, cudaStream_t);

struct LaunchConfig {
  dim3 grid{0, 0, 0};
  dim3 block{0, 0, 0};
  std::size_t dynamic_shared_bytes = 0;
};

// Shapes a stage takes: every extent a multiple of these. 1 means any size, including 0 for k.
struct ShapeConstraint {
  int m_multiple = 1, n_multiple = 1, k_multiple = 1;
};

// GPUs that run a stage, by compute capability times ten: 90 is 9.0.
struct DeviceConstraint {
  int least = 0;          // 0: every GPU that this program is built for
  bool no_other = false;  // made for this one alone (sm_90a): later GPUs do not have its instructions
};

using Factors = std::vector<std::pair<std::string, std::string>>;

struct Stage {
  std::string id;      // database key and the kernel's symbol (extern "C"): never renamed, never reused
  std::string family;  // "ladder" | "v_study" | "view" | "hgemm" | "reference"
  std::string parent;  // id of the stage it was changed from; empty for a root
  std::string idea;    // one sentence
  Factors factors;     // the columns in which stages of the family differ
  ShapeConstraint constraint;
  DeviceConstraint device = {};
  std::string source_file;                             // relative to the repository root
  int source_line = 0;                                 // of the kernel
  const void* kernel = nullptr;                        // for cudaFuncGetAttributes; null for a library's kernel
  LaunchConfig (*config)(const GemmShape&) = nullptr;  // null for a library's kernel
  // How the block's first warp touches shared memory, in the widths that the compiled kernel uses; may be empty.
  // Computed by the same functions as the kernel's own indices, so that the two cannot drift apart.
  std::vector<SharedAccess> shared_accesses = {};
  // Enqueues the stage on `stream`; which of the two it is tells what A and B consist of. The shape must satisfy
  // Refusal(...) == "", the device DeviceRefusal(...) == "". Throws culprit::Error when a pointer is not aligned as
  // GemmProblemOf says, and when CUDA refuses the launch. DeviceInputs calls either.
  std::variant<LaunchOf<float>, LaunchOf<__half>> launch;
};

ElementType ElementOf(const Stage& stage);

// Why `stage` does not take `shape`, as a sentence; empty when it does.
std::string Refusal(const Stage& stage, const GemmShape& shape);

// Why a GPU of `compute_capability` (times ten) does not run `stage`, as a sentence; empty when it does.
std::string DeviceRefusal(const Stage& stage, int compute_capability);

// The same of the current device; empty where there is none, which is for others to say.
std::string DeviceRefusal(const Stage& stage);
// And of whatever goes by that name.
std::string DeviceRefusal(std::string_view name, const DeviceConstraint& device);

// "any size" or "m % 128 == 0, n % 128 == 0, k % 8 == 0".
std::string Describe(const ShapeConstraint& constraint);

// THE table of stages, in reading order. Adding a stage is one .cu file and one line in stages.cpp (and its file name
// in CMake).
std::span<const Stage> AllStages();

// Null when there is none.
const Stage* FindStage(std::string_view id);

}  // namespace culprit
