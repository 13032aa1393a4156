// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients on a grid of points with five-point differences. Ten iterations are a CUDA graph.
#include "kinds.h"

namespace kinds {
namespace {

constexpr int kSide = 768, kPoints = kSide * kSide;
constexpr unsigned kThreads = 256, kBlocks = kPoints / kThreads;
constexpr int kIterations = 10, kReplays = 12;  // of a graph, and for each solution
constexpr double kSolutionsASecond = 350;
constexpr float kDiagonal = 4.2f;

struct Vectors {
  float *x, *r, *p, *ap;
  float* partial;  // by block
  float* scalars;  // the square of r, p times Ap, the square of the next r
};

__global__ void Start(Vectors v, const float* b) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  v.x[i] = 0;
  v.r[i] = v.p[i] = b[i];
}

// For all threads of the block. Adds in the same order in every run.
__device__ float SumOfBlock(float value) {
  __shared__ float sums[kThreads];
  sums[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  return sums[0];
}

__device__ void KeepSumOfBlock(float value, const Vectors& v) {
  const float sum = SumOfBlock(value);
  if (threadIdx.x == 0) v.partial[blockIdx.x] = sum;
}

__global__ void ApplyAndDot(Vectors v) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x), x = i % kSide, y = i / kSide;
  float sum = kDiagonal * v.p[i];
  if (x > 0) sum -= v.p[i - 1];
  if (x < kSide - 1) sum -= v.p[i + 1];
  if (y > 0) sum -= v.p[i - kSide];
  if (y < kSide - 1) sum -= v.p[i + kSide];
  v.ap[i] = sum;
  KeepSumOfBlock(v.p[i] * sum, v);
}

__global__ void SquareOfResidual(Vectors v) {
  const float r = v.r[blockIdx.x * kThreads + threadIdx.x];
  KeepSumOfBlock(r * r, v);
}

__global__ void AddPartials(Vectors v, int which) {
  float sum = 0;
  for (unsigned i = threadIdx.x; i < kBlocks; i += kThreads) sum += v.partial[i];
  const float total = SumOfBlock(sum);
  if (threadIdx.x == 0) v.scalars[which] = total;
}

__device__ float Ratio(float a, float b) { return b > 0 ? a / b : 0; }

__global__ void Step(Vectors v) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const float alpha = Ratio(v.scalars[0], v.scalars[1]);
  v.x[i] += alpha * v.p[i];
  const float r = v.r[i] - alpha * v.ap[i];
  v.r[i] = r;
  KeepSumOfBlock(r * r, v);
}

__global__ void Turn(Vectors v) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  v.p[i] = v.r[i] + Ratio(v.scalars[2], v.scalars[0]) * v.p[i];
}

__global__ void Keep(Vectors v) { v.scalars[0] = v.scalars[2]; }

void Iterate(const Vectors& v, cudaStream_t stream) {
  ApplyAndDot<<<kBlocks, kThreads, 0, stream>>>(v);
  AddPartials<<<1, kThreads, 0, stream>>>(v, 1);
  Step<<<kBlocks, kThreads, 0, stream>>>(v);
  AddPartials<<<1, kThreads, 0, stream>>>(v, 2);
  Turn<<<kBlocks, kThreads, 0, stream>>>(v);
  Keep<<<1, 1, 0, stream>>>(v);
}

cudaGraphExec_t GraphOf(const Vectors& v, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  Check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < kIterations; ++i) Iterate(v, stream);
  Check(cudaStreamEndCapture(stream, &graph));
  Check(cudaGraphInstantiate(&exec, graph, 0));
  Check(cudaGraphDestroy(graph));
  return exec;
}

// Of b - A x, over that of b. On the host, in double precision.
double Residual(const std::vector<float>& x, const std::vector<float>& b) {
  double square = 0, whole = 0;
  const auto at = [&](int column, int row) {
    const bool is_inside = column >= 0 && column < kSide && row >= 0 && row < kSide;
    return is_inside ? static_cast<double>(x[static_cast<std::size_t>(row * kSide + column)]) : 0.0;
  };
  for (int row = 0; row < kSide; ++row)
    for (int column = 0; column < kSide; ++column) {
      const double wanted = b[static_cast<std::size_t>(row * kSide + column)];
      const double left = wanted - static_cast<double>(kDiagonal) * at(column, row) + at(column - 1, row) +
                          at(column + 1, row) + at(column, row - 1) + at(column, row + 1);
      square += left * left, whole += wanted * wanted;
    }
  return std::sqrt(square / whole);
}

}  // namespace

bool GraphSolver(double seconds) {
  std::vector<float> right(kPoints);
  for (std::uint32_t i = 0; i < kPoints; ++i) right[i] = NumberAt(i);
  const Array<float> b(right), x(kPoints), r(kPoints), p(kPoints), ap(kPoints), partial(kBlocks), scalars(3);
  const Vectors v{x.get(), r.get(), p.get(), ap.get(), partial.get(), scalars.get()};
  cudaStream_t stream;
  Check(cudaDeviceSynchronize());
  Check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const cudaGraphExec_t exec = GraphOf(v, stream);
  GpuTime time(stream);
  const int solutions = Rounds(seconds, kSolutionsASecond);
  for (int i = 0; i < solutions; ++i) {
    Start<<<kBlocks, kThreads, 0, stream>>>(v, b.get());
    SquareOfResidual<<<kBlocks, kThreads, 0, stream>>>(v);
    AddPartials<<<1, kThreads, 0, stream>>>(v, 0);
    time.Mark();
    for (int replay = 0; replay < kReplays; ++replay) Check(cudaGraphLaunch(exec, stream));
    time.Mark();
    Check(cudaStreamSynchronize(stream));
  }
  Check(cudaGraphExecDestroy(exec));
  std::printf("%d solutions of %d iterations\n", solutions, kIterations * kReplays);
  return Is("what is left of the right-hand side", Residual(x.Values(), right), 0, 1e-4);
}

}  // namespace kinds
