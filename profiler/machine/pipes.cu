// SPDX-License-Identifier: Apache-2.0
// Throughput of pipes: 32 warps on every SM, each with 8 independent chains of one instruction.
#include <cstdint>

#include "db/machine_figure.h"
#include "profiler/machine/block_cycles.cuh"
#include "profiler/machine/probes.h"

namespace culprit {
namespace {

constexpr int kThreads = 1024;
constexpr int kChains = 8;
// Unrolled steps of all chains, so that loop overhead is 1 % of the instructions.
constexpr int kSteps = 64;
// The start and end of a measurement are uncertain by about 100 cycles.
constexpr double kLongEnough = 60000;

// Operands that the compiler does not know, so that it cannot fold the chains.
struct Operands {
  float a, b;
  double wide_a, wide_b;
  unsigned mask;
};

struct Ffma {
  float x[kChains];
  __device__ explicit Ffma(Operands o) {
    for (int i = 0; i < kChains; ++i) x[i] = o.a * static_cast<float>(i + 1);
  }
  __device__ void Step(Operands o) {
#pragma unroll
    for (float& v : x) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(v) : "f"(o.a), "f"(o.b));
  }
  __device__ unsigned Sum() const {
    float s = 0;
    for (const float v : x) s += v;
    return __float_as_uint(s);
  }
};

// The bitwise majority of three: a chain of these cannot be shortened.
struct Lop3 {
  unsigned x[kChains];
  __device__ explicit Lop3(Operands o) {
    for (int i = 0; i < kChains; ++i) x[i] = o.mask * static_cast<unsigned>(i + 1);
  }
  __device__ void Step(Operands o) {
#pragma unroll
    for (int i = 0; i < kChains; ++i)
      asm volatile("lop3.b32 %0, %0, %1, %2, 0xe8;" : "+r"(x[i]) : "r"(x[(i + 3) % kChains]), "r"(o.mask));
  }
  __device__ unsigned Sum() const {
    unsigned s = 0;
    for (const unsigned v : x) s += v;
    return s;
  }
};

struct Dfma {
  double x[kChains];
  __device__ explicit Dfma(Operands o) {
    for (int i = 0; i < kChains; ++i) x[i] = o.wide_a * (i + 1);
  }
  __device__ void Step(Operands o) {
#pragma unroll
    for (double& v : x) asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(v) : "d"(o.wide_a), "d"(o.wide_b));
  }
  __device__ unsigned Sum() const {
    double s = 0;
    for (const double v : x) s += v;
    return static_cast<unsigned>(__double_as_longlong(s));
  }
};

struct Ex2 {
  float x[kChains];
  __device__ explicit Ex2(Operands o) {
    for (int i = 0; i < kChains; ++i) x[i] = o.a * static_cast<float>(i + 1);
  }
  __device__ void Step(Operands) {
#pragma unroll
    for (float& v : x) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(v));
  }
  __device__ unsigned Sum() const {
    float s = 0;
    for (const float v : x) s += v;
    return __float_as_uint(s);
  }
};

struct Hfma2 {
  unsigned x[kChains];
  __device__ explicit Hfma2(Operands o) {
    for (int i = 0; i < kChains; ++i) x[i] = o.mask * static_cast<unsigned>(i + 1);
  }
  __device__ void Step(Operands o) {
#pragma unroll
    for (unsigned& v : x) asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(v) : "r"(o.mask));
  }
  __device__ unsigned Sum() const {
    unsigned s = 0;
    for (const unsigned v : x) s += v;
    return s;
  }
};

struct Mma {
  float c[kChains][4];
  unsigned a[4], b[2];
  __device__ explicit Mma(Operands o) {
    for (auto& chain : c)
      for (float& v : chain) v = o.b;
    for (unsigned& v : a) v = o.mask;
    for (unsigned& v : b) v = o.mask;
  }
  __device__ void Step(Operands) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#pragma unroll
    for (auto& d : c)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
          : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#elif __CUDA_ARCH__ >= 750
#pragma unroll
    for (auto& d : c)
      asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                   : "r"(a[0]), "r"(a[1]), "r"(b[0]));
#endif
  }
  __device__ unsigned Sum() const {
    float s = 0;
    for (const auto& chain : c)
      for (const float v : chain) s += v;
    return __float_as_uint(s);
  }
};

template <class Op>
__global__ void __launch_bounds__(kThreads, 1)
    CulpritPipe(int rounds, Operands operands, long long* cycles, unsigned* sink) {
  Op op(operands);
  BlockClock clock;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int s = 0; s < kSteps; ++s) op.Step(operands);
  }
  clock.Stop(cycles);
  if (op.Sum() == 0x9e3779b9) *sink = 1;  // never true, but the compiler cannot know
}

// Thread-level instructions per SM and cycle.
template <class Op>
double RateOf(const Device& device) {
  const OnDevice<unsigned> sink(1);
  const Operands operands{0.999f, 1e-3f, 0.999, 1e-3, 0x3c003c01};
  const auto cycles = [&](int rounds) {
    return MiddleOf(CyclesOfBlocks(device.sm_count, [&](long long* c) {
      CulpritPipe<Op><<<device.sm_count, kThreads>>>(rounds, operands, c, sink.get());
    }));
  };
  cycles(1);  // fills the instruction cache
  const int rounds = 1 + static_cast<int>(kLongEnough / cycles(1));
  return static_cast<double>(kThreads) * kSteps * kChains * rounds / cycles(rounds);
}

}  // namespace

void MeasurePipes(const Device& device, Figures& into) {
  AddFigure(into, figures::kFp32, RateOf<Ffma>(device));
  AddFigure(into, figures::kAlu, RateOf<Lop3>(device));
  AddFigure(into, figures::kFp64, RateOf<Dfma>(device));
  AddFigure(into, figures::kXu, RateOf<Ex2>(device));
  AddFigure(into, figures::kFp16, RateOf<Hfma2>(device));
  const int cc = 10 * device.cc_major + device.cc_minor;
  if (cc >= 75) AddFigure(into, figures::kWarpMatrix, RateOf<Mma>(device) / 32 * (cc < 80 ? 16 * 8 * 8 : 16 * 8 * 16));
}

}  // namespace culprit
