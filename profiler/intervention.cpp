// SPDX-License-Identifier: Apache-2.0
#include "profiler/intervention.h"

#include <cuda.h>
#include <cupti.h>  // only the full header declares the parameters of driver calls
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "db/error.h"
#include "db/records.h"
#include "profiler/cuda_context.h"
#include "profiler/cupti_call.h"
#include "profiler/launch_calls.h"

namespace culprit {
namespace {

// Launch attributes that do not affect shared memory or residency.
bool IsHarmless(CUlaunchAttributeID id) {
  return id == CU_LAUNCH_ATTRIBUTE_IGNORE || id == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW ||
         id == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY || id == CU_LAUNCH_ATTRIBUTE_PRIORITY ||
         id == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP || id == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN;
}

std::string SpecialOf(const CUlaunchConfig& config) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute& attribute = config.attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
      if (attribute.value.cooperative != 0) return "a cooperative launch";
    } else if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      return "a launch in clusters";
    } else if (!IsHarmless(attribute.id)) {
      return fmt::format("a launch with attribute {} of CUDA's", static_cast<int>(attribute.id));
    }
  }
  return {};
}

struct Driver {
  CUresult (*get)(int*, CUfunction_attribute, CUfunction) = DriverFunction("cuFuncGetAttribute", 12000);
  CUresult (*set)(CUfunction, CUfunction_attribute, int) = DriverFunction("cuFuncSetAttribute", 12000);
  CUresult (*kernel_function)(CUfunction*, CUkernel) = DriverFunction("cuKernelGetFunction", 12000);
  CUresult (*active_blocks)(int*, CUfunction, int,
                            std::size_t) = DriverFunction("cuOccupancyMaxActiveBlocksPerMultiprocessor", 12000);
};

// Bytes: the allocation granularity of shared memory (profiler/occupancy.h).
constexpr std::int64_t kStep = 128;

void CheckDriver(CUresult result, std::string_view doing) {
  if (result != CUDA_SUCCESS)
    throw Error(fmt::format("cannot {} (CUDA driver error {})", doing, static_cast<int>(result)));
}

constexpr CUfunction_attribute kClusterAttributes[] = {
    CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
    CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH};

}  // namespace

struct LaunchIntervention::Impl {
  Impl() {
    Check(cuptiSubscribe(&subscriber, OnLaunch, this), "watch launches, which another tool seems to do");
    for (const CUpti_CallbackId id : kLaunchCalls) cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id);
  }
  ~Impl() { LogFailure(cuptiUnsubscribe(subscriber), "stop watching launches"); }
  Impl(const Impl&) = delete;

  void Run(std::int64_t bytes, const std::function<void()>& work) {
    struct Armed {
      explicit Armed(Impl& i) : impl(i) { impl.thread = std::this_thread::get_id(); }
      ~Armed() { impl.thread = {}; }
      Impl& impl;
    };
    seen.clear();
    added_shared_bytes = bytes;
    const Armed armed(*this);
    work();
  }

  // Must not throw through CUDA, so memory is reserved before.
  void Note(const SeenLaunch& launch) noexcept {
    try {
      seen.push_back(launch);
    } catch (...) {
      lost = true;
    }
  }

  template <class LaunchParams>
  void OnPlain(const void* params, bool cooperative) {
    auto* p = static_cast<LaunchParams*>(const_cast<void*>(params));
    Note({p->f,
          {p->gridDimX, p->gridDimY, p->gridDimZ},
          {p->blockDimX, p->blockDimY, p->blockDimZ},
          p->sharedMemBytes,
          cooperative ? "a cooperative launch" : ""});
    p->sharedMemBytes += static_cast<unsigned>(added_shared_bytes);
  }

  void OnExtended(const void* params) {
    auto* p = static_cast<cuLaunchKernelEx_params*>(const_cast<void*>(params));
    const CUlaunchConfig& c = *p->config;
    Note({p->f,
          {c.gridDimX, c.gridDimY, c.gridDimZ},
          {c.blockDimX, c.blockDimY, c.blockDimZ},
          c.sharedMemBytes,
          SpecialOf(c)});
    // The caller's own config stays unchanged, because it may be used again.
    config = c;
    config.sharedMemBytes += static_cast<unsigned>(added_shared_bytes);
    p->config = &config;
  }

  static void CUPTIAPI OnLaunch(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
    const auto* call = static_cast<const CUpti_CallbackData*>(data);
    auto& impl = *static_cast<Impl*>(self);
    if (domain != CUPTI_CB_DOMAIN_DRIVER_API || call->callbackSite != CUPTI_API_ENTER) return;
    if (impl.thread != std::this_thread::get_id()) return;
    switch (id) {
      case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
      case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
        return impl.OnPlain<cuLaunchKernel_params>(call->functionParams, false);
      case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
      case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
        return impl.OnPlain<cuLaunchCooperativeKernel_params>(call->functionParams, true);
      default:
        return impl.OnExtended(call->functionParams);
    }
  }

  CUpti_SubscriberHandle subscriber = nullptr;
  std::thread::id thread;  // the thread whose launches count; none: no thread
  std::int64_t added_shared_bytes = 0;
  CUlaunchConfig config{};
  std::vector<SeenLaunch> seen;
  bool lost = false;
};

LaunchIntervention::LaunchIntervention() : impl_(std::make_unique<Impl>()) {}
LaunchIntervention::~LaunchIntervention() = default;

std::vector<SeenLaunch> LaunchIntervention::Watch(const std::function<void()>& work) {
  impl_->Run(0, work);
  if (impl_->lost) throw Error("cannot watch launches: not enough host memory");
  const Driver driver;
  for (SeenLaunch& launch : impl_->seen) {
    // The runtime launches a CUkernel, which is not a CUfunction yet.
    int value = 0;
    if (driver.get(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, static_cast<CUfunction>(launch.function)) != CUDA_SUCCESS) {
      CUfunction function = nullptr;
      CheckDriver(driver.kernel_function(&function, static_cast<CUkernel>(launch.function)),
                  "ask which function a kernel is");
      launch.function = function;
    }
    for (const CUfunction_attribute attribute : kClusterAttributes)
      if (driver.get(&value, attribute, static_cast<CUfunction>(launch.function)) == CUDA_SUCCESS && value != 0)
        launch.special = "a launch in clusters";
  }
  return impl_->seen;
}

void LaunchIntervention::LaunchWith(std::int64_t added_shared_bytes, const std::function<void()>& work) {
  impl_->Run(added_shared_bytes, work);
  if (impl_->seen.size() != 1) throw Error(fmt::format("a launch of {} kernels cannot be changed", impl_->seen.size()));
}

struct KernelResidency::Impl {
  explicit Impl(const SeenLaunch& launch)
      : function(static_cast<CUfunction>(launch.function)),
        threads(static_cast<int>(launch.block.x * launch.block.y * launch.block.z)),
        dynamic_bytes(launch.dynamic_shared_bytes),
        static_bytes(Get(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)),
        allowed_before(Get(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)),
        carveout_before(Get(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)) {
    int device = 0, most = 0;
    CheckCuda(cudaGetDevice(&device), "ask for the current device");
    CheckCuda(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
              "ask how much shared memory a block can have");
    most_dynamic = most - static_bytes;
    Set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(most_dynamic));
  }
  ~Impl() {
    driver.set(function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, carveout_before);
    driver.set(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, allowed_before);
  }
  Impl(const Impl&) = delete;

  int Get(CUfunction_attribute attribute) const {
    int value = 0;
    CheckDriver(driver.get(&value, attribute, function), "ask for an attribute of a kernel");
    return value;
  }
  void Set(CUfunction_attribute attribute, int value) const {
    CheckDriver(driver.set(function, attribute, value), "set an attribute of a kernel");
  }

  Driver driver;
  CUfunction function;
  int threads;
  std::int64_t dynamic_bytes, static_bytes, most_dynamic = 0;
  int allowed_before, carveout_before;
};

KernelResidency::KernelResidency(const SeenLaunch& launch) : impl_(std::make_unique<Impl>(launch)) {}
KernelResidency::~KernelResidency() = default;

void KernelResidency::SetCarveout(int percent) {
  impl_->Set(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
             percent == kCarveoutAsItIs ? impl_->carveout_before : percent);
}

int KernelResidency::BlocksWith(std::int64_t added_shared_bytes) const {
  int blocks = 0;
  CheckDriver(impl_->driver.active_blocks(&blocks, impl_->function, impl_->threads,
                                          static_cast<std::size_t>(impl_->dynamic_bytes + added_shared_bytes)),
              "ask how many blocks fit an SM");
  return blocks;
}

std::optional<std::int64_t> KernelResidency::BytesFor(int blocks) const {
  if (BlocksWith(0) == blocks) return 0;
  const std::int64_t most = (impl_->most_dynamic - impl_->dynamic_bytes) / kStep;
  // The fewest steps with which fewer than `than` blocks fit, by bisection: more memory never lets more blocks fit.
  const auto first_below = [&](int than) {
    std::int64_t low = 0, high = most + 1;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (BlocksWith(middle * kStep) < than)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  };
  // The middle of the valid range, because driver and hardware may disagree at its ends.
  const std::int64_t added = (first_below(blocks + 1) + first_below(blocks) - 1) / 2 * kStep;
  if (added <= 0 || added > most * kStep || BlocksWith(added) != blocks) return std::nullopt;
  return added;
}

bool KernelResidency::UsesSharedMemory() const { return impl_->static_bytes + impl_->dynamic_bytes > 0; }

}  // namespace culprit
