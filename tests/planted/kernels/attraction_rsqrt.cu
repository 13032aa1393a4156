// SPDX-License-Identifier: Apache-2.0
// The attraction of 512 bodies at each of n points, with the inverse root of the squared distance cubed. One root per
// pair: MUFU.RSQ takes 8 cycles of a pipe of 4 lanes per cycle and sub-partition, below the pair's 13 other
// instructions and its share of the loop. Three roots, one for each factor of the cube: 24 cycles, and the limit; the
// cube takes the same multiplications, so that all that comes with the two more roots is an addition of 0 to the
// argument of each.
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kBodies = 512;
constexpr float kSoftening = 0.25f;  // added to the squared distance

// MUFU.RSQ; volatile, so that each use is computed.
__device__ float InverseRoot(float x) {
  float y;
  asm volatile("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// bodies: x, y, z and mass. in and out: n values of x, then of y, then of z. `zero` is {0, 0}, which ptxas does not
// know: it would find roots of one value to be one root, volatile or not.
template <bool kThree>
__device__ void Attract(const float4* bodies, const float* in, float* out, int n, float2 zero) {
  __shared__ float4 shared[kBodies];
  for (int k = static_cast<int>(threadIdx.x); k < kBodies; k += kThreads) shared[k] = bodies[k];
  __syncthreads();
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float x = in[i], y = in[n + i], z = in[2 * n + i];
  float ax = 0, ay = 0, az = 0;
#pragma unroll 8
  for (int k = 0; k < kBodies; ++k) {
    const float4 body = shared[k];
    const float dx = body.x - x, dy = body.y - y, dz = body.z - z;
    const float squared = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, kSoftening)));
    const float root = InverseRoot(squared);
    const float second = kThree ? InverseRoot(squared + zero.x) : root;
    const float third = kThree ? InverseRoot(squared + zero.y) : root;
    const float pull = body.w * root * (second * third);
    ax = fmaf(dx, pull, ax);
    ay = fmaf(dy, pull, ay);
    az = fmaf(dz, pull, az);
  }
  out[i] = ax;
  out[n + i] = ay;
  out[2 * n + i] = az;
}
}  // namespace

constexpr int kOneLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    attraction_one_root(const float4* bodies, const float* in, float* out, int n, float2 zero) {
  Attract<false>(bodies, in, out, n, zero);
}
constexpr int kThreeLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    attraction_three_roots(const float4* bodies, const float* in, float* out, int n, float2 zero) {
  Attract<true>(bodies, in, out, n, zero);
}

namespace culprit {
namespace {

// n is a multiple of a block.
LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int n) {
  const auto bodies = std::make_shared<const std::vector<float>>(UniformFloats(4 * kBodies, 2));
  const auto device_bodies = Uploaded(*bodies);
  const auto launch = [=](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, device_bodies->As<float4>(), in, out, n, float2{0.0f, 0.0f});
  };
  const auto wanted = [=](const std::vector<float>& in, std::size_t i) -> Wanted {
    const std::size_t axis = i / n, point = i % n;
    Wanted w;
    for (int k = 0; k < kBodies; ++k) {
      const float* body = bodies->data() + 4 * k;
      double squared = kSoftening;
      for (std::size_t c = 0; c < 3; ++c) squared += std::pow(static_cast<double>(body[c]) - in[c * n + point], 2);
      const double term =
          body[3] * (static_cast<double>(body[axis]) - in[axis * n + point]) / (squared * std::sqrt(squared));
      w.value += term;
      // rsqrt.approx is good to 2^-22.9 (PTX ISA), less than 3 units, and enters three times; some 15 roundings come
      // with it, and one for each sum after it.
      w.bound += (3 * 3 + 15 + kBodies) * kFloatUnit * std::abs(term);
    }
    return w;
  };
  return PerElementRun(UniformFloats(3 * static_cast<std::size_t>(n), 1), 3 * static_cast<std::size_t>(n), 211, launch,
                       wanted);
}

}  // namespace

PlantedPair AttractionRsqrtPair() {
  const AlikeKernels both("sums the attraction of 512 bodies at each point", "inverse roots of a pair",
                          "kernels/planted/attraction_rsqrt.cu");
  return {.id = "attraction_rsqrt",
          .base = both.With("1", "attraction_one_root", kOneLine, ::attraction_one_root, Config,
                            Make<::attraction_one_root>),
          .candidate = both.With("3", "attraction_three_roots", kThreeLine, ::attraction_three_roots, Config,
                                 Make<::attraction_three_roots>),
          .sizes = {1 << 18, 1 << 20},
          .flop = nullptr,
          .min_bytes = [](int n) { return 6.0 * sizeof(float) * n; }};
}

}  // namespace culprit
