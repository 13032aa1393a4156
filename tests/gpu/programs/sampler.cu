// SPDX-License-Identifier: Apache-2.0
// A program that knows nothing of Culprit: what `culprit record` is tried on. Its first argument says what it does; it
// prints a checksum of what its kernels left behind, which recording must not change.
#include <cooperative_groups.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kCount = 1 << 22;

void Check(cudaError_t result) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "sampler: %s\n", cudaGetErrorString(result));
  std::exit(3);
}

// Not idempotent: run twice, it leaves something else behind.
__global__ void AddOne(float* data, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[i] += 1.0f;
}

template <int kStride>
__global__ void Scatter(float* data, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[static_cast<int>(static_cast<unsigned>(i) * kStride % static_cast<unsigned>(count))] += 0.5f;
}

__global__ void CountUp(unsigned* counter) { atomicAdd(counter, 1u); }

__global__ void AllTogether(float* data, int count) {
  const auto grid = cooperative_groups::this_grid();
  for (int i = static_cast<int>(grid.thread_rank()); i < count; i += static_cast<int>(grid.size())) data[i] *= 0.5f;
  grid.sync();
  for (int i = static_cast<int>(grid.thread_rank()); i < count; i += static_cast<int>(grid.size())) data[i] += 1.0f;
}

// Ends when the host says so.
__global__ void WaitForHost(volatile int* flag, unsigned* counter) {
  while (*flag == 0) {
  }
  atomicAdd(counter, 1u);
}

struct Data {
  float* values = nullptr;
  unsigned* counter = nullptr;
  Data() {
    Check(cudaMalloc(&values, kCount * sizeof *values));
    Check(cudaMalloc(&counter, sizeof *counter));
    Check(cudaMemset(values, 0, kCount * sizeof *values));
    Check(cudaMemset(counter, 0, sizeof *counter));
  }
  void Print() const {
    std::vector<float> host(kCount);
    unsigned count = 0;
    Check(cudaDeviceSynchronize());
    Check(cudaMemcpy(host.data(), values, kCount * sizeof(float), cudaMemcpyDeviceToHost));
    Check(cudaMemcpy(&count, counter, sizeof count, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (int i = 0; i < kCount; ++i) sum += host[static_cast<std::size_t>(i)] * (1 + i % 7);
    std::printf("checksum %.1f counter %u\n", sum, count);
    std::fflush(stdout);
  }
};

void Step(Data& d, cudaStream_t stream = nullptr) {
  AddOne<<<kCount / 256, 256, 0, stream>>>(d.values, kCount);
  Scatter<1><<<kCount / 256, 256, 0, stream>>>(d.values, kCount);
  Scatter<33><<<kCount / 256, 256, 0, stream>>>(d.values, kCount);
  CountUp<<<8, 128, 0, stream>>>(d.counter);
}

void Plain(int steps) {
  Data d;
  for (int i = 0; i < steps; ++i) Step(d);
  d.Print();
}

// Nearly all of its work comes after a time in which the GPU is idle.
void Late(int steps, int idle_s) {
  Data d;
  Step(d);
  Check(cudaDeviceSynchronize());
  sleep(static_cast<unsigned>(idle_s));
  for (int i = 0; i < steps; ++i) Step(d);
  d.Print();
}

// Kernels for a millisecond or two, again and again after seconds in which the GPU is idle.
void Bursts(int bursts, int idle_s) {
  Data d;
  for (int burst = 0; burst < bursts; ++burst) {
    if (burst > 0) sleep(static_cast<unsigned>(idle_s));
    for (int i = 0; i < 10; ++i) Step(d);
    Check(cudaDeviceSynchronize());
  }
  d.Print();
}

void Ranges() {
  Data d;
  for (int i = 0; i < 10; ++i) {
    nvtxRangePushA(("step " + std::to_string(i)).c_str());
    nvtxRangePushA("add");
    AddOne<<<kCount / 256, 256>>>(d.values, kCount);
    nvtxRangePop();
    nvtxRangePushA("scatter");
    Scatter<33><<<kCount / 256, 256>>>(d.values, kCount);
    nvtxRangePop();
    nvtxRangePop();
  }
  d.Print();
}

cudaGraphExec_t GraphOfSteps(Data& d, cudaStream_t stream, int steps = 1) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  Check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < steps; ++i) Step(d, stream);
  Check(cudaStreamEndCapture(stream, &graph));
  Check(cudaGraphInstantiate(&exec, graph, 0));
  return exec;
}

// A window of a fifth of a second each time, after seconds in which the GPU is idle. Sampling has some milliseconds to
// begin again, because launches do not wait for that at the begin of a window.
void Windows(int windows, int idle_s) {
  Data d;
  for (int window = 0; window < windows; ++window) {
    if (window > 0) sleep(static_cast<unsigned>(idle_s));
    Check(cudaProfilerStart());
    usleep(10'000);
    for (int i = 0; i < 1600; ++i) Step(d);
    Check(cudaDeviceSynchronize());
    Check(cudaProfilerStop());
  }
  d.Print();
}

// Short kernels every ten milliseconds.
void Sparse(int steps) {
  Data d;
  for (int i = 0; i < steps; ++i) {
    CountUp<<<8, 128>>>(d.counter);
    usleep(10'000);
  }
  d.Print();
}

// All of its work is launched before the GPU waits for the host.
void Queued(int graphs, int wait_s) {
  Data d;
  cudaStream_t stream;
  Check(cudaStreamCreate(&stream));
  const cudaGraphExec_t exec = GraphOfSteps(d, stream, 2500);
  Step(d, stream);
  Check(cudaLaunchHostFunc(
      stream, [](void* s) { sleep(*static_cast<unsigned*>(s)); }, &wait_s));
  for (int i = 0; i < graphs; ++i) Check(cudaGraphLaunch(exec, stream));
  Check(cudaStreamSynchronize(stream));
  d.Print();
}

// Nothing waits for the GPU at the begin and at the end of what is profiled.
void Profiled() {
  Data d;
  cudaStream_t stream;
  Check(cudaStreamCreate(&stream));
  const cudaGraphExec_t exec = GraphOfSteps(d, stream);
  const auto run = [&](int steps, int graphs) {
    for (int i = 0; i < steps; ++i) Step(d, stream);
    for (int i = 0; i < graphs; ++i) Check(cudaGraphLaunch(exec, stream));
  };
  run(5, 2);
  Check(cudaProfilerStart());
  run(3, 4);
  Check(cudaProfilerStop());
  run(5, 2);
  Check(cudaStreamSynchronize(stream));
  d.Print();
}

volatile std::sig_atomic_t told_to_end = 0;

// A server: replays a graph until SIGTERM, at most for some seconds.
void Serve(int seconds) {
  std::signal(SIGTERM, [](int) { told_to_end = 1; });
  Data d;
  cudaStream_t stream;
  Check(cudaStreamCreate(&stream));
  const cudaGraphExec_t exec = GraphOfSteps(d, stream);
  std::puts("serving");
  std::fflush(stdout);
  for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
       told_to_end == 0 && std::chrono::steady_clock::now() < end;) {
    Check(cudaGraphLaunch(exec, stream));
    Check(cudaStreamSynchronize(stream));
    usleep(500);
  }
  std::puts("served");
}

void Graph(bool branches) {
  Data d;
  cudaStream_t stream, other;
  cudaEvent_t fork, join;
  Check(cudaStreamCreate(&stream));
  Check(cudaStreamCreate(&other));
  Check(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  Check(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  Check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  Step(d, stream);
  if (branches) {
    Check(cudaEventRecord(fork, stream));
    Check(cudaStreamWaitEvent(other, fork));
    CountUp<<<4, 64, 0, other>>>(d.counter);
    AddOne<<<kCount / 256, 256, 0, stream>>>(d.values, kCount);
    Check(cudaEventRecord(join, other));
    Check(cudaStreamWaitEvent(stream, join));
  }
  Check(cudaStreamEndCapture(stream, &graph));
  Check(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 20; ++i) Check(cudaGraphLaunch(exec, stream));
  Check(cudaStreamSynchronize(stream));
  Check(cudaGraphExecDestroy(exec));
  d.Print();
}

void Threads() {
  std::vector<std::thread> threads;
  std::vector<Data> data(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&data, t] {
      cudaStream_t stream;
      Check(cudaStreamCreate(&stream));
      for (int i = 0; i < 25; ++i) Step(data[static_cast<std::size_t>(t)], stream);
      Check(cudaStreamSynchronize(stream));
    });
  for (std::thread& t : threads) t.join();
  for (const Data& d : data) d.Print();
}

void Cooperative() {
  Data d;
  int blocks = 0;
  Check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, AllTogether, 256, 0));
  int count = kCount;
  void* arguments[] = {&d.values, &count};
  for (int i = 0; i < 10; ++i)
    Check(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(AllTogether), dim3(static_cast<unsigned>(blocks)),
                                      dim3(256), arguments, 0, nullptr));
  d.Print();
}

// Launches that the driver refuses are none.
void Refused() {
  Data d;
  for (int i = 0; i < 5; ++i) {
    AddOne<<<1, 4096>>>(d.values, kCount);
    cudaGetLastError();
    Step(d);
  }
  d.Print();
}

// A thread still launches while the program ends.
void Leave() {
  static Data d;
  d.Print();
  std::thread([] {
    for (;;) {
      CountUp<<<8, 128>>>(d.counter);
      cudaDeviceSynchronize();
    }
  }).detach();
  usleep(100'000);
}

// NVTX before CUDA, and a process that is forked between the two.
void NvtxFirst(bool forks) {
  nvtxRangePushA("early");
  if (forks) {
    const pid_t child = fork();
    if (child == 0) {
      Data d;
      Step(d);
      d.Print();
      std::exit(0);
    }
    waitpid(child, nullptr, 0);
  }
  Data d;
  Step(d);
  nvtxRangePop();
  d.Print();
}

// One thread launches a kernel that waits, and the host tells it to go on.
void HostWait() {
  Data d;
  int* flag = nullptr;
  Check(cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped));
  Step(d);
  for (int i = 0; i < 3; ++i) {
    *flag = 0;
    WaitForHost<<<1, 1>>>(flag, d.counter);
    usleep(1000);
    *flag = 1;
    Check(cudaDeviceSynchronize());
  }
  Step(d);
  d.Print();
}

void EveryGpu() {
  int gpus = 0;
  Check(cudaGetDeviceCount(&gpus));
  for (int g = 0; g < gpus; ++g) {
    Check(cudaSetDevice(g));
    Data d;
    for (int i = 0; i < 10; ++i) Step(d);
    d.Print();
  }
}

void Child(const char* self, bool exec) {
  const pid_t child = fork();
  if (child == 0) {
    if (exec) execl(self, self, "plain", "5", nullptr);
    Plain(5);
    std::exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Plain(5);
  std::exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "plain";
  const int steps = argc > 2 ? std::atoi(argv[2]) : 20;
  if (what == "ranges") {
    Ranges();
  } else if (what == "graph" || what == "branches") {
    Graph(what == "branches");
  } else if (what == "profiled") {
    Profiled();
  } else if (what == "serve") {
    Serve(steps);
  } else if (what == "late") {
    Late(steps, argc > 3 ? std::atoi(argv[3]) : 1);
  } else if (what == "bursts") {
    Bursts(steps, argc > 3 ? std::atoi(argv[3]) : 1);
  } else if (what == "queued") {
    Queued(steps, argc > 3 ? std::atoi(argv[3]) : 1);
  } else if (what == "windows") {
    Windows(steps, argc > 3 ? std::atoi(argv[3]) : 1);
  } else if (what == "sparse") {
    Sparse(steps);
  } else if (what == "threads") {
    Threads();
  } else if (what == "cooperative") {
    Cooperative();
  } else if (what == "wait") {
    HostWait();
  } else if (what == "refused") {
    Refused();
  } else if (what == "leave") {
    Leave();
  } else if (what == "nvtx_first" || what == "nvtx_fork") {
    NvtxFirst(what == "nvtx_fork");
  } else if (what == "gpus") {
    EveryGpu();
  } else if (what == "fork") {
    Child(argv[0], false);
  } else if (what == "exec") {
    execl(argv[0], argv[0], "plain", "5", nullptr);
  } else if (what == "child") {
    Child(argv[0], true);
  } else if (what == "device") {  // makes no context
    int devices = 0;
    Check(cudaGetDeviceCount(&devices));
    std::printf("%s\n", devices > 0 ? "some" : "none");
  } else if (what == "context") {  // launches nothing
    Check(cudaFree(nullptr));
    std::puts("a context");
  } else if (what == "_exit") {
    Plain(steps);
    usleep(200'000);
    _exit(7);
  } else if (what == "copy_exit") {  // waits for the GPU by copies alone, and is gone at once
    Data d;
    for (int i = 0; i < steps; ++i) Step(d);
    unsigned count = 0;
    Check(cudaMemcpy(&count, d.counter, sizeof count, cudaMemcpyDeviceToHost));
    std::printf("counter %u\n", count);
    std::fflush(stdout);
    _exit(7);
  } else if (what == "abort") {
    Plain(steps);
    std::abort();
  } else if (what == "kill") {
    Plain(steps);
    usleep(200'000);
    raise(SIGKILL);
  } else if (what == "throw") {
    Plain(steps);
    throw std::runtime_error("the program's own");
  } else if (what == "none") {
    std::puts("no GPU");
  } else if (what == "reset") {
    Plain(steps);
    Check(cudaDeviceReset());
    Plain(steps);
  } else {
    Plain(steps);
  }
  return argc > 3 ? std::atoi(argv[3]) : 0;
}
