// SPDX-License-Identifier: Apache-2.0
// A program that knows nothing of Culprit and launches CUDA graphs. Its first argument says which. It prints checksums of
// what its graphs left behind: they differ if anything ran twice, not at all or in another order.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <source_location>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace cg = cooperative_groups;

constexpr int kCount = 1 << 20, kThreads = 256, kBlocks = kCount / kThreads;
constexpr int kLaunches = 10;

void Check(cudaError_t result, std::source_location where = std::source_location::current()) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "graphs: %s in line %u\n", cudaGetErrorString(result), static_cast<unsigned>(where.line()));
  std::exit(3);
}

__device__ int Mine() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void First(unsigned* data, int count) {
  if (Mine() < count) data[Mine()] = data[Mine()] * 3 + 1;
}

__global__ void Second(unsigned* data, int count) {
  if (Mine() < count) data[Mine()] = data[Mine()] * 5 + 2;
}

// Takes from its neighbours in the block.
__global__ void Third(unsigned* data, int count) {
  extern __shared__ unsigned kept[];
  kept[threadIdx.x] = data[Mine() % count];
  __syncthreads();
  data[Mine() % count] += kept[(threadIdx.x + 1) % blockDim.x];
}

__global__ void Together(unsigned* data, int count) {
  const auto grid = cg::this_grid();
  const int threads = static_cast<int>(grid.size());
  for (int i = static_cast<int>(grid.thread_rank()); i < count; i += threads) data[i] = data[i] * 7 + 3;
  grid.sync();
  for (int i = static_cast<int>(grid.thread_rank()); i < count / 2; i += threads) data[i] += data[count - 1 - i];
}

__global__ void Clustered(unsigned* data, int count) {
#if __CUDA_ARCH__ >= 900
  const auto cluster = cg::this_cluster();
  cluster.sync();
  if (Mine() < count) data[Mine()] = data[Mine()] * 9 + cluster.num_blocks();
#endif
}

// May begin before what it depends on has ended.
__global__ void Dependent(unsigned* data, int count) {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
  if (Mine() < count) data[Mine()] = data[Mine()] * 11 + 4;
#endif
}

// Ends when the host says so.
__global__ void WaitForHost(unsigned* data, volatile unsigned* flag) {
  while (*flag == 0) {
  }
  data[0] += 5;
}

__global__ void Choose(cudaGraphConditionalHandle handle, const unsigned* data) {
#if __CUDA_ARCH__ >= 900
  cudaGraphSetConditional(handle, data[0] & 1);
#endif
}

struct World {
  unsigned *a = nullptr, *b = nullptr, *host = nullptr;
  unsigned long long seen = 0;  // of what came to the host
  cudaStream_t stream = nullptr, other = nullptr;
  World() {
    Check(cudaMalloc(&a, kCount * sizeof *a));
    Check(cudaMalloc(&b, kCount * sizeof *b));
    Check(cudaMallocHost(&host, kCount * sizeof *host));
    std::vector<unsigned> begin(kCount);
    for (unsigned i = 0; i < kCount; ++i) begin[i] = i * 2654435761u;
    Check(cudaMemcpy(a, begin.data(), kCount * sizeof *a, cudaMemcpyHostToDevice));
    Check(cudaMemset(b, 1, kCount * sizeof *b));
    for (int i = 0; i < kCount; ++i) host[i] = 0;
    Check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    Check(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    Check(cudaDeviceSynchronize());
  }
  void Look() {
    Check(cudaStreamSynchronize(stream));
    for (int i = 0; i < kCount; i += 997) seen = seen * 31 + host[i];
  }
  void Print() const {
    Check(cudaDeviceSynchronize());
    unsigned long long sums[2] = {};
    std::vector<unsigned> values(kCount);
    for (const unsigned* device : {a, b}) {
      Check(cudaMemcpy(values.data(), device, kCount * sizeof *device, cudaMemcpyDeviceToHost));
      for (const unsigned value : values) sums[device == b] = sums[device == b] * 31 + value;
    }
    std::printf("a %llu b %llu host %llu\n", sums[0], sums[1], seen);
    std::fflush(stdout);
  }
};

using Kernel = void (*)(unsigned*, int);
using Nodes = std::vector<cudaGraphNode_t>;

struct Parameters {
  unsigned* data;
  int count = kCount;
  void* arguments[2] = {&data, &count};
  cudaKernelNodeParams node = {};
  Parameters(Kernel kernel, unsigned* of) : data(of) {
    node.func = reinterpret_cast<void*>(kernel);
    node.gridDim = dim3(kBlocks), node.blockDim = dim3(kThreads);
    node.sharedMemBytes = kernel == Third ? kThreads * sizeof(unsigned) : 0;
    node.kernelParams = arguments;
  }
  Parameters(const Parameters&) = delete;
};

cudaGraphNode_t Add(cudaGraph_t graph, const Nodes& after, Kernel kernel, unsigned* data) {
  const Parameters parameters(kernel, data);
  cudaGraphNode_t node;
  Check(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &parameters.node));
  return node;
}

cudaGraphNode_t AddCopy(cudaGraph_t graph, const Nodes& after, void* to, const void* from, std::size_t bytes) {
  cudaGraphNode_t node;
  Check(cudaGraphAddMemcpyNode1D(&node, graph, after.data(), after.size(), to, from, bytes, cudaMemcpyDefault));
  return node;
}

cudaMemsetParams SetTo(unsigned* data, unsigned value) {
  cudaMemsetParams set{};
  set.dst = data, set.value = value, set.elementSize = 4, set.width = kCount / 8, set.height = 1;
  return set;
}

struct Mixed {
  cudaGraph_t graph;
  cudaGraphNode_t set, first, copy, second, third, back;
};

// Begins with a set of b and ends with a copy to the host. All kernels are at some time not the only ones that may run.
Mixed MixedOf(const World& w) {
  Mixed m{};
  Check(cudaGraphCreate(&m.graph, 0));
  const cudaMemsetParams set = SetTo(w.b, 7);
  Check(cudaGraphAddMemsetNode(&m.set, m.graph, nullptr, 0, &set));
  m.first = Add(m.graph, {}, First, w.a);
  m.copy = AddCopy(m.graph, {m.set, m.first}, w.b + kCount / 4, w.a, kCount / 2 * sizeof *w.a);
  m.second = Add(m.graph, {m.copy}, Second, w.b);
  m.third = Add(m.graph, {m.copy}, Third, w.a);
  m.back = AddCopy(m.graph, {m.second, m.third}, w.host, w.b, kCount * sizeof *w.a);
  return m;
}

cudaGraphExec_t Made(cudaGraph_t graph, bool keep = false) {
  cudaGraphExec_t exec;
  Check(cudaGraphInstantiate(&exec, graph, 0));
  if (!keep) Check(cudaGraphDestroy(graph));
  return exec;
}

void Launch(World& w, cudaGraphExec_t exec, int launches = kLaunches) {
  for (int i = 0; i < launches; ++i) {
    Check(cudaGraphLaunch(exec, w.stream));
    w.Look();
  }
}

template <class Work>
cudaGraph_t Captured(cudaStream_t stream, Work&& work, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
  cudaGraph_t graph;
  Check(cudaStreamBeginCapture(stream, mode));
  work();
  Check(cudaStreamEndCapture(stream, &graph));
  return graph;
}

void RunMixed(World& w) { Launch(w, Made(MixedOf(w).graph)); }

// The same kernels without a graph.
void RunStream(World& w) {
  for (int i = 0; i < kLaunches; ++i) {
    First<<<kBlocks, kThreads, 0, w.stream>>>(w.a, kCount);
    Second<<<kBlocks, kThreads, 0, w.stream>>>(w.b, kCount);
    Third<<<kBlocks, kThreads, kThreads * sizeof(unsigned), w.stream>>>(w.a, kCount);
  }
}

void RunMany(World& w) {
  const cudaGraphExec_t exec = Made(MixedOf(w).graph);
  for (int i = 0; i < 1000; ++i) Check(cudaGraphLaunch(exec, w.stream));
  w.Look();
}

// Every node that runs is changed in the executable graph alone, then back again.
void RunUpdated(World& w) {
  const Mixed m = MixedOf(w);
  const cudaGraphExec_t exec = Made(m.graph, true);
  for (int i = 0; i < kLaunches; ++i) {
    const bool odd = i % 2 == 1;
    Parameters first(First, odd ? w.a + kCount / 2 : w.a), second(odd ? First : Second, w.b);
    first.count = odd ? kCount / 2 : kCount;
    const cudaMemsetParams set = SetTo(w.b, static_cast<unsigned>(i));
    cudaGraphNodeParams any{};
    any.type = cudaGraphNodeTypeKernel;
    any.kernel.func = second.node.func;
    any.kernel.gridDim = second.node.gridDim, any.kernel.blockDim = second.node.blockDim;
    any.kernel.kernelParams = second.node.kernelParams;
    Check(cudaGraphExecKernelNodeSetParams(exec, m.first, &first.node));
    Check(cudaGraphExecNodeSetParams(exec, m.second, &any));
    Check(cudaGraphExecMemsetNodeSetParams(exec, m.set, &set));
    Check(cudaGraphExecMemcpyNodeSetParams1D(exec, m.copy, w.b + kCount / 4, w.a + (odd ? kCount / 2 : 0),
                                             kCount / 2 * sizeof *w.a, cudaMemcpyDefault));
    Launch(w, exec, 1);
  }
}

void RunReplaced(World& w) {
  const cudaGraphExec_t exec = Made(MixedOf(w).graph);
  Launch(w, exec, 2);
  std::swap(w.a, w.b);
  const Mixed other = MixedOf(w);
  std::swap(w.a, w.b);
  cudaGraphExecUpdateResultInfo result{};
  Check(cudaGraphExecUpdate(exec, other.graph, &result));
  Check(cudaGraphDestroy(other.graph));
  Launch(w, exec, kLaunches - 2);
}

void RunSwitchedOff(World& w) {
  const Mixed m = MixedOf(w);
  const cudaGraphExec_t exec = Made(m.graph, true);
  Check(cudaGraphNodeSetEnabled(exec, m.third, 0));
  Launch(w, exec);
}

void RunChild(World& w, bool updates) {
  cudaGraph_t outer, inside;
  cudaGraphNode_t child;
  Check(cudaGraphCreate(&outer, 0));
  const Mixed inner = MixedOf(w);
  const cudaGraphNode_t before = Add(outer, {}, Second, w.a);
  Check(cudaGraphAddChildGraphNode(&child, outer, &before, 1, inner.graph));
  Add(outer, {child}, First, w.b);
  const cudaGraphExec_t exec = Made(outer, updates);
  Launch(w, exec, 3);
  if (updates) {
    Nodes nodes(6);
    std::size_t count = nodes.size();
    Check(cudaGraphChildGraphNodeGetGraph(child, &inside));
    Check(cudaGraphGetNodes(inside, nodes.data(), &count));
    const Parameters second(Second, w.a);
    Check(cudaGraphExecKernelNodeSetParams(exec, nodes.at(1), &second.node));
  }
  Launch(w, exec);
}

void RunPlainChild(World& w) { RunChild(w, false); }
void RunUpdatedChild(World& w) { RunChild(w, true); }

void RunConditional(World& w) {
  cudaGraph_t graph;
  Check(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle handle;
  Check(cudaGraphConditionalHandleCreate(&handle, graph, 0, cudaGraphCondAssignDefault));
  cudaGraphNode_t first = Add(graph, {}, First, w.a), choice, condition;
  void* arguments[] = {&handle, &w.a};
  cudaKernelNodeParams chooses{};
  chooses.func = reinterpret_cast<void*>(Choose);
  chooses.gridDim = chooses.blockDim = dim3(1);
  chooses.kernelParams = arguments;
  Check(cudaGraphAddKernelNode(&choice, graph, &first, 1, &chooses));
  cudaGraphNodeParams decides{};
  decides.type = cudaGraphNodeTypeConditional;
  decides.conditional.handle = handle;
  decides.conditional.type = cudaGraphCondTypeIf;
  decides.conditional.size = 1;
  Check(cudaGraphAddNode(&condition, graph, &choice, nullptr, 1, &decides));
  Add(decides.conditional.phGraph_out[0], {}, Second, w.a);
  Launch(w, Made(graph));
}

void RunAllocation(World& w) {
  Launch(w, Made(Captured(w.stream, [&] {
           unsigned* data = nullptr;
           Check(cudaMallocAsync(&data, kCount * sizeof *data, w.stream));
           Check(cudaMemcpyAsync(data, w.a, kCount * sizeof *data, cudaMemcpyDefault, w.stream));
           First<<<kBlocks, kThreads, 0, w.stream>>>(data, kCount);
           Check(cudaMemcpyAsync(w.a, data, kCount * sizeof *data, cudaMemcpyDefault, w.stream));
           Check(cudaFreeAsync(data, w.stream));
         })));
}

// Functions of the host and events that others may wait for run once, too.
void RunHost(World& w) {
  cudaEvent_t event;
  Check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  const cudaGraphExec_t exec = Made(Captured(w.stream, [&] {
    First<<<kBlocks, kThreads, 0, w.stream>>>(w.a, kCount);
    Check(cudaEventRecordWithFlags(event, w.stream, cudaEventRecordExternal));
    Check(cudaLaunchHostFunc(
        w.stream, [](void* host) { ++*static_cast<unsigned*>(host); }, w.host));
    Second<<<kBlocks, kThreads, 0, w.stream>>>(w.b, kCount);
  }));
  for (int i = 0; i < kLaunches; ++i) {
    Launch(w, exec, 1);
    Check(cudaStreamWaitEvent(w.other, event));
    Third<<<kBlocks, kThreads, kThreads * sizeof(unsigned), w.other>>>(w.a, kCount);
    Check(cudaStreamSynchronize(w.other));
  }
}

// Captured from two streams.
void RunForked(World& w) {
  cudaEvent_t fork, join;
  Check(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  Check(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  Launch(w, Made(Captured(w.stream, [&] {
           First<<<kBlocks, kThreads, 0, w.stream>>>(w.a, kCount);
           Check(cudaEventRecord(fork, w.stream));
           Check(cudaStreamWaitEvent(w.other, fork));
           Second<<<kBlocks, kThreads, 0, w.other>>>(w.b, kCount);
           Third<<<kBlocks, kThreads, kThreads * sizeof(unsigned), w.stream>>>(w.a, kCount);
           Check(cudaEventRecord(join, w.other));
           Check(cudaStreamWaitEvent(w.stream, join));
           First<<<kBlocks, kThreads, 0, w.stream>>>(w.b, kCount);
           Check(cudaMemcpyAsync(w.host, w.b, kCount * sizeof *w.b, cudaMemcpyDefault, w.stream));
         })));
}

void LaunchWithAttributes(World& w) {
  int blocks = 0, processors = 0, least = 0, greatest = 0;
  Check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, Together, kThreads, 0));
  Check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  Check(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config{};
  config.blockDim = dim3(kThreads);
  config.stream = w.stream;
  config.attrs = attributes;
  attributes[0].id = cudaLaunchAttributeCooperative;
  attributes[0].val.cooperative = 1;
  config.gridDim = dim3(static_cast<unsigned>(blocks * processors));
  config.numAttrs = 1;
  Check(cudaLaunchKernelEx(&config, Together, w.a, kCount));
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {4, 1, 1};
  attributes[1].id = cudaLaunchAttributePriority;
  attributes[1].val.priority = greatest;
  config.gridDim = dim3(kBlocks);
  config.numAttrs = 2;
  Check(cudaLaunchKernelEx(&config, Clustered, w.a, kCount));
}

void RunDependent(World& w) {
  Launch(w, Made(Captured(w.stream, [&] {
           First<<<kBlocks, kThreads, 0, w.stream>>>(w.a, kCount);
           cudaLaunchAttribute attribute{};
           attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
           attribute.val.programmaticStreamSerializationAllowed = 1;
           cudaLaunchConfig_t config{};
           config.gridDim = dim3(kBlocks), config.blockDim = dim3(kThreads);
           config.stream = w.stream;
           config.attrs = &attribute, config.numAttrs = 1;
           Check(cudaLaunchKernelEx(&config, Dependent, w.a, kCount));
           Second<<<kBlocks, kThreads, 0, w.stream>>>(w.a, kCount);
         })));
}

void RunWaiting(World& w) {
  const cudaGraphExec_t exec = Made(Captured(w.stream, [&] {
    First<<<kBlocks, kThreads, 0, w.stream>>>(w.a, kCount);
    WaitForHost<<<1, 1, 0, w.stream>>>(w.a, w.host);
  }));
  for (int i = 0; i < kLaunches; ++i) {
    *static_cast<volatile unsigned*>(w.host) = 0;
    Check(cudaGraphLaunch(exec, w.stream));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    *static_cast<volatile unsigned*>(w.host) = 1;
    Check(cudaStreamSynchronize(w.stream));
  }
}

void RunAttributes(World& w) {
  Launch(w, Made(Captured(w.stream, [&] { LaunchWithAttributes(w); })));
}

void RunAttributesInAStream(World& w) {
  for (int i = 0; i < kLaunches; ++i) LaunchWithAttributes(w);
}

// The driver lets launches of one executable graph wait for each other.
void RunStreams(World& w) {
  const cudaGraphExec_t exec = Made(MixedOf(w).graph);
  for (int i = 0; i < 20 * kLaunches; ++i) Check(cudaGraphLaunch(exec, i % 2 == 0 ? w.stream : w.other));
  Check(cudaStreamSynchronize(w.other));
  w.Look();
}

// Another thread captures in the meantime.
void RunBesidesACapture(World& w, cudaStreamCaptureMode mode) {
  const cudaGraphExec_t exec = Made(MixedOf(w).graph);
  Dependent<<<kBlocks, kThreads, 0, w.stream>>>(w.a, kCount);
  Launch(w, exec, 1);
  std::atomic<bool> captures = false, ends = false;
  std::thread other([&] {
    const cudaGraph_t graph = Captured(
        w.other,
        [&] {
          First<<<kBlocks, kThreads, 0, w.other>>>(w.b, kCount);
          captures = true;
          while (!ends) std::this_thread::yield();
          Second<<<kBlocks, kThreads, 0, w.other>>>(w.b, kCount);
        },
        mode);
    Check(cudaGraphLaunch(Made(graph), w.other));
    Check(cudaStreamSynchronize(w.other));
  });
  while (!captures) std::this_thread::yield();
  for (int i = 0; i < kLaunches; ++i) Check(cudaGraphLaunch(exec, w.stream));
  Dependent<<<kBlocks, kThreads, 0, w.stream>>>(w.a, kCount);
  ends = true;
  other.join();
  Launch(w, exec, 1);
}

void RunBesidesAGlobalCapture(World& w) { RunBesidesACapture(w, cudaStreamCaptureModeGlobal); }
void RunBesidesALocalCapture(World& w) { RunBesidesACapture(w, cudaStreamCaptureModeThreadLocal); }

// A long chain, of which a few kernels are counted.
void RunLong(World& w) {
  Launch(w, Made(Captured(w.stream, [&] {
           for (int i = 0; i < 2000; ++i) First<<<kBlocks, kThreads, 0, w.stream>>>(i % 2 ? w.a : w.b, kCount);
         })));
}

const std::map<std::string, void (*)(World&)> kWays = {
    {"mixed", RunMixed},
    {"stream", RunStream},
    {"many", RunMany},
    {"updated", RunUpdated},
    {"replaced", RunReplaced},
    {"switched_off", RunSwitchedOff},
    {"child", RunPlainChild},
    {"child_updated", RunUpdatedChild},
    {"conditional", RunConditional},
    {"allocation", RunAllocation},
    {"host", RunHost},
    {"forked", RunForked},
    {"attributes", RunAttributes},
    {"attributes_stream", RunAttributesInAStream},
    {"dependent", RunDependent},
    {"waiting", RunWaiting},
    {"streams", RunStreams},
    {"captures", RunBesidesAGlobalCapture},
    {"captures_locally", RunBesidesALocalCapture},
    {"long", RunLong},
};

}  // namespace

int main(int argc, char** argv) {
  const auto way = kWays.find(argc > 1 ? argv[1] : "mixed");
  if (way == kWays.end()) return 2;
  World w;
  way->second(w);
  w.Print();
  return 0;
}
