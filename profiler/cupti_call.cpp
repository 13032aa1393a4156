// SPDX-License-Identifier: Apache-2.0
#include "profiler/cupti_call.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <string>

namespace culprit {
namespace {

std::string Words(CUptiResult result) {
  const char* text = nullptr;
  if (cuptiGetResultString(result, &text) != CUPTI_SUCCESS || text == nullptr) text = "unknown CUPTI error";
  return fmt::format("{} ({})", text, static_cast<int>(result));
}

}  // namespace

void Check(CUptiResult result, std::string_view doing, std::source_location where) {
  if (result == CUPTI_SUCCESS) return;
  throw CuptiError(result, fmt::format("cannot {}: {} [{}:{}]", doing, Words(result),
                                       std::filesystem::path(where.file_name()).filename().string(), where.line()));
}

void LogFailure(CUptiResult result, std::string_view doing) noexcept {
  if (result != CUPTI_SUCCESS)
    std::fprintf(stderr, "culprit: cannot %.*s: CUPTI error %d\n", static_cast<int>(doing.size()), doing.data(),
                 static_cast<int>(result));
}

CUptiResult InitializeProfiler() {
  auto p = Params<CUpti_Profiler_Initialize_Params>();
  return cuptiProfilerInitialize(&p);
}

ReadingStatus StatusOf(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
    case CUPTI_ERROR_HARDWARE_BUSY:
      return ReadingStatus::kDenied;
    case CUPTI_ERROR_NOT_SUPPORTED:
    case CUPTI_ERROR_INVALID_CHIP_NAME:
    case CUPTI_ERROR_INVALID_METRIC_NAME:
    case CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED:
    case CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_WITH_MPS:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
    case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
      return ReadingStatus::kUnsupported;
    default:
      return ReadingStatus::kFailed;
  }
}

Warning Explain(const CuptiError& error) {
  switch (error.code()) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return {"counters_denied",
              "the driver does not let this user read hardware counters: run as root, or load the nvidia module with "
              "NVreg_RestrictProfilingToAdminUsers=0"};
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
    case CUPTI_ERROR_HARDWARE_BUSY:
      return {
          "second_profiler",
          "another profiler holds the counters of this GPU or process (ncu, nsys, DCGM?): stop it and measure again"};
    case CUPTI_ERROR_INVALID_CHIP_NAME:
      return {"unknown_chip", "this CUPTI does not know this GPU: install a newer CUDA Toolkit to read its counters"};
    default:
      if (StatusOf(error.code()) == ReadingStatus::kUnsupported)
        return {"counters_unsupported",
                std::string(error.what()) +
                    ": hardware counters are not available here; times and static attributes are still recorded"};
      return {"counters_failed", std::string(error.what()) + ": hardware counters were not read"};
  }
}

}  // namespace culprit
