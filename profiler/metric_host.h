// SPDX-License-Identifier: Apache-2.0
// CUPTI's host API: the metrics of a chip, their schedule, and their values from counters. Needs no GPU.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace culprit {

class MetricHost {
 public:
  // How the counters are read. A chip has other counters for sampling than for replay.
  enum class For { kReplay, kSampling };

  // `availability`: the counter availability image of a context. Empty: for a chip that this machine does not have.
  // Throws culprit::Error if CUPTI does not know `chip`.
  explicit MetricHost(const std::string& chip, std::span<const std::uint8_t> availability = {}, For how = For::kReplay);
  ~MetricHost();
  MetricHost(MetricHost&&) noexcept;
  MetricHost& operator=(MetricHost&&) noexcept;

  // Schedules `names` in one call, because one call per metric would give one pass per metric. Returns false if CUPTI
  // refuses one of them; do not use the object afterwards.
  bool Add(const std::vector<const char*>& names);
  std::vector<std::uint8_t> ConfigImage();
  static std::size_t PassCount(std::vector<std::uint8_t>& config_image);
  // Values of one range of a decoded counter data image, in the order of `names`.
  std::vector<double> Evaluate(std::span<const std::uint8_t> counter_data, std::size_t range,
                               std::span<const char* const> names);
  // The chip's counters by base name, "smsp__warps_active". A metric is a counter and a rollup, ".sum".
  std::vector<std::string> BaseCounters();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// True when CUPTI schedules `name` on `chip`.
bool MetricExists(const std::string& chip, const char* name, std::span<const std::uint8_t> availability = {});

// The SASS metrics that CUPTI offers on `chip`, by name, with CUPTI's id.
struct SassMetric {
  std::string name;
  std::uint64_t id = 0;
};
std::vector<SassMetric> SassMetricsOn(const std::string& chip);

}  // namespace culprit
