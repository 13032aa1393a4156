// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/exact_counter.h"

#include <cuda_runtime_api.h>
#include <cupti.h>

#include <utility>

#include "db/error.h"
#include "profiler/cuda_context.h"
#include "profiler/device_info.h"
#include "profiler/sass_session.h"
#include "profiler/trace/kept_instructions.h"

namespace culprit {

ExactCounter::ExactCounter(KernelCode& code) : code_(code) {}
ExactCounter::~ExactCounter() = default;

void ExactCounter::Begin(CUcontext context) {
  if (std::exchange(has_counted_, true))
    throw Error("CUPTI counts one kernel per process, and this process has counted one: exact counts were not read");
  std::uint32_t device = 0;
  Check(cuptiGetDeviceId(context, &device), "ask for the device of a context");
  const std::string chip = ChipName();
  metrics_ = MetricsOf(MetricSource::kSass, MetricSet::kFull, chip);
  session_ = std::make_unique<SassSession>(context, device, chip, metrics_);
}

void ExactCounter::Wait() { CheckCuda(cudaDeviceSynchronize(), "run the patched kernel"); }

LaunchCounts ExactCounter::End() {
  if (session_ == nullptr) return {};
  const SassCounts counts = session_->Fetch();
  session_.reset();
  LaunchCounts out{counts.readings};
  std::vector<InstructionRecord> instructions = counts.by_instruction.Records();
  for (InstructionRecord& instruction : instructions) code_.Describe(instruction);
  out.instructions = KeptInstructions(instructions);
  return out;
}

}  // namespace culprit
