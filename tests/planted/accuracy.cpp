// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/accuracy.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>

#include "analysis/judge/why/explain.h"
#include "analysis/judge/why/sampled_pair.h"
#include "tests/planted/csv.h"
#include "tests/planted/pairs.h"

namespace culprit::testing {
namespace {

// With samples if the same run has them, as in `why`.
JudgedPair JudgeOne(const Database& database, const PlantedAnswer& answer, const KernelRecord& base,
                    const KernelRecord& candidate) {
  const KernelView from(base), to(candidate);
  const std::optional<SampledPair> sampled = LoadSamples(database, base, candidate);
  const Explanation why = ExplainWith(sampled ? &*sampled : nullptr, nullptr, from, to);
  if (!why.base_us || !why.candidate_us || !why.decomposition)
    throw std::runtime_error(answer.pair + " at " + base.launch.shape +
                             " was not recorded whole: " + why.no_decomposition);
  JudgedPair judged{answer, base.launch.shape, *why.base_us, *why.candidate_us, why.verdict.speed, {}, {}, 0, 0};
  double parts = why.unexplained_us, stalls = 0, factors = 0;
  for (const StallDifference& stall : why.decomposition->stalls) stalls += stall.DeltaUs();
  for (const auto& [factor, us] : why.decomposition->factors) factors += us;
  for (const CausePart& part : why.causes) {
    parts += part.delta_us;
    judged.shares[part.cause] = part.share;
    if (part.share > 0) judged.causes.push_back(part.cause);
  }
  for (const double sum : {parts, stalls, factors})
    judged.open_us = std::max(judged.open_us, std::abs(sum - why.DeltaUs()));
  judged.unexplained = why.unexplained_us / why.DeltaUs();
  return judged;
}

}  // namespace

bool IsHeldOut(std::string_view pair) {
  std::uint32_t hash = 2166136261u;
  for (const char c : pair) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash % 3 == 0;
}

std::vector<PlantedAnswer> ReadAnswers(const std::filesystem::path& csv) {
  std::vector<PlantedAnswer> answers;
  for (const auto& f : ReadCsv(csv, 5)) answers.push_back({f[0], f[1], f[2], f[3], f[4]});
  return answers;
}

int JudgedPair::Rank() const {
  const auto found = std::find(causes.begin(), causes.end(), answer.cause);
  return found == causes.end() ? 0 : static_cast<int>(found - causes.begin()) + 1;
}

bool JudgedPair::IsMostOfIt() const { return Rank() == 1 && shares.at(answer.cause) > std::abs(unexplained); }

std::vector<JudgedPair> Judge(const Database& database, const PlantedAnswer& answer) {
  const auto launches = database.Query(
      "SELECT base.id, candidate.id FROM launch AS base JOIN launch AS candidate USING (run_id, shape) "
      "JOIN stage AS b ON b.id = base.stage_id JOIN stage AS c ON c.id = candidate.stage_id "
      "WHERE b.key = :base AND c.key = :candidate AND base.state = 'ok' AND candidate.state = 'ok' "
      "ORDER BY base.run_id, CAST(shape AS INTEGER)",
      {{":base", answer.base}, {":candidate", answer.candidate}});
  const std::vector<KernelRecord> bases = LoadKernels(database, launches),
                                  candidates = LoadKernels(database, launches, 1);
  std::vector<JudgedPair> judged;
  for (std::size_t i = 0; i < bases.size(); ++i) judged.push_back(JudgeOne(database, answer, bases[i], candidates[i]));
  return judged;
}

}  // namespace culprit::testing
