// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/seeds/seed_stages.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "analysis/launch/recording.h"
#include "tests/evidence/seeds/claim.h"
#include "tests/evidence/seeds/published.h"

namespace culprit {
namespace {

// The stages that claims read and published tables have rows for, so that no further list has to be kept up to date.
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
