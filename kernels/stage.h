// SPDX-License-Identifier: Apache-2.0
// A stage: one kernel, one idea, its parent stage and the factors in which it differs.
// Stages do not time, count or store: they launch on given device pointers and return.
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

struct __half;  // not included here: cuda_fp16.h is large, and only kernels need it

namespace culprit {

struct GemmShape {
  int m = 0, n = 0, k = 0;
  bool operator==(const GemmShape&) const = default;
};

// C (m x n) = alpha * A (m x k) * B (k x n) + beta * C, all row-major and dense. The elements of A and B are of type
// `Element`; sums and C are single precision. A, B and C are aligned to their elements. Stages with 16-byte accesses
// (float4, 8 halves) need an alignment of 16 bytes, and stages with WMMA fragments need 32. The launch checks this.
// cudaMalloc aligns to 256.
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

// The element type of A and B.
enum class ElementType { kFloat, kHalf };

template <class Element>
using LaunchOf = void (*)(const GemmProblemOf<Element>&, cudaStream_t);

struct LaunchConfig {
  dim3 grid{0, 0, 0};
  dim3 block{0, 0, 0};
  std::size_t dynamic_shared_bytes = 0;
};

// A stage supports shapes with extents that are multiples of these. 1 means any size, including 0 for k.
struct ShapeConstraint {
  int m_multiple = 1, n_multiple = 1, k_multiple = 1;
};

// The GPUs that run a stage, by compute capability times ten: 90 is 9.0.
struct DeviceConstraint {
  int least = 0;          // 0: every GPU that this program is built for
  bool no_other = false;  // only `least` (sm_90a), because later GPUs lack its instructions
};

using Factors = std::vector<std::pair<std::string, std::string>>;

struct Stage {
  std::string id;      // database key and the kernel's symbol (extern "C"): never renamed, never reused
  std::string family;  // "ladder" | "v_study" | "view" | "hgemm" | "reference"
  std::string parent;  // id of the stage it was changed from; empty for a root
  std::string idea;    // one sentence
  Factors factors;     // the factors in which stages of the family differ
  ShapeConstraint constraint;
  DeviceConstraint device = {};
  std::string source_file;                             // relative to the repository root
  int source_line = 0;                                 // of the kernel
  const void* kernel = nullptr;                        // for cudaFuncGetAttributes; null for a library's kernel
  LaunchConfig (*config)(const GemmShape&) = nullptr;  // null for a library's kernel
  // The shared-memory accesses of the block's first warp, with the widths of the compiled kernel. May be empty. The
  // kernel's own index functions compute them, so that both stay equal.
  std::vector<SharedAccess> shared_accesses = {};
  // Enqueues the stage on `stream`. The variant's alternative is the element type of A and B. Requires that Refusal and
  // DeviceRefusal return "". Throws culprit::Error if a pointer is not aligned as GemmProblemOf requires, or if CUDA
  // refuses the launch. DeviceInputs calls the right alternative.
  std::variant<LaunchOf<float>, LaunchOf<__half>> launch;
};

ElementType ElementOf(const Stage& stage);

// A sentence that says why `stage` does not support `shape`. Empty if it does.
std::string Refusal(const Stage& stage, const GemmShape& shape);

// A sentence that says why a GPU of `compute_capability` (times ten) cannot run `stage`. Empty if it can.
std::string DeviceRefusal(const Stage& stage, int compute_capability);

// The same for the current device. Empty without a device, because other code reports that.
std::string DeviceRefusal(const Stage& stage);
// The same for anything with this name and constraint.
std::string DeviceRefusal(std::string_view name, const DeviceConstraint& device);

// "any size" or "m % 128 == 0, n % 128 == 0, k % 8 == 0".
std::string Describe(const ShapeConstraint& constraint);

// The one table of stages, in reading order. To add a stage, add a .cu file, a line in stages.cpp and the file name in
// CMake.
std::span<const Stage> AllStages();

// Null if there is no such stage.
const Stage* FindStage(std::string_view id);

}  // namespace culprit
