// SPDX-License-Identifier: Apache-2.0
#include "profiler/launch_probe.h"

#include <cuda.h>
#include <fmt/format.h>

#include "db/error.h"
#include "profiler/cuda_context.h"

namespace culprit {
namespace {

struct Stream {
  cudaStream_t handle = nullptr;
  Stream() { CheckCuda(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking), "create a stream"); }
  ~Stream() { cudaStreamDestroy(handle); }
};

struct Graph {
  cudaGraph_t handle = nullptr;
  ~Graph() {
    if (handle != nullptr) cudaGraphDestroy(handle);
  }
};

struct Driver {
  // _v2 (12.0) fills `kern` for library kernels that have no CUfunction yet.
  CUresult (*node_params)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS*) = DriverFunction("cuGraphKernelNodeGetParams", 12000);
  CUresult (*name)(const char**, CUfunction) = DriverFunction("cuFuncGetName", 12030);
  CUresult (*attribute)(int*, CUfunction_attribute, CUfunction) = DriverFunction("cuFuncGetAttribute", 12000);
  CUresult (*kernel_function)(CUfunction*, CUkernel) = DriverFunction("cuKernelGetFunction", 12000);
};

// One row per attribute of the loaded function.
constexpr struct {
  CUfunction_attribute attribute;
  const char* name;
} kAttributes[] = {{CU_FUNC_ATTRIBUTE_NUM_REGS, "registers"},
                   {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, "static_shared_bytes"},
                   {CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, "user_constant_bytes"},
                   {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, "local_bytes"},
                   {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, "max_threads"}};

KernelLaunch Describe(const Driver& driver, cudaGraphNode_t node) {
  CUDA_KERNEL_NODE_PARAMS p{};
  if (driver.node_params(node, &p) != CUDA_SUCCESS) throw Error("cannot read a captured kernel launch");
  CUfunction function = p.func;
  if (function == nullptr && p.kern != nullptr) driver.kernel_function(&function, p.kern);
  KernelLaunch launch;
  launch.grid = {p.gridDimX, p.gridDimY, p.gridDimZ};
  launch.block = {p.blockDimX, p.blockDimY, p.blockDimZ};
  launch.dynamic_shared_bytes = p.sharedMemBytes;
  const char* name = nullptr;
  if (driver.name(&name, function) == CUDA_SUCCESS && name != nullptr) launch.kernel = name;
  int version = 0;
  if (driver.attribute(&version, CU_FUNC_ATTRIBUTE_BINARY_VERSION, function) == CUDA_SUCCESS)
    launch.arch = fmt::format("sm_{}", version);
  for (const auto& a : kAttributes) {
    int value = 0;
    StaticAttribute attribute{a.name, "runtime", std::nullopt, ReadingStatus::kFailed};
    if (driver.attribute(&value, a.attribute, function) == CUDA_SUCCESS)
      attribute = {a.name, "runtime", static_cast<double>(value), ReadingStatus::kOk};
    launch.attributes.push_back(attribute);
  }
  return launch;
}

}  // namespace

std::vector<KernelLaunch> ProbeLaunch(const std::function<void(cudaStream_t)>& launch) {
  const Stream stream;
  Graph graph;
  CheckCuda(cudaStreamBeginCapture(stream.handle, cudaStreamCaptureModeThreadLocal), "capture a launch");
  bool launched = true;
  try {
    launch(stream.handle);
  } catch (const Error&) {
    launched = false;  // a launch that waits cannot be captured; verification checks whether it runs
  }
  const bool captured = cudaStreamEndCapture(stream.handle, &graph.handle) == cudaSuccess;
  cudaGetLastError();
  if (!launched || !captured || graph.handle == nullptr) return {};

  std::size_t count = 0;
  CheckCuda(cudaGraphGetNodes(graph.handle, nullptr, &count), "list captured work");
  std::vector<cudaGraphNode_t> nodes(count);
  CheckCuda(cudaGraphGetNodes(graph.handle, nodes.data(), &count), "list captured work");
  const Driver driver;
  std::vector<KernelLaunch> launches;
  for (cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    CheckCuda(cudaGraphNodeGetType(node, &type), "ask what was captured");
    if (type == cudaGraphNodeTypeKernel) launches.push_back(Describe(driver, node));
  }
  return launches;
}

}  // namespace culprit
