// SPDX-License-Identifier: Apache-2.0
#include "profiler/sass_collector.h"

#include <cuda_runtime_api.h>

#include <chrono>
#include <optional>
#include <utility>

#include "profiler/cuda_context.h"
#include "profiler/cupti_call.h"
#include "profiler/sass_session.h"

namespace culprit {

SassCollector::SassCollector(MetricSet set, std::string chip)
    : metrics_(MetricsOf(MetricSource::kSass, set, chip)), chip_(std::move(chip)) {}

std::vector<Repetitions> SassCollector::Collect(std::span<const Counted> work) {
  if (!work.empty() && refused_ == ReadingStatus::kOk) trouble_.reset();
  std::vector<Repetitions> readings;
  for (const Counted& w : work) readings.push_back({CollectOne(w)});
  return readings;
}

std::vector<Reading> SassCollector::CollectOne(const Counted& work) {
  function_.clear();
  instructions_.clear();
  if (refused_ != ReadingStatus::kOk) return SassReadings(metrics_, chip_, refused_);
  try {
    const auto begin = std::chrono::steady_clock::now();
    const CUcontext context = CurrentContext();
    if (work.prepare) work.prepare();  // before patching, so that its kernels are not the first ones seen
    int device = 0;
    CheckCuda(cudaGetDevice(&device), "ask for the current device");
    SassCounts counts;
    {
      std::optional<SassSession> session;
      const auto patch = [&] { session.emplace(context, static_cast<unsigned>(device), chip_, metrics_); };
      if (work.kernel.empty()) {
        patch();
        work.launch();
      } else {
        const auto alone = [&] {
          CheckCuda(cudaDeviceSynchronize(), "run the kernels before the patched one");
          patch();
        };
        modules_.BeforeLaunchOf(work.kernel, alone, work.launch);
      }
      CheckCuda(cudaDeviceSynchronize(), "run the patched kernel");
      counts = session->Fetch();
    }
    function_ = counts.function;
    instructions_ = counts.by_instruction.Records();
    for (InstructionRecord& i : instructions_) {
      i.opcode = modules_.Opcode(i.function, i.pc_offset);
      if (const auto line = modules_.Find(i.function, i.pc_offset)) {
        i.source_file = line->file;
        i.source_line = line->line;
      }
    }
    cost_.launch_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    ++cost_.launches;
    cost_.passes = 1;
    return counts.readings;
  } catch (const CuptiError& e) {
    trouble_ = e.code() == CUPTI_ERROR_OUT_OF_MEMORY ? Warning{"sass_failed",
                                                               "CUPTI counts one kernel per process, and this process "
                                                               "has counted one: exact counts were not read"}
                                                     : Explain(e);
    refused_ = StatusOf(e.code());
    return SassReadings(metrics_, chip_, refused_);
  } catch (const Error& e) {
    trouble_ = Warning{"sass_failed", std::string(e.what()) + ": exact counts were not read"};
    return SassReadings(metrics_, chip_, ReadingStatus::kFailed);
  }
}

}  // namespace culprit
