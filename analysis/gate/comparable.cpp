// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate/comparable.h"

#include <fmt/core.h>

#include "analysis/number/format.h"

namespace culprit {

namespace {

// "NVIDIA H200, GPU-0a1b2c3d" or, of several GPUs, "NVIDIA H200, GPU-0a1b2c3d,GPU-..."
std::string CardText(const RunRecord& run) {
  constexpr std::size_t kUuidShown = 12;  // "GPU-" and 8 digits tell one card from another
  std::string text = run.device->name;
  if (!run.gpu_uuids.empty())
    text += ", " + run.gpu_uuids.substr(0, kUuidShown) +
            (run.gpu_uuids.find(',') == std::string::npos ? "" : " and others");
  return text;
}

// What people compare two cards by.
struct CardProperty {
  const char* name;
  std::string (*text)(const RunRecord&);
};
constexpr CardProperty kCardProperties[] = {
    {"SMs", [](const RunRecord& r) { return fmt::format("{}", r.device->sm_count); }},
    {"highest SM clock", [](const RunRecord& r) { return Format(r.device->sm_clock_mhz, Unit::kMhz); }},
    {"memory bandwidth",
     [](const RunRecord& r) { return fmt::format("{:.0f} GB/s", r.device->dram_bytes_per_s / 1e9); }},
    {"memory",
     [](const RunRecord& r) {
       return fmt::format("{:.1f} GiB", static_cast<double>(r.device->memory_bytes) / (1 << 30));
     }},
    {"L2",
     [](const RunRecord& r) { return fmt::format("{:.1f} MiB", static_cast<double>(r.device->l2_bytes) / (1 << 20)); }},
    {"driver", [](const RunRecord& r) { return r.toolchain.driver.empty() ? "unknown" : r.toolchain.driver; }},
};

// "SMs 132 -> 114, driver 580.1 -> 575.2"; empty: nothing that is known.
std::string WhatDiffers(const RunRecord& base, const RunRecord& candidate) {
  std::string differs;
  for (const auto& [name, text] : kCardProperties)
    if (const std::string was = text(base), is = text(candidate); was != is)
      differs += fmt::format("{}{} {} -> {}", differs.empty() ? "" : ", ", name, was, is);
  return differs;
}

bool AreOnOneGpu(const RunRecord& base, const RunRecord& candidate) {
  const Device &b = *base.device, &c = *candidate.device;
  const bool known = !base.gpu_uuids.empty() && !candidate.gpu_uuids.empty();
  return b.name == c.name && b.sm_count == c.sm_count && (!known || base.gpu_uuids == candidate.gpu_uuids);
}

// A trace of another tool need not name the GPU.
bool MayBeOfAnyGpu(const RunRecord& run) {
  return !run.device && run.program && run.program->source != ProgramSource::kRecord;
}

// "The base run was recorded on NVIDIA H100, GPU-..., and the candidate run on NVIDIA H200, GPU-...: SMs 132 -> 114"
std::string OtherGpuText(const RunRecord& base, const RunRecord& candidate) {
  const std::string differs = WhatDiffers(base, candidate);
  return fmt::format("The base run was recorded on {} and the candidate run on {} ({}).", CardText(base),
                     CardText(candidate),
                     differs.empty() ? "two GPUs of one model with the same driver" : "what differs: " + differs);
}

}  // namespace

std::string WhyNotComparable(const RunRecord& base, const RunRecord& candidate, bool other_gpu) {
  for (const auto& [run, name] : {std::pair{&base, "base"}, std::pair{&candidate, "candidate"}})
    if (!run->device && !MayBeOfAnyGpu(*run))
      return fmt::format("The {} run was recorded without a GPU: record it again on the machine of the other.", name);
  const bool both_named = base.device && candidate.device;
  if (!other_gpu && !both_named && (base.device || candidate.device))
    return fmt::format("The file of the {} run does not name its GPU. Compare them nevertheless with {}.",
                       base.device ? "candidate" : "base", kOtherGpu);
  if (!other_gpu && both_named && !AreOnOneGpu(base, candidate))
    return fmt::format("{} Record both on one GPU, or compare them nevertheless with {}.",
                       OtherGpuText(base, candidate), kOtherGpu);
  if (base.l2 != candidate.l2)
    return fmt::format(
        "The L2 cache was {} between samples of the base run and {} in the candidate run: record both "
        "with the same --l2.",
        base.l2 == "flush" ? "flushed" : "hot", candidate.l2 == "flush" ? "flushed" : "hot");
  return {};
}

std::vector<std::string> Differences(const RunSummary& base, const RunSummary& candidate) {
  std::vector<std::string> differences;
  const auto say = [&](const char* what, const std::string& was, const std::string& is) {
    if (was != is)
      differences.push_back(fmt::format("{}: {} in the base run, {} in the candidate run.", what,
                                        was.empty() ? "unknown" : was, is.empty() ? "unknown" : is));
  };
  if (base.run.device && candidate.run.device && !AreOnOneGpu(base.run, candidate.run))
    differences.push_back(OtherGpuText(base.run, candidate.run) + " A difference may come from the GPU.");
  if (MayBeOfAnyGpu(base.run) || MayBeOfAnyGpu(candidate.run))
    differences.push_back("It is not known whether both runs are of one GPU, because a file does not name its GPU.");
  const Toolchain &b = base.run.toolchain, &c = candidate.run.toolchain;
  say("driver", b.driver, c.driver);
  say("CUDA runtime", b.cuda_runtime, c.cuda_runtime);
  say("nvcc", b.nvcc, c.nvcc);
  for (const auto& [run, name] : {std::pair{&base, "base"}, std::pair{&candidate, "candidate"}})
    if (run->state != "complete")
      differences.push_back(fmt::format("The {} run is {}: what it had not stored is missing here.", name, run->state));
  return differences;
}

}  // namespace culprit
