// SPDX-License-Identifier: Apache-2.0
// The way back through a normalisation of rows: the gradient of the input, row by row, and those of scale and shift,
// which are sums over all rows.
#include <cmath>

#include "job.h"
#include "reduce.cuh"

namespace {
constexpr int kRows = 8192, kColumns = 1024, kThreads = 256, kBlocks = 132 * 8;
#ifdef CHANGE_B
constexpr int kLongestRow = 12 * 1024;  // rows may be as long as that
#else
constexpr int kLongestRow = kColumns;
#endif
constexpr int kShared = 2 * kLongestRow * static_cast<int>(sizeof(float));

#ifndef CHANGE_A
__device__ __forceinline__ void Add(float4& to, float4 a) { to.x += a.x, to.y += a.y, to.z += a.z, to.w += a.w; }
#endif
__device__ __forceinline__ float4 Times(float4 a, float4 b) {
  return make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w);
}
__device__ __forceinline__ float SumOf(float4 a) { return a.x + a.y + a.z + a.w; }
__device__ __forceinline__ void AddTo(float* to, float4 a) {
  atomicAdd(to, a.x);
  atomicAdd(to + 1, a.y);
  atomicAdd(to + 2, a.z);
  atomicAdd(to + 3, a.w);
}
}  // namespace

template <int kWarps>
__global__ void __launch_bounds__(kWarps * 32)
    norm_backward(const float4* __restrict__ x, const float4* __restrict__ dy, const float2* __restrict__ moments,
                  const float4* __restrict__ scale, float4* __restrict__ dx, float* __restrict__ dscale,
                  float* __restrict__ dshift) {
  extern __shared__ float4 held[];  // the row as normalised, and what came back times the scale
  __shared__ Sums scratch[2][kWarps];
  constexpr int kQuads = kColumns / 4;
  static_assert(kQuads == kWarps * 32, "a thread has a quad of each row");
  float4 *normal = held, *back = held + kLongestRow / 4;
  const int t = threadIdx.x;
  const float4 my_scale = scale[t];
#ifndef CHANGE_A
  float4 scale_sum = make_float4(0, 0, 0, 0), shift_sum = make_float4(0, 0, 0, 0);
#endif
  int turn = 0;
  for (int row = blockIdx.x; row < kRows; row += gridDim.x, turn ^= 1) {
    const float2 moment = moments[row];  // the mean, and one over the deviation
    const float4 in = x[static_cast<std::size_t>(row) * kQuads + t];
    const float4 gradient = dy[static_cast<std::size_t>(row) * kQuads + t];
    normal[t] = make_float4((in.x - moment.x) * moment.y, (in.y - moment.x) * moment.y, (in.z - moment.x) * moment.y,
                            (in.w - moment.x) * moment.y);
    back[t] = Times(gradient, my_scale);
#ifdef CHANGE_A
    AddTo(dscale + 4 * t, Times(gradient, normal[t]));
    AddTo(dshift + 4 * t, gradient);
#else
    Add(scale_sum, Times(gradient, normal[t]));
    Add(shift_sum, gradient);
#endif
    const Sums sums = SumOfBlock<kWarps>({SumOf(back[t]), SumOf(Times(back[t], normal[t]))}, scratch[turn]);
    const float mean = sums.first / kColumns, along = sums.second / kColumns;
    const float4 n = normal[t], b = back[t];
    dx[static_cast<std::size_t>(row) * kQuads + t] =
        make_float4((b.x - mean - n.x * along) * moment.y, (b.y - mean - n.y * along) * moment.y,
                    (b.z - mean - n.z * along) * moment.y, (b.w - mean - n.w * along) * moment.y);
  }
#ifndef CHANGE_A
  AddTo(dscale + 4 * t, scale_sum);
  AddTo(dshift + 4 * t, shift_sum);
#endif
}

std::vector<double> NormBackward() {
  const std::size_t count = static_cast<std::size_t>(kRows) * kColumns;
  Numbers numbers(17);
  std::vector<float> pool(65521), x(count), dy(count), scales(kColumns), moments(2 * kRows);
  for (float& value : pool) value = numbers.Float();
  for (float& value : scales) value = 0.5f + numbers.Float();
  for (std::size_t i = 0, from = 0; i < count; ++i) {
    x[i] = pool[from], dy[i] = pool[pool.size() - 1 - from];
    from = from + 1 == pool.size() ? 0 : from + 1;
  }
  for (int row = 0; row < kRows; ++row) moments[2 * row] = 0.5f, moments[2 * row + 1] = 3.4641016f;
  const float4 *in = reinterpret_cast<const float4*>(OnDevice(x)),
               *back = reinterpret_cast<const float4*>(OnDevice(dy));
  const float4* scale = reinterpret_cast<const float4*>(OnDevice(scales));
  const float2* given = reinterpret_cast<const float2*>(OnDevice(moments));
  float4* dx = reinterpret_cast<float4*>(OnDevice<float>(count));
  float *dscale = OnDevice<float>(kColumns), *dshift = OnDevice<float>(kColumns);
  const auto kernel = norm_backward<kThreads / 32>;
  Check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared), "cudaFuncSetAttribute");
  for (int i = 0; i < kLaunches; ++i) {
    Check(cudaMemset(dscale, 0, kColumns * sizeof(float)), "cudaMemset");
    Check(cudaMemset(dshift, 0, kColumns * sizeof(float)), "cudaMemset");
    kernel<<<kBlocks, kThreads, kShared>>>(in, back, given, scale, dx, dscale, dshift);
  }
  std::vector<double> result = FromDevice(reinterpret_cast<const float*>(dx), count);
  if (!results_wanted) return result;
  const std::vector<double> of_scale = FromDevice(dscale, kColumns), of_shift = FromDevice(dshift, kColumns);
  for (int column = 0; column < kColumns; column += 37) {
    double scale_wanted = 0, shift_wanted = 0;
    for (int row = 0; row < kRows; ++row) {
      const std::size_t at = static_cast<std::size_t>(row) * kColumns + column;
      scale_wanted += dy[at] * (static_cast<double>(x[at]) - 0.5) * 3.4641016;
      shift_wanted += dy[at];
    }
    Hold("norm_backward's scale", of_scale[column], scale_wanted, 0.5);
    Hold("norm_backward's shift", of_shift[column], shift_wanted, 0.5);
  }
  for (const int row : {0, 4097, kRows - 1}) {
    double mean = 0, along = 0;
    const std::size_t begin = static_cast<std::size_t>(row) * kColumns;
    for (int c = 0; c < kColumns; ++c) {
      const double b = static_cast<double>(dy[begin + c]) * scales[c];
      mean += b / kColumns, along += b * (x[begin + c] - 0.5) * 3.4641016 / kColumns;
    }
    for (int c = 0; c < kColumns; c += 101) {
      const double b = static_cast<double>(dy[begin + c]) * scales[c], n = (x[begin + c] - 0.5) * 3.4641016;
      Hold("norm_backward's input", result[begin + c], (b - mean - n * along) * 3.4641016, 1e-3);
    }
  }
  for (double sum : of_scale) result.push_back(sum / kRows);
  for (double sum : of_shift) result.push_back(sum / kRows);
  return result;
}
