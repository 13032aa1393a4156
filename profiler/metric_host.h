// SPDX-License-Identifier: Apache-2.0
// CUPTI's host side: which metrics a chip has, how to schedule them, what their counters mean. Needs no GPU.
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
  // `availability` is the counter availability image of a live context, or empty to plan for a chip that is not here.
  // Throws culprit::Error when CUPTI does not know `chip`.
  explicit MetricHost(const std::string& chip, std::span<const std::uint8_t> availability = {});
  ~MetricHost();
  MetricHost(MetricHost&&) noexcept;
  MetricHost& operator=(MetricHost&&) noexcept;

  // Schedules `names` in one call (one call per metric would make one pass per metric).
  // False when CUPTI refuses one of them; the object is then spent.
  bool Add(const std::vector<const char*>& names);
  std::vector<std::uint8_t> ConfigImage();
  static std::size_t PassCount(std::vector<std::uint8_t>& config_image);
  // Values of one range of a decoded counter data image, in the order of `names`.
  std::vector<double> Evaluate(std::span<const std::uint8_t> counter_data, std::size_t range,
                               std::vector<const char*> names);
  // The counters of the chip by base name, "smsp__warps_active": a metric is one of them and a rollup, ".sum".
  std::vector<std::string> BaseCounters();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// True when CUPTI schedules `name` on `chip`.
bool MetricExists(const std::string& chip, const char* name, std::span<const std::uint8_t> availability = {});

// The SASS metrics that CUPTI offers on `chip`, by name, with the id it knows them by.
struct SassMetric {
  std::string name;
  std::uint64_t id = 0;
};
std::vector<SassMetric> SassMetricsOn(const std::string& chip);

std::vector<std::string> SupportedChips();

}  // namespace culprit
