// SPDX-License-Identifier: Apache-2.0
// Kernels of which only a part is slow, in real code. Each does one kind of work in a hundred rounds, well or badly.
//   part_KIND_N_1    works badly in every Nth round; part_KIND_N_0 in none, and has a branch of its own for these rounds
//   then_KIND_OTHER_MN  has two phases: rounds of one kind, then rounds of another; M and N are 1 where the phase is bad
// Every block does the same in the same round, the grid is resident at once, and both ways compute the same results. So
// the planted cause is all that makes one slower than another.
// `parts [TEXT...]` launches and checks the kernels whose names begin with a TEXT (default: all). PARTS_TIMES=1 prints times.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int kThreads = 256;
constexpr int kBlocksPerSm = 4;
constexpr int kRounds = 100;
constexpr int kTile = 2048;   // floats per round and block: two tiles of 32 x 32
constexpr int kTiles = 2048;  // 16 MB, which stay in L2
constexpr int kEach = kTile / kThreads;
constexpr int kLaunches = 30;

void Check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "parts: %s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

struct Data {
  const float* in;      // kTiles tiles of floats from 0 to 1
  const float* turned;  // the same; a thread's eight values of a tile lie side by side
  const int* next;      // kTiles tiles: for each place, another place within its tile
  float* out;           // 2 phases x kTiles x kThreads
  float* totals;        // 16 of them are used
  int shift;            // 5: only the host knows
};

__constant__ float table[1024];

// The kinds of work. Do is called by all threads of a block, with 2 x 32 x 36 floats of shared memory. Before the rounds,
// Prepare is called.
struct Work {
  static __device__ __forceinline__ void Prepare(float*) {}
  // The element that this thread computes.
  template <bool kBad>
  static __device__ __forceinline__ int Element() {
    return static_cast<int>(threadIdx.x);
  }
};

// Turns two tiles of 32 x 32. Badly: rows with a padding of four floats, so that four lanes meet in a bank.
struct Turn : Work {
  template <bool kBad>
  static __device__ __forceinline__ float Do(const Data& d, int tile, float* shared) {
    constexpr int kRow = kBad ? 36 : 33;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    __syncthreads();
    for (int k = 0; k < kEach; ++k) {
      const int row = warp + k * (kThreads / 32);
      shared[row / 32 * 32 * kRow + row % 32 * kRow + lane] = d.in[tile * kTile + row * 32 + lane];
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < kEach; ++k) {
      const int column = warp + k * (kThreads / 32);
      sum += shared[column / 32 * 32 * kRow + lane * kRow + column % 32] * static_cast<float>(k + 1);
    }
    return sum;
  }
};

// A polynomial of eight values. Badly: with one constant of double precision.
struct Series : Work {
  template <bool kBad>
  static __device__ __forceinline__ float Do(const Data& d, int tile, float*) {
    float sum = 0;
    for (int k = 0; k < kEach; ++k) {
      const float x = d.in[tile * kTile + k * kThreads + threadIdx.x];
      float y = x;
      for (int i = 0; i < 6; ++i) {
        if (kBad && i == 0)
          y = static_cast<float>(y * 0.3 + x);
        else
          y = y * 0.3f + x;
      }
      sum += y;
    }
    return sum;
  }
};

// Sums of eight values per thread, past L1. Badly: half of each thread's values lie side by side.
struct Gather : Work {
  template <bool kBad>
  static __device__ __forceinline__ float Do(const Data& d, int tile, float*) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      const int thread = static_cast<int>(threadIdx.x);
      sum += kBad && k % 2 ? __ldcg(d.turned + tile * kTile + thread * kEach + k)
                           : __ldcg(d.in + tile * kTile + thread + k * kThreads);
    }
    return sum;
  }
};

// A window over eight values. Badly: the window is an array that a variable indexes.
struct Window : Work {
  template <bool kBad>
  static __device__ __forceinline__ float Do(const Data& d, int tile, float*) {
    float window[8];
    float sum = 0;
    const float* in = d.in + tile * kTile + threadIdx.x;
    if constexpr (kBad) {
      for (int k = 0; k < 8; ++k) window[(k * d.shift) & 7] = in[k * kThreads];
#pragma unroll 1
      for (int k = 0; k < 8; ++k) {
        sum += window[(k * d.shift + 1) & 7] * window[(k * d.shift + 3) & 7];
        window[(k * d.shift) & 7] = sum;
      }
    } else {
#pragma unroll
      for (int k = 0; k < 8; ++k) window[(k * 5) & 7] = in[k * kThreads];
#pragma unroll
      for (int k = 0; k < 8; ++k) {
        sum += window[(k * 5 + 1) & 7] * window[(k * 5 + 3) & 7];
        window[(k * 5) & 7] = sum;
      }
    }
    return sum;
  }
};

// A tile's total. Badly: every warp adds its part to the total in memory.
struct Total : Work {
  template <bool kBad>
  static __device__ __forceinline__ float Do(const Data& d, int tile, float* shared) {
    float sum = 0;
    for (int k = 0; k < kEach; ++k) sum += d.in[tile * kTile + k * kThreads + threadIdx.x];
    float all = sum;
    for (int s = 16; s; s /= 2) all += __shfl_xor_sync(~0u, all, s);
    if constexpr (kBad) {
      if (threadIdx.x % 32 == 0) atomicAdd(d.totals + tile % 16, all);
    } else {
      __syncthreads();
      if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = all;
      __syncthreads();
      if (threadIdx.x == 0) {
        float total = 0;
        for (int w = 0; w < kThreads / 32; ++w) total += shared[w];
        atomicAdd(d.totals + tile % 16, total);
      }
    }
    return sum;
  }
};

// Each warp smooths its own 32 values eight times. Badly: the whole block waits at each step.
struct Smooth : Work {
  template <bool kBad>
  static __device__ __forceinline__ float Do(const Data& d, int tile, float* shared) {
    const int lane = threadIdx.x % 32;
    float* own = shared + threadIdx.x - lane;
    float value = 0;
    for (int k = 0; k < kEach; ++k) value += d.in[tile * kTile + k * kThreads + threadIdx.x];
    // Warps have unequal work before they meet.
    for (int i = 0; i < static_cast<int>(threadIdx.x / 32) * 4; ++i) value = value * 0.99f + 0.01f;
    for (int step = 0; step < 8; ++step) {
      if constexpr (kBad)
        __syncthreads();
      else
        __syncwarp();
      own[lane] = value;
      if constexpr (kBad)
        __syncthreads();
      else
        __syncwarp();
      value = 0.5f * value + 0.25f * (own[(lane + 1) % 32] + own[(lane + 31) % 32]);
    }
    return value;
  }
};

// Two kinds of elements. Badly: neighbouring lanes have different kinds; else whole warps have one.
struct Kinds : Work {
  template <bool kBad>
  static __device__ __forceinline__ int Element() {
    const int thread = static_cast<int>(threadIdx.x);
    return kBad ? thread % 2 * 32 + thread / 2 % 32 + thread / 64 * 64 : thread;
  }
  template <bool kBad>
  static __device__ __forceinline__ float Do(const Data& d, int tile, float*) {
    float x = 0;
    const int element = Element<kBad>();
    for (int k = 0; k < kEach; ++k) x += d.in[tile * kTile + k * kThreads + element];
    float y = x;
    if (element / 32 % 2) {
#pragma unroll 1
      for (int i = 0; i < 24; ++i) y = y * 0.5f + x * 0.25f;
      return y;
    }
#pragma unroll 1
    for (int i = 0; i < 24; ++i) y = fmaxf(y * 0.75f - x, x * 0.125f);
    return y;
  }
};

// Values at rows, columns and planes that are computed. Badly: by division, though the widths are powers of two.
struct Places : Work {
  template <bool kBad>
  static __device__ __forceinline__ float Do(const Data& d, int tile, float*) {
    float sum = 0;
    const int width = 1 << d.shift;
    for (int k = 0; k < kEach; ++k) {
      const int i = k * kThreads + static_cast<int>(threadIdx.x);
      const int half = width / 2;
      const int plane = kBad ? i / (width * half) : i >> (2 * d.shift - 1);
      const int row = kBad ? i / width % half : (i >> d.shift) & (half - 1);
      const int column = kBad ? i % width : i & (width - 1);
      sum += d.in[tile * kTile + plane * width * half + (row ^ 1) * width + (column ^ 3)] * static_cast<float>(row);
    }
    return sum;
  }
};

// Eight values at places that a list names. Badly: two of the places are the list's entries for the place before, so that
// loads wait for each other.
struct Chain : Work {
  template <bool kBad>
  static __device__ __forceinline__ float Do(const Data& d, int tile, float*) {
    float sum = 0;
    int place = threadIdx.x;
    const int* next = d.next + tile * kTile;
    const float* in = d.in + tile * kTile;
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      // The list goes on by kThreads, so both read the same.
      const int at = kBad && k % 4 == 1 ? next[place] : next[threadIdx.x + k * kThreads];
      sum += in[at];
      place = at;
    }
    return sum;
  }
};

// Eight weights from a table. Badly: from constant memory, which serves lanes that ask for different entries in turn.
struct Weights : Work {
  static __device__ __forceinline__ void Prepare(float* shared) {
    for (int i = static_cast<int>(threadIdx.x); i < 1024; i += kThreads) shared[i] = table[i & ~255];
    __syncthreads();
  }
  template <bool kBad>
  static __device__ __forceinline__ float Do(const Data& d, int tile, float* shared) {
    float sum = 0;
    for (int k = 0; k < kEach; ++k) {
      const float x = d.in[tile * kTile + k * kThreads + threadIdx.x];
      const int entry = (static_cast<int>(x * 1024) & 1023);
      sum += x * (kBad ? table[entry & ~255] : shared[entry]);
    }
    return sum;
  }
};

template <class Kind, bool kBad>
__device__ __forceinline__ void Round(const Data& d, int round, float* shared, int phase = 0) {
  const int tile = static_cast<int>(blockIdx.x + round * gridDim.x) % kTiles;
  d.out[(phase * kTiles + tile) * kThreads + Kind::template Element<kBad>()] = Kind::template Do<kBad>(d, tile, shared);
}

template <class Kind, int kEvery, bool kBad>
__device__ __forceinline__ void Part(const Data& d) {
  __shared__ float shared[2 * 32 * 36];
  Kind::Prepare(shared);
  for (int round = 0; round < kRounds; ++round) {
    if (round % kEvery == 0) {
      asm volatile("// a branch of its own, whatever it does");
      Round<Kind, kBad>(d, round, shared);
    } else {
      Round<Kind, false>(d, round, shared);
    }
  }
}

template <class First, bool kFirstBad, class Second, bool kSecondBad>
__device__ __forceinline__ void Then(const Data& d) {
  __shared__ float shared[2 * 32 * 36];
  First::Prepare(shared);
  for (int round = 0; round < kRounds / 2; ++round) Round<First, kFirstBad>(d, round, shared);
  __syncthreads();
  Second::Prepare(shared);
  for (int round = 0; round < kRounds / 2; ++round) Round<Second, kSecondBad>(d, round, shared, 1);
}

struct Kernel {
  const char* name;
  void (*kernel)(Data);
  const char* same;  // the kernel whose results it must have
};
std::vector<Kernel> kernels;
struct Listed {
  Listed(const char* name, void (*kernel)(Data), const char* same) { kernels.push_back({name, kernel, same}); }
};

}  // namespace

#define KERNEL(NAME, SAME, ...)                                                                         \
  extern "C" __global__ void __launch_bounds__(kThreads, kBlocksPerSm) NAME(Data d) { __VA_ARGS__(d); } \
  const Listed listed_##NAME(#NAME, NAME, #SAME);

#define PART(NAME, KIND, N)                                              \
  KERNEL(part_##NAME##_##N##_0, part_##NAME##_1_0, Part<KIND, N, false>) \
  KERNEL(part_##NAME##_##N##_1, part_##NAME##_1_0, Part<KIND, N, true>)
#define PARTS(NAME, KIND) PART(NAME, KIND, 1) PART(NAME, KIND, 10) PART(NAME, KIND, 20) PART(NAME, KIND, 50)

#define PHASES(A, KIND_A, B, KIND_B)                                                   \
  KERNEL(then_##A##_##B##_00, then_##A##_##B##_00, Then<KIND_A, false, KIND_B, false>) \
  KERNEL(then_##A##_##B##_10, then_##A##_##B##_00, Then<KIND_A, true, KIND_B, false>)  \
  KERNEL(then_##A##_##B##_01, then_##A##_##B##_00, Then<KIND_A, false, KIND_B, true>)  \
  KERNEL(then_##A##_##B##_11, then_##A##_##B##_00, Then<KIND_A, true, KIND_B, true>)

PARTS(turn, Turn)
PARTS(series, Series)
PARTS(gather, Gather)
PARTS(window, Window)
PARTS(total, Total)
PARTS(smooth, Smooth)
PARTS(kinds, Kinds)
PARTS(places, Places)
PARTS(chain, Chain)
PARTS(weights, Weights)

PHASES(turn, Turn, series, Series)
PHASES(turn, Turn, gather, Gather)
PHASES(turn, Turn, places, Places)
PHASES(series, Series, window, Window)
PHASES(series, Series, kinds, Kinds)
PHASES(series, Series, chain, Chain)
PHASES(gather, Gather, kinds, Kinds)
PHASES(gather, Gather, places, Places)
PHASES(window, Window, turn, Turn)
PHASES(window, Window, total, Total)
PHASES(total, Total, series, Series)
PHASES(total, Total, places, Places)
PHASES(smooth, Smooth, gather, Gather)
PHASES(smooth, Smooth, window, Window)
PHASES(kinds, Kinds, turn, Turn)
PHASES(kinds, Kinds, smooth, Smooth)
PHASES(places, Places, chain, Chain)
PHASES(chain, Chain, weights, Weights)
PHASES(weights, Weights, turn, Turn)
PHASES(weights, Weights, smooth, Smooth)

int main(int count, char** arguments) {
  std::erase_if(kernels, [&](const Kernel& k) {
    for (int i = 1; i < count; ++i)
      if (std::strncmp(k.name, arguments[i], std::strlen(arguments[i])) == 0) return false;
    return count > 1;
  });
  if (kernels.empty()) {
    std::fprintf(stderr, "parts: no kernel has such a name\n");
    return 2;
  }
  Data d{};
  std::vector<float> in(kTiles * kTile), weights(1024);
  std::vector<int> next(in.size());
  unsigned state = 12345;
  for (float& value : in) value = static_cast<float>((state = state * 1664525u + 1013904223u) >> 8) * 0x1p-24f;
  for (std::size_t i = 0; i < next.size(); ++i) next[i] = static_cast<int>((i % kTile + kThreads) % kTile);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 1 + static_cast<float>(i % 7);
  std::vector<float> turned(in.size());
  for (std::size_t i = 0; i < in.size(); ++i)
    turned[i / kTile * kTile + i % kThreads * kEach + i % kTile / kThreads] = in[i];
  float *device_in = nullptr, *device_turned = nullptr, *totals = nullptr, *out = nullptr;
  int* device_next = nullptr;
  const std::size_t out_count = 2 * kTiles * kThreads;
  Check(cudaMalloc(&device_in, in.size() * sizeof(float)), "cudaMalloc");
  Check(cudaMalloc(&device_turned, in.size() * sizeof(float)), "cudaMalloc");
  Check(cudaMalloc(&device_next, next.size() * sizeof(int)), "cudaMalloc");
  Check(cudaMalloc(&out, out_count * sizeof(float)), "cudaMalloc");
  Check(cudaMalloc(&totals, kTiles * sizeof(float)), "cudaMalloc");
  Check(cudaMemcpy(device_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
  Check(cudaMemcpy(device_turned, turned.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
  Check(cudaMemcpy(device_next, next.data(), next.size() * sizeof(int), cudaMemcpyHostToDevice), "cudaMemcpy");
  Check(cudaMemset(totals, 0, kTiles * sizeof(float)), "cudaMemset");
  Check(cudaMemcpyToSymbol(table, weights.data(), weights.size() * sizeof(float)), "cudaMemcpyToSymbol");
  d = {device_in, device_turned, device_next, out, totals, 5};

  int sms = 0;
  Check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "cudaDeviceGetAttribute");
  cudaEvent_t begin, end;
  Check(cudaEventCreate(&begin), "cudaEventCreate");
  Check(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<std::vector<float>> computed(kernels.size());
  int wrong = 0;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    Check(cudaMemset(out, 0xff, out_count * sizeof(float)), "cudaMemset");
    float ms = 0;
    for (int launch = 0; launch < kLaunches; ++launch) {
      if (launch == kLaunches / 2) Check(cudaEventRecord(begin), "cudaEventRecord");
      kernels[k].kernel<<<sms * kBlocksPerSm, kThreads>>>(d);
    }
    Check(cudaEventRecord(end), "cudaEventRecord");
    Check(cudaDeviceSynchronize(), kernels[k].name);
    Check(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
    computed[k].resize(out_count);
    Check(cudaMemcpy(computed[k].data(), out, out_count * sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");
    std::size_t same = 0;
    while (same < k && std::strcmp(kernels[same].name, kernels[k].same) != 0) ++same;
    double worst = 0;
    for (std::size_t i = 0; i < out_count; ++i) {
      const double got = computed[k][i], wanted = computed[same][i];
      if (std::isnan(got) && std::isnan(wanted)) continue;  // neither wrote it
      const double off = std::fabs(got - wanted) / (1 + std::fabs(wanted));
      worst = off <= worst ? worst : off;  // NaN is worse
    }
    if (!(worst < 1e-4)) {
      std::fprintf(stderr, "parts: %s computes something else than %s: %g\n", kernels[k].name, kernels[k].same, worst);
      ++wrong;
    }
    if (std::getenv("PARTS_TIMES"))
      std::printf("%s %.2f us\n", kernels[k].name, ms * 1000 / (kLaunches - kLaunches / 2));
  }
  return wrong ? 1 : 0;
}
