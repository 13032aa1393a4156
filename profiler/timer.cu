// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "profiler/cuda_context.h"
#include "profiler/timer.h"

namespace culprit {
namespace {

constexpr std::uint64_t kGateTimeoutNs = std::chrono::nanoseconds(kGateTimeout).count();

struct Note {
  long long cycles;
  std::uint64_t time_ns;
  std::uint64_t sample;  // the sample that the note belongs to: not every SM is visited each time
};

struct ClockSum {
  unsigned long long cycles;
  unsigned long long time_ns;
  unsigned gave_up;  // number of gate blocks that gave up
};

__device__ std::uint64_t GlobalTimerNs() {
  std::uint64_t t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

__device__ unsigned SmId() {
  unsigned id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

__global__ void CulpritGate(const volatile std::uint64_t* opened, std::uint64_t sample, Note* notes, ClockSum* sum) {
  const std::uint64_t begin = GlobalTimerNs();
  while (*opened < sample) {
    if (GlobalTimerNs() - begin < kGateTimeoutNs) continue;
    atomicAdd(&sum->gave_up, 1u);
    break;
  }
  notes[SmId()] = {clock64(), GlobalTimerNs(), sample};
}

__global__ void CulpritNote(const Note* notes, std::uint64_t sample, ClockSum* sum) {
  const long long cycles = clock64();
  const std::uint64_t time_ns = GlobalTimerNs();
  const Note& before = notes[SmId()];
  if (before.sample != sample) return;
  atomicAdd(&sum->cycles, static_cast<unsigned long long>(cycles - before.cycles));
  atomicAdd(&sum->time_ns, static_cast<unsigned long long>(time_ns - before.time_ns));
}

constexpr std::size_t kFirstSums = 4096;

}  // namespace

struct Timer::Device {
  cudaEvent_t begin = nullptr, end = nullptr;
  std::uint64_t* opened = nullptr;  // host memory that the gate polls
  std::uint64_t sample = 0;         // increases over the timer's life
  Note* notes = nullptr;            // one per SM
  int sms = 0;
  ClockSum* sums = nullptr;  // one per sample since TakeSamples
  std::size_t capacity = 0;
  void* flush = nullptr;
  std::size_t flush_bytes = 0;

  ~Device() {
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaFreeHost(opened);
    cudaFree(notes);
    cudaFree(sums);
    cudaFree(flush);
  }
};

Timer::Timer(CacheState cache_state, cudaStream_t stream)
    : cache_state_(cache_state), stream_(stream), device_(new Device) {
  try {
    int id = 0, l2_bytes = 0;
    CheckCuda(cudaGetDevice(&id), "ask for the current device");
    CheckCuda(cudaDeviceGetAttribute(&device_->sms, cudaDevAttrMultiProcessorCount, id), "count SMs");
    CheckCuda(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, id), "ask for the size of L2");
    CheckCuda(cudaEventCreate(&device_->begin), "create an event");
    CheckCuda(cudaEventCreate(&device_->end), "create an event");
    CheckCuda(cudaMallocHost(&device_->opened, sizeof(std::uint64_t)), "allocate the timer's gate");
    *device_->opened = 0;
    // %smid can exceed the count of SMs on parts with disabled ones; the PTX manual bounds it by %nsmid.
    const std::size_t notes = 4 * static_cast<std::size_t>(device_->sms);
    CheckCuda(cudaMalloc(&device_->notes, notes * sizeof(Note)), "allocate the timer's clock notes");
    CheckCuda(cudaMemset(device_->notes, 0, notes * sizeof(Note)), "clear the timer's clock notes");
    GrowClockSums();
    if (cache_state_ == CacheState::kFlush) {
      device_->flush_bytes = 2 * static_cast<std::size_t>(l2_bytes);
      CheckCuda(cudaMalloc(&device_->flush, device_->flush_bytes), "allocate a buffer to flush L2 with");
    }
  } catch (...) {
    delete device_;
    throw;
  }
}

Timer::~Timer() { delete device_; }

void Timer::GrowClockSums() {
  const std::size_t capacity = device_->capacity == 0 ? kFirstSums : 2 * device_->capacity;
  ClockSum* sums = nullptr;
  CheckCuda(cudaMalloc(&sums, capacity * sizeof(ClockSum)), "allocate the timer's clock sums");
  CheckCuda(cudaMemset(sums, 0, capacity * sizeof(ClockSum)), "clear the timer's clock sums");
  if (device_->sums != nullptr)
    CheckCuda(cudaMemcpy(sums, device_->sums, device_->capacity * sizeof(ClockSum), cudaMemcpyDeviceToDevice),
              "grow the clock sums");
  cudaFree(device_->sums);
  device_->sums = sums;
  device_->capacity = capacity;
}

void Timer::PrepareCaches() {
  if (cache_state_ == CacheState::kFlush)
    CheckCuda(cudaMemsetAsync(device_->flush, static_cast<int>(device_->sample & 0xff), device_->flush_bytes, stream_),
              "flush L2");
}

double Timer::Measure(const std::function<void()>& launch) {
  if (times_us_.size() == device_->capacity) GrowClockSums();
  ClockSum* sum = device_->sums + times_us_.size();
  const std::uint64_t sample = ++device_->sample;
  PrepareCaches();
  CulpritGate<<<device_->sms, 1, 0, stream_>>>(device_->opened, sample, device_->notes, sum);
  CheckCuda(cudaGetLastError(), "launch the timer's gate");
  try {
    CheckCuda(cudaEventRecord(device_->begin, stream_), "record an event");
    launch();
    CheckCuda(cudaEventRecord(device_->end, stream_), "record an event");
    CulpritNote<<<device_->sms, 1, 0, stream_>>>(device_->notes, sample, sum);
    CheckCuda(cudaGetLastError(), "launch the timer's clock note");
  } catch (...) {
    *static_cast<volatile std::uint64_t*>(device_->opened) = sample;
    throw;
  }
  *static_cast<volatile std::uint64_t*>(device_->opened) = sample;
  CheckCuda(cudaEventSynchronize(device_->end), "run the launch");
  float ms = 0;
  CheckCuda(cudaEventElapsedTime(&ms, device_->begin, device_->end), "read the timer");
  times_us_.push_back(1000.0 * static_cast<double>(ms));
  return times_us_.back();
}

std::vector<TimedSample> Timer::TakeSamples() {
  CheckCuda(cudaStreamSynchronize(stream_), "wait for the last sample");
  std::vector<ClockSum> sums(times_us_.size());
  if (!sums.empty()) {
    CheckCuda(cudaMemcpy(sums.data(), device_->sums, sums.size() * sizeof(ClockSum), cudaMemcpyDeviceToHost),
              "read the clock sums");
    CheckCuda(cudaMemset(device_->sums, 0, sums.size() * sizeof(ClockSum)), "clear the clock sums");
  }
  std::vector<TimedSample> samples;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    TimedSample s{times_us_[i], std::nullopt, sums[i].gave_up > 0};
    if (sums[i].time_ns > 0)
      s.clock_mhz = 1000.0 * static_cast<double>(sums[i].cycles) / static_cast<double>(sums[i].time_ns);
    samples.push_back(s);
  }
  times_us_.clear();
  return samples;
}

}  // namespace culprit
