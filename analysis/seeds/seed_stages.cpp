// SPDX-License-Identifier: Apache-2.0
#include "analysis/seeds/seed_stages.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "analysis/kernel/how_to_measure.h"
#include "analysis/seeds/claim.h"
#include "analysis/seeds/published.h"

namespace culprit {
namespace {

// What the claims would read, and what the published tables have rows of: no list of its own to keep in step.
std::set<std::string, std::less<>> SeedStages() {
  std::set<std::string, std::less<>> stages;
  for (const claims::Claim& claim : claims::AllClaims()) {
    claims::Evidence needs(nullptr, "");
    for (const claims::Criterion& criterion : claim.criteria) criterion.value(needs);
    stages.insert(needs.stages().begin(), needs.stages().end());
    for (const auto& [stage, size] : needs.sized_stages()) stages.insert(stage);
  }
  for (const PublishedTable* table : {&PublishedSharedMemory(), &PublishedVStudy(), &PublishedSizes()})
    for (const Published& row : table->rows) stages.emplace(row.stage);
  return stages;
}

}  // namespace

std::string NothingOfTheSeeds(const Recording& recording) {
  const auto stages = SeedStages();
  if (std::ranges::any_of(stages, [&](const std::string& stage) { return recording.StageOf(stage) != nullptr; }))
    return "";
  return fmt::format(
      "Nothing that the seeds are about was measured in run {}: they are about {} stages of matrix products, which "
      "gemm_bench records; -v shows what each table would need.",
      ShortUuid(recording.run().run), stages.size());
}

}  // namespace culprit
