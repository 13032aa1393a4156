// SPDX-License-Identifier: Apache-2.0
// Kernels that are slow because of where their data lies. Of each kind there are two with the same code, good and bad,
// that compute the same (records all hold 0, because good and bad read other ones):
//   table   all threads look up a table of 32 values, which other kernels change: each block has a copy, or all have one
//   weights a product of a matrix and a vector: the matrix is in device memory, or in pinned memory of the host
//   flag    each block looks, once in a round, whether it shall stop: it has a flag of its own in device memory, or on the host
//   records random records of a large array: of 4 GiB, or of 72 GiB, which the TLBs of an H200 do not reach
//   pages   managed memory, which the GPU had before, or which the host wrote before each launch
// `places [KIND...]` launches and checks these kinds (default: all but pages). PLACES_TIMES=1 prints times.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int kThreads = 256;
constexpr int kBlocksPerSm = 8;
constexpr int kLaunches = 12;
constexpr std::size_t kFloats = 8 << 20;  // 32 MiB
constexpr int kTable = 32;
constexpr std::size_t kRecords = 4, kManyRecords = 72;  // GiB

void Check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "places: %s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

struct Data {
  const float* in;     // kFloats from 0 to 1
  const float* there;  // what lies well or badly
  const uint4* records;
  unsigned long long count;  // of records, or of floats in `there`
  float* touched;            // kFloats that the kernel changes
  float* out;                // one per thread
  int apart;                 // floats between the tables of two blocks
};

__device__ __forceinline__ unsigned Thread() { return blockIdx.x * kThreads + threadIdx.x; }

__device__ __forceinline__ void Table(const Data& d) {
  const float* table = d.there + static_cast<std::size_t>(blockIdx.x) * d.apart;
  float sum = 0;
#pragma unroll 1
  for (int round = 0; round < 128; ++round) {
    const float x = d.in[(Thread() + round * 4096) % kFloats];
    sum += x * __ldcg(table + static_cast<int>(x * kTable) % kTable);
  }
  d.out[Thread()] = sum;
}

__device__ __forceinline__ void Weights(const Data& d) {
  float sum = 0;
  for (unsigned i = Thread(); i < d.count; i += gridDim.x * kThreads) sum += d.there[i] * d.in[i % 4096];
  d.out[Thread()] = sum;
}

__device__ __forceinline__ void Flag(const Data& d) {
  const volatile float* stop = d.there + blockIdx.x * 32;
  float x = d.in[Thread()];
#pragma unroll 1
  for (int round = 0; round < 32; ++round) {
    if (__syncthreads_or(threadIdx.x == 0 && *stop != 0)) break;
#pragma unroll 8
    for (int i = 0; i < 512; ++i) x = x * 0.999f + 0.001f;
  }
  d.out[Thread()] = x;
}

__device__ __forceinline__ void Records(const Data& d) {
  unsigned long long state = (Thread() + 1) * 0x9e3779b97f4a7c15ull;
  unsigned sum = 0;
#pragma unroll 1
  for (int round = 0; round < 64; ++round) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    sum |= __ldcg(&d.records[state % d.count].x);
  }
  d.out[Thread()] = static_cast<float>(sum);
}

__device__ __forceinline__ void Pages(const Data& d) {
  float sum = 0;
  for (unsigned i = Thread(); i < kFloats; i += gridDim.x * kThreads) sum += d.touched[i] *= 0.5f;
  d.out[Thread()] = sum;
}

struct Kind {
  const char* name;
  void (*kernels[2])(Data);
};

template <class T>
T* OnDevice(std::size_t count) {
  T* p = nullptr;
  Check(cudaMalloc(&p, count * sizeof(T)), "cudaMalloc");
  return p;
}

}  // namespace

// Two names for one code.
#define PLACE(kind, Work)                                                                         \
  extern "C" __global__ void __launch_bounds__(kThreads) place_##kind##_good(Data d) { Work(d); } \
  extern "C" __global__ void __launch_bounds__(kThreads) place_##kind##_bad(Data d) { Work(d); }
PLACE(table, Table)
PLACE(weights, Weights)
PLACE(flag, Flag)
PLACE(records, Records)
PLACE(pages, Pages)

constexpr Kind kKinds[] = {{"table", {place_table_good, place_table_bad}},
                           {"weights", {place_weights_good, place_weights_bad}},
                           {"flag", {place_flag_good, place_flag_bad}},
                           {"records", {place_records_good, place_records_bad}},
                           {"pages", {place_pages_good, place_pages_bad}}};

int main(int argc, char** argv) {
  const auto asked = [&](const char* kind) {
    for (int a = 1; a < argc; ++a)
      if (std::strcmp(argv[a], kind) == 0) return true;
    return argc == 1 && std::strcmp(kind, "pages") != 0;
  };
  int sms = 0;
  Check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "cudaDeviceGetAttribute");
  const int blocks = sms * kBlocksPerSm;
  std::vector<float> in(kFloats);
  unsigned state = 12345;
  for (float& value : in) value = static_cast<float>((state = state * 1664525u + 1013904223u) >> 8) * 0x1p-24f;
  float* const device_in = OnDevice<float>(kFloats);
  float* const device_there = OnDevice<float>(kFloats);
  float* const out = OnDevice<float>(static_cast<std::size_t>(blocks) * kThreads);
  float* host = nullptr;
  Check(cudaHostAlloc(&host, kFloats * sizeof(float), cudaHostAllocMapped), "cudaHostAlloc");
  Check(cudaMemcpy(device_in, in.data(), kFloats * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
  cudaEvent_t begin, end;
  Check(cudaEventCreate(&begin), "cudaEventCreate");
  Check(cudaEventCreate(&end), "cudaEventCreate");
  int wrong = 0;
  for (const Kind& kind : kKinds) {
    if (!asked(kind.name)) continue;
    const std::string name = kind.name;
    uint4* records = nullptr;
    float* managed = nullptr;
    if (name == "records") {
      std::size_t available = 0, all = 0;
      Check(cudaMemGetInfo(&available, &all), "cudaMemGetInfo");
      if (available < (kManyRecords + 1) << 30) {
        std::printf("records needs %zu GiB of device memory: left out\n", kManyRecords + 1);
        continue;
      }
      records = OnDevice<uint4>((kManyRecords << 30) / sizeof(uint4));
      Check(cudaMemset(records, 0, kManyRecords << 30), "cudaMemset");
    }
    if (name == "pages") Check(cudaMallocManaged(&managed, kFloats * sizeof(float)), "cudaMallocManaged");
    // The tables of all blocks are equal; a flag is 0; a matrix has any values.
    for (std::size_t i = 0; i < kFloats; ++i) host[i] = name == "flag" ? 0 : static_cast<float>(i % kTable);
    Check(cudaMemcpy(device_there, host, kFloats * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
    std::vector<float> computed[2];
    for (const bool bad : {false, true}) {
      Data d{device_in, device_there, records, kFloats, managed, out, 1024};
      if (name == "table" && bad) d.apart = 0;
      if ((name == "weights" || name == "flag") && bad) d.there = host;
      if (name == "records") d.count = ((bad ? kManyRecords : kRecords) << 30) / sizeof(uint4);
      // Not a number, so that a kernel that writes nothing is noticed.
      Check(cudaMemset(out, 0xff, static_cast<std::size_t>(blocks) * kThreads * sizeof(float)), "cudaMemset");
      float ms = 0, us = 0;
      for (int launch = 0; launch < kLaunches; ++launch) {
        if (managed != nullptr && (bad || launch == 0)) std::memcpy(managed, in.data(), kFloats * sizeof(float));
        if (managed != nullptr && !bad) {  // as many values, where the GPU is
          Check(cudaMemcpy(managed, device_in, kFloats * sizeof(float), cudaMemcpyDeviceToDevice), "cudaMemcpy");
        }
        Check(cudaEventRecord(begin), "cudaEventRecord");
        kind.kernels[bad]<<<blocks, kThreads>>>(d);
        Check(cudaEventRecord(end), "cudaEventRecord");
        Check(cudaDeviceSynchronize(), kind.name);
        Check(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
        us = ms * 1000;
      }
      if (std::getenv("PLACES_TIMES")) std::printf("%s %s %.2f us\n", kind.name, bad ? "bad" : "good", us);
      computed[bad].resize(static_cast<std::size_t>(blocks) * kThreads);
      Check(cudaMemcpy(computed[bad].data(), out, computed[bad].size() * sizeof(float), cudaMemcpyDeviceToHost),
            "cudaMemcpy");
    }
    if (computed[0] != computed[1]) {
      std::fprintf(stderr, "places: the two kernels of %s compute different results\n", kind.name);
      ++wrong;
    }
    if (records != nullptr) Check(cudaFree(records), "cudaFree");
    if (managed != nullptr) Check(cudaFree(managed), "cudaFree");
  }
  return wrong ? 1 : 0;
}
