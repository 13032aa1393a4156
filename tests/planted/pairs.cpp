// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/pairs.h"

#include "analysis/judge/difference/decompose.h"

namespace culprit::testing {

std::vector<KernelRecord> LoadKernels(const Database& database, const Table& rows, std::size_t column) {
  std::vector<LaunchId> launches;
  for (const auto& row : rows.rows) launches.push_back(std::get<std::int64_t>(row[column]));
  return database.LoadKernels(launches);
}

std::map<std::string, KernelRecord> LaunchesByKernel(const Database& database) {
  std::map<std::string, KernelRecord> launches;
  for (KernelRecord& record : LoadKernels(database, database.Query("SELECT id FROM launch WHERE state = 'ok'"))) {
    std::string name = record.stage.id;
    launches.emplace(std::move(name), std::move(record));
  }
  return launches;
}

PlantedPairs::PlantedPairs(const Database& planted, const std::filesystem::path& answers) {
  const Table rows = planted.Query(
      "SELECT launch.id, run_id, shape, stage.key FROM launch JOIN stage ON stage.id = stage_id WHERE state = 'ok' "
      "ORDER BY run_id, CAST(shape AS INTEGER), stage.key");
  std::vector<KernelRecord> launches = LoadKernels(planted, rows);
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const auto& row = rows.rows[i];
    KernelRecord& kernel = launches[i];
    if (!CountersOf(KernelView(kernel)).counters) continue;
    kernels_[{std::to_string(std::get<std::int64_t>(row[1])), std::get<std::string>(row[2])}].try_emplace(
        std::get<std::string>(row[3]), std::move(kernel));
  }
  for (const PlantedAnswer& answer : ReadAnswers(answers / "answers.csv"))
    for (const auto& [place, kernels] : kernels_) {
      const auto base = kernels.find(answer.base), candidate = kernels.find(answer.candidate);
      if (base == kernels.end() || candidate == kernels.end()) continue;
      pairs_.push_back({answer, place.first, place.second, &base->second, &candidate->second});
    }
}

}  // namespace culprit::testing
