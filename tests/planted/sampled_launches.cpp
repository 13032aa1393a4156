// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/sampled_launches.h"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "analysis/judge/difference/decompose.h"
#include "analysis/launch/kernel_view.h"

namespace culprit::testing {
namespace {

// Launches of the same code at the same size: itself, then those of all runs.
std::vector<std::int64_t> LaunchesOf(const Database& database, const KernelRecord& sampled) {
  std::vector<std::int64_t> found = {sampled.id};
  const auto rows =
      database.Query("SELECT launch.id FROM launch JOIN stage ON stage.id = stage_id WHERE stage.key = '" +
                     sampled.stage.id + "' AND shape = '" + sampled.launch.shape + "' ORDER BY launch.id");
  for (const auto& row : rows.rows) {
    const auto id = std::get<std::int64_t>(row[0]);
    if (id != sampled.id && database.LoadKernel(id).cubin_digest == sampled.cubin_digest) found.push_back(id);
  }
  return found;
}

std::vector<InstructionRecord> CountedInstructions(const Database& database, std::span<const std::int64_t> launches) {
  for (const std::int64_t id : launches)
    if (auto counted = database.Instructions(id); !counted.empty()) return counted;
  return {};
}

std::optional<KernelRecord> Counters(const Database& database, std::span<const std::int64_t> launches) {
  for (const std::int64_t id : launches)
    if (KernelRecord record = database.LoadKernel(id); CountersOf(KernelView(record)).counters) return record;
  return std::nullopt;
}

}  // namespace

std::vector<SampledLaunch> SampledLaunches(const Database& database) {
  const auto rows = database.Query(
      "SELECT launch.id FROM launch JOIN stage ON stage.id = stage_id WHERE state = 'ok' "
      "ORDER BY run_id, CAST(shape AS INTEGER), stage.key");
  std::vector<SampledLaunch> found;
  for (const auto& row : rows.rows) {
    const auto id = std::get<std::int64_t>(row[0]);
    const auto sampling = database.Sampling(id);
    if (!sampling) continue;
    KernelRecord record = database.LoadKernel(id);
    const auto time_us = KernelView(record).Get("time_us");
    if (!time_us) continue;
    const std::vector<std::int64_t> launches = LaunchesOf(database, record);
    std::vector<InstructionRecord> counted = CountedInstructions(database, launches);
    KernelCosts costs = CostsOf(*time_us, *sampling, counted);
    found.push_back({std::move(record), std::move(counted), Counters(database, launches), std::move(costs)});
  }
  return found;
}

}  // namespace culprit::testing
