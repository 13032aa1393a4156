// SPDX-License-Identifier: Apache-2.0
// Six kernels of the usual kinds of numerical programs, in turns: a stencil, a sparse product, bodies that pull each
// other, a histogram, a transposition and paths of prices.
#include <algorithm>
#include <numeric>

#include "kinds.h"

namespace kinds {
namespace {

constexpr double kRoundsASecond = 3000;

// The mean of a point's six neighbours. Inside, the planes of a linear field stay as they are.
constexpr int kSide = 256;
__global__ void Smooth(const float* from, float* to) {
  const int x = static_cast<int>(blockIdx.x * 32 + threadIdx.x), y = static_cast<int>(blockIdx.y * 8 + threadIdx.y);
  const int z = static_cast<int>(blockIdx.z);
  const int at = (z * kSide + y) * kSide + x;
  const bool is_inside = x > 0 && y > 0 && z > 0 && x < kSide - 1 && y < kSide - 1 && z < kSide - 1;
  to[at] = is_inside ? (from[at - 1] + from[at + 1] + from[at - kSide] + from[at + kSide] + from[at - kSide * kSide] +
                        from[at + kSide * kSide]) /
                           6
                     : from[at];
}

// Rows of 24 entries at places that NumberAt chooses. Their sum is 1, so that a vector of ones stays.
constexpr int kRows = 1 << 19, kEntries = 24;
__global__ void Multiply(const int* columns, const float* x, float* y) {
  const int row = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
  float sum = 0;
  for (int entry = 0; entry < kEntries; ++entry) sum += x[columns[entry * kRows + row]] / kEntries;
  y[row] = sum;
}

// Forces between bodies. Each pair's are opposite, so they add up to zero.
constexpr int kBodies = 8192;
__global__ void Pull(const float4* bodies, float4* forces) {
  __shared__ float4 tile[256];
  const float4 own = bodies[blockIdx.x * 256 + threadIdx.x];
  float4 force{};
  for (int first = 0; first < kBodies; first += 256) {
    tile[threadIdx.x] = bodies[static_cast<unsigned>(first) + threadIdx.x];
    __syncthreads();
    for (const float4& other : tile) {
      const float x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;
      const float inverse = rsqrtf(x * x + y * y + z * z + 0.01f), cube = inverse * inverse * inverse;
      force.x += x * cube, force.y += y * cube, force.z += z * cube;
    }
    __syncthreads();
  }
  forces[blockIdx.x * 256 + threadIdx.x] = force;
}

constexpr int kValues = 1 << 23, kBins = 256;
__global__ void Count(const std::uint32_t* values, unsigned* bins) {
  __shared__ unsigned own[kBins];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * kBins + threadIdx.x; i < kValues; i += gridDim.x * kBins)
    atomicAdd(&own[values[i] % kBins], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

constexpr int kOrder = 2048;
__global__ void Transpose(const float* from, float* to) {
  __shared__ float tile[32][33];
  for (unsigned row = threadIdx.y; row < 32; row += 8)
    tile[row][threadIdx.x] = from[(blockIdx.y * 32 + row) * kOrder + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  for (unsigned row = threadIdx.y; row < 32; row += 8)
    to[(blockIdx.x * 32 + row) * kOrder + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][row];
}

// The mean factor of a step is 1, so the mean price stays.
constexpr int kPaths = 1 << 17, kSteps = 64;
__global__ void Walk(double* prices) {
  const unsigned path = blockIdx.x * 256 + threadIdx.x;
  double price = 1;
  for (unsigned step = 0; step < kSteps; ++step)
    price *= 1 + 0.02 * (static_cast<double>(NumberAt(path * kSteps + step)) - 0.5);
  prices[path] = price;
}

template <class T>
double Mean(const std::vector<T>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<float> Numbers(std::size_t count) {
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = NumberAt(static_cast<std::uint32_t>(i));
  return numbers;
}

std::vector<float> LinearField() {
  std::vector<float> field(std::size_t{kSide} * kSide * kSide);
  for (std::size_t i = 0; i < field.size(); ++i)
    field[i] = static_cast<float>(i % kSide + i / kSide % kSide + i / kSide / kSide);
  return field;
}

std::vector<int> Columns() {
  std::vector<int> columns(std::size_t{kEntries} * kRows);
  for (std::size_t i = 0; i < columns.size(); ++i)
    columns[i] = static_cast<int>(NumberAt(static_cast<std::uint32_t>(i)) * kRows);
  return columns;
}

std::vector<float4> Bodies() {
  std::vector<float4> bodies(kBodies);
  for (std::uint32_t i = 0; i < kBodies; ++i)
    bodies[i] = {NumberAt(3 * i), NumberAt(3 * i + 1), NumberAt(3 * i + 2), 1};
  return bodies;
}

}  // namespace

bool Numerics(double seconds) {
  const std::vector<float> linear = LinearField();
  const std::vector<float> numbers = Numbers(std::size_t{kOrder} * kOrder);
  std::vector<std::uint32_t> values(kValues);
  for (std::uint32_t i = 0; i < kValues; ++i) values[i] = i;
  const Array<float> field(linear), smooth(linear.size());
  const Array<int> columns(Columns());
  const Array<float> ones(std::vector<float>(kRows, 1)), product(kRows);
  const Array<float4> bodies(Bodies()), forces(kBodies);
  const Array<std::uint32_t> counted(values);
  const Array<unsigned> bins(kBins);
  const Array<float> matrix(numbers), turned(numbers.size());
  const Array<double> prices(kPaths);
  const int rounds = Rounds(seconds, kRoundsASecond);
  GpuTime time;
  time.Mark();
  for (int round = 0; round < rounds; ++round) {
    Smooth<<<dim3(kSide / 32, kSide / 8, kSide), dim3(32, 8)>>>(field.get(), smooth.get());
    Multiply<<<kRows / 256, 256>>>(columns.get(), ones.get(), product.get());
    Pull<<<kBodies / 256, 256>>>(bodies.get(), forces.get());
    Check(cudaMemsetAsync(bins.get(), 0, kBins * sizeof(unsigned)));
    Count<<<512, kBins>>>(counted.get(), bins.get());
    Transpose<<<dim3(kOrder / 32, kOrder / 32), dim3(32, 8)>>>(matrix.get(), turned.get());
    Walk<<<kPaths / 256, 256>>>(prices.get());
  }
  time.Mark();
  Check(cudaGetLastError());
  bool is_right = Is("mean of the smooth field", Mean(smooth.Values()), Mean(linear), 1e-4);
  is_right = Is("mean of the product", Mean(product.Values()), 1, 1e-4) && is_right;
  double force = 0, forces_added = 0;
  for (const float4& f : forces.Values())
    force += static_cast<double>(f.x), forces_added += std::abs(static_cast<double>(f.x));
  is_right = Is("sum of forces, of the sum of their sizes", force / forces_added, 0, 1e-4) && is_right;
  const std::vector<unsigned> counts = bins.Values();
  is_right = Is("largest bin", *std::ranges::max_element(counts), kValues / kBins, 0) && is_right;
  const std::vector<float> back = turned.Values();
  std::size_t right = 0;
  for (std::size_t i = 0; i < back.size(); ++i) right += back[i] == numbers[i % kOrder * kOrder + i / kOrder] ? 1 : 0;
  is_right =
      Is("elements in their place", static_cast<double>(right), static_cast<double>(numbers.size()), 0) && is_right;
  std::printf("%d rounds\n", rounds);
  return Is("mean price", Mean(prices.Values()), 1, 1e-2) && is_right;
}

}  // namespace kinds
