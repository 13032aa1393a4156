// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/sampled_launches.h"

#include <cstdint>
#include <utility>
#include <variant>

#include "analysis/kernel/kernel_view.h"

namespace culprit::testing {
namespace {

std::vector<InstructionRecord> CountedInstructions(const Database& database, const KernelRecord& sampled) {
  if (auto counted = database.Instructions(sampled.id); !counted.empty()) return counted;
  const auto rows =
      database.Query("SELECT launch.id FROM launch JOIN stage ON stage.id = stage_id WHERE stage.key = '" +
                     sampled.stage.id + "' AND shape = '" + sampled.launch.shape + "' ORDER BY launch.id");
  for (const auto& row : rows.rows) {
    const auto id = std::get<std::int64_t>(row[0]);
    if (database.LoadKernel(id).cubin_digest != sampled.cubin_digest) continue;
    if (auto counted = database.Instructions(id); !counted.empty()) return counted;
  }
  return {};
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
    std::vector<InstructionRecord> counted = CountedInstructions(database, record);
    KernelCosts costs = CostsOf(*time_us, *sampling, counted);
    found.push_back({std::move(record), std::move(counted), std::move(costs)});
  }
  return found;
}

}  // namespace culprit::testing
