// SPDX-License-Identifier: Apache-2.0
// The median of each value and its two neighbours to either side, by a network of comparisons which a template or a
// macro writes.
// Limits on an H100: device memory, 8 bytes a value: 0.27 GB in 0.09 ms at 32 Mi; the 14 comparisons take the ALU 28
// cycles a warp and sub-partition, half of that. Both are the same machine code.
#include <algorithm>
#include <cstddef>

#include "tests/planted/kernels/job.h"

namespace {
constexpr int kThreads = 256;
constexpr int kWindow = 5;

template <class Value>
__device__ void Sort(Value& a, Value& b) {
  const Value smaller = fminf(a, b);
  b = fmaxf(a, b);
  a = smaller;
}
#define CULPRIT_SORT(a, b)             \
  {                                    \
    const float smaller = fminf(a, b); \
    b = fmaxf(a, b);                   \
    a = smaller;                       \
  }
}  // namespace

constexpr int kTemplateLine = __LINE__ + 1;
extern "C" __global__ void median_template(const float* in, float* out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  float a = in[i], b = in[i + 1], c = in[i + 2], d = in[i + 3], e = in[i + 4];
  Sort(a, b);
  Sort(d, e);
  Sort(a, d);
  Sort(b, e);
  Sort(b, c);
  Sort(c, d);
  Sort(b, c);
  out[i] = c;
}
constexpr int kMacroLine = __LINE__ + 1;
extern "C" __global__ void median_macro(const float* in, float* out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  float a = in[i], b = in[i + 1], c = in[i + 2], d = in[i + 3], e = in[i + 4];
  CULPRIT_SORT(a, b)
  CULPRIT_SORT(d, e)
  CULPRIT_SORT(a, d)
  CULPRIT_SORT(b, e)
  CULPRIT_SORT(b, c)
  CULPRIT_SORT(c, d)
  CULPRIT_SORT(b, c)
  out[i] = c;
}

namespace culprit {
namespace {

// n windows.
LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

struct Job {
  static constexpr std::size_t kEvery = 7;
  static std::vector<float> Inputs(int n) { return UniformFloats(static_cast<std::size_t>(n) + kWindow - 1, 1); }
  static std::size_t Outputs(int n) { return n; }
  static Wanted Want(const std::vector<float>& in, std::size_t i, int) {
    float window[kWindow];
    std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(i), kWindow, window);
    std::nth_element(window, window + kWindow / 2, window + kWindow);
    return {window[kWindow / 2]};
  }
};

}  // namespace

PlantedPair MedianMacroPair() {
  const AlikeKernels both("takes medians of five neighbours", "comparison", "kernels/planted/median_macro.cu");
  return {.id = "median_macro",
          .base = ElementsKernel<Job, ::median_template, Config>(both, "a template", "median_template", kTemplateLine),
          .candidate = ElementsKernel<Job, ::median_macro, Config>(both, "a macro", "median_macro", kMacroLine),
          .sizes = {16 << 20, 32 << 20},
          .flop = nullptr,
          .min_bytes = [](int n) { return 2.0 * sizeof(float) * n; }};
}

}  // namespace culprit
