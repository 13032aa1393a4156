// SPDX-License-Identifier: Apache-2.0
#include "tests/noise/gate_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/beta.hpp>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "analysis/gate/family.h"
#include "analysis/number/format.h"

namespace culprit::testing {
namespace {

// A run pair with fewer launches in common says nothing about a gate.
constexpr std::size_t kLeastLaunches = 8;

std::string Percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string Name(const Design& design) {
  if (design.processes == 1) return "1";
  return fmt::format("{}, {}", design.processes, design.recorded == Recorded::kInTurns ? "in turns" : "apart");
}

using Identity =
    std::tuple<std::string, std::string, std::string, unsigned, unsigned, unsigned, unsigned, std::int64_t>;

Identity IdentityOf(const KernelRecord& k) {
  return {k.stage.id,      k.launch.shape,  k.cubin_digest,   k.launch.grid_x,
          k.launch.grid_y, k.launch.grid_z, k.launch.block_x, k.launch.dynamic_shared_bytes};
}

// The launches that both have, as a benchmark's.
GateRun InCommon(const std::vector<KernelRecord>& base, const std::vector<KernelRecord>& candidate) {
  std::map<Identity, const KernelRecord*> of_candidate;
  for (const KernelRecord& kernel : candidate) of_candidate.try_emplace(IdentityOf(kernel), &kernel);
  GateRun common;
  for (const KernelRecord& kernel : base) {
    const auto found = of_candidate.find(IdentityOf(kernel));
    if (kernel.cubin_digest.empty() || found == of_candidate.end()) continue;
    common.base.push_back(kernel);
    common.candidate.push_back(*found->second);
    of_candidate.erase(found);
  }
  for (auto* side : {&common.base, &common.candidate})
    for (KernelRecord& kernel : *side) {
      kernel.run.run.program.reset();
      kernel.program.reset();
    }
  return common;
}

void Count(const GateRun& run, double limit, RunPair& pair) {
  const Check check = CheckOf(run, limit);
  pair.launches += static_cast<int>(check.launches.size());
  pair.suspects += check.Count(Judgement::kSuspect);
  pair.regressions += check.Count(Judgement::kRegression);
  for (const CheckedLaunch& launch : check.launches) pair.alone += IsSlowerAlone(launch, limit);
  GateRun slower = run;
  for (KernelRecord& kernel : slower.candidate) {
    kernel.cubin_digest = "changed";
    for (Sample& sample : kernel.samples) sample.time_us *= 1.05;
  }
  pair.of_slower += CheckOf(slower, limit).Count(Judgement::kSuspect);
}

std::string UnchangedTable(std::span<const GateTally> tallies) {
  std::string table =
      "| GPU | processes per side | limit | gate runs | with a launch that looks slower by itself | with a suspect | "
      "with a false regression | at most (95 %) |\n|---|---|---:|---:|---:|---:|---:|---:|\n";
  for (const GateTally& t : tallies)
    table += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", t.gpu, Name(t.design), Percent(t.limit), t.runs,
                         t.alone, t.suspects, t.regressions, Percent(HighestRate(t.regressions, t.runs)));
  return table;
}

// Of gate runs of several processes. Those of both limits are the same runs, so the stricter limit counts.
std::string TotalText(std::span<const GateTally> tallies) {
  const double strictest = std::ranges::min(tallies, {}, &GateTally::limit).limit;
  int runs = 0, wrong = 0;
  for (const GateTally& t : tallies) {
    if (t.design.processes == 1 || t.limit > strictest) continue;
    runs += t.runs, wrong += t.regressions;
  }
  return fmt::format(
      "The rows of both limits are the same gate runs. Of the {} with several processes per side, {} have a false "
      "regression: at most {} with 95 % confidence, if they were separate recordings.\n",
      runs, wrong, fmt::format("{:.2f} %", 100 * HighestRate(wrong, runs)));
}

std::string SlowerTable(std::span<const GateTally> tallies) {
  std::string table =
      "| GPU | processes per side | limit | one of the launches is slower by | gate runs | it is a regression | it is "
      "suspect |\n|---|---|---:|---:|---:|---:|---:|\n";
  for (const GateTally& t : tallies)
    table += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", t.gpu, Name(t.design), Percent(t.limit),
                         Percent(t.design.slowdown), t.runs, Percent(static_cast<double>(t.found) / t.runs),
                         Percent(static_cast<double>(t.suspected) / t.runs));
  return table;
}

std::string PairTable(std::span<const RunPair> pairs) {
  std::string table =
      "| runs | launches with the same code, both directions | look slower by themselves | suspect | regressions | "
      "suspect if 5 % slower |\n|---|---:|---:|---:|---:|---:|\n";
  RunPair all;
  int with_alone = 0, with_suspects = 0;
  for (const RunPair& p : pairs) {
    table += fmt::format("| {}, {} | {} | {} | {} | {} | {} |\n", p.base.substr(0, 8), p.candidate.substr(0, 8),
                         p.launches, p.alone, p.suspects, p.regressions, p.of_slower);
    all.launches += p.launches, all.alone += p.alone, all.suspects += p.suspects;
    all.regressions += p.regressions, all.of_slower += p.of_slower;
    with_alone += p.alone > 0, with_suspects += p.suspects > 0;
  }
  return table + fmt::format(
                     "| all | {} | {} | {} | {} | {} |\n\nOf {} pairs of runs {} have a launch that looks slower by "
                     "itself, {} have a suspect, and none can have a regression, because each side is one process.\n",
                     all.launches, all.alone, all.suspects, all.regressions, all.of_slower, pairs.size(), with_alone,
                     with_suspects);
}

}  // namespace

GateTally TallyOf(const std::string& gpu, const std::vector<Series>& series, const Design& design, double limit,
                  int runs) {
  std::mt19937_64 random(2026);
  GateTally tally{gpu, design, limit, runs};
  for (int i = 0; i < runs; ++i) {
    const GateRun run = MakeGateRun(series, design, random);
    const Check check = CheckOf(run, limit);
    bool alone = false, regression = false, suspect = false;
    for (const CheckedLaunch& launch : check.launches) {
      const bool is_slower = design.slowdown > 0 && launch.stage == run.base.front().stage.id;
      if (is_slower) {
        tally.found += launch.judgement == Judgement::kRegression;
        tally.suspected += launch.judgement == Judgement::kSuspect;
        continue;
      }
      alone |= IsSlowerAlone(launch, limit);
      regression |= launch.judgement == Judgement::kRegression;
      suspect |= launch.judgement == Judgement::kSuspect;
    }
    tally.alone += alone;
    tally.regressions += regression;
    tally.suspects += suspect && !regression;
  }
  return tally;
}

std::vector<RunPair> PairsOf(std::span<const std::vector<KernelRecord>> runs, double limit) {
  std::vector<RunPair> pairs;
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (std::size_t j = i + 1; j < runs.size(); ++j) {
      const GateRun forth = InCommon(runs[i], runs[j]);
      if (forth.base.size() < kLeastLaunches) continue;
      RunPair pair{forth.base.front().run.run.uuid, forth.candidate.front().run.run.uuid};
      Count(forth, limit, pair);
      Count({forth.candidate, forth.base}, limit, pair);
      pairs.push_back(std::move(pair));
    }
  return pairs;
}

double HighestRate(int wrong, int all) {
  if (wrong >= all) return 1;
  return boost::math::quantile(boost::math::beta_distribution<>(wrong + 1.0, all - wrong), 0.975);
}

std::string GateDocument(std::span<const GateTally> unchanged, std::span<const GateTally> slower,
                         std::span<const RunPair> pairs, const MeasuredRunNoise& noise) {
  const RunNoise of_short = noise.At("", 10), of_long = noise.At("", 1000);
  return fmt::format(
      R"(# How often `culprit check` is wrong about a whole run

`gate_runs_test` writes this page (`CULPRIT_UPDATE_GOLDEN=1 build/gpu/bin/gate_runs_test`).

`check` compares many launches at once. Each has its own small chance to look slower, so with 180 launches a false alarm is likely. And what lasts as
long as a process (its place in memory, its clock) looks like a change of the code. So `check` judges all launches together:

- **The unit is the process.** Each process counts as one value. With at least {} processes per side, the processes are divided into two sides in all
  possible ways (or in 1,999 random ways), and the largest statistic of all launches is noted each time. A launch is a regression only if at most {}
  of the divisions reach its own statistic (Westfall and Young's step-down maxT, `analysis/gate/family.h`). This controls the same error as Holm's
  procedure. Holm's procedure on ranks would need 9 processes per side for 180 launches, because ranks of 8 and 8 have no level below 1 / 12,870.
- **A floor is added.** A slow-down within the noise floor does not count: 0.35 % between processes that took turns, 1.0 % between runs that were
  recorded apart (launches of 40 us or more), or more if runs of the same code on this GPU in the database show more.
- **One process per side is a suspicion**, never a regression. It must exceed the noise between runs: what 9 of 10 pairs of recordings of the same
  code on this GPU show, if the database has 100 such pairs, else the known noise of GPUs of this model.
- The work of a program is one more test, at the same rate of {}. Together they make at most 1 %.

## Gate runs of unchanged kernels

Each gate run has 120 launches, drawn from recorded processes: on the H100 10 kernels in 45 processes of 16 samples (`tests/noise/h100.csv`), on the
H200 the work and the kernels of three programs in 204 pairs of `versus` (`tests/noise/ab_h200.csv`, one value per process, no clocks). In turns:
neighbouring processes, base candidate, candidate base. Apart: one block of processes for each side. The last column is the upper end of the exact 95 %
interval. Gate runs share processes, so they prove less than as many separate recordings, and all processes of a card were recorded within an hour.

{}
{}
## Slow-downs that are found

The same, but the times of one launch are multiplied.

{}
What is missed on the H200 are kernels of about 25 us without clocks, whose times scatter by up to 7 % from process to process, and, apart, everything
within 1.7 %: the floor of 1.0 % and what a clock may change a time by, which only cycles could tell.

The price: 8 processes per side of 18 launches took 18 s on an H200 ([noise](noise.md)); `versus` of two programs of 0.33 s takes 4 to 11 s
([versus](versus.md)).

## One process per side

The recordings that ship from H200s, each one process, with 16 or 12 samples per launch, days apart and probably on several cards. Limit 2 %.

{}
## Noise between runs

9 of 10 pairs of these recordings differ by at most {} in launches below 40 us ({} pairs), and by at most {} in longer ones ({} pairs). Two of these
kernels (`votes_by_lambda`, `votes_by_function`) have the same code, and take 241 us and 400 us in one process, but 298 us and 301 us in another:
atomics depend on where the counters lie in memory. So no number of samples of one process can show that such a kernel became slower.

## What this does not show

- No recordings of several processes per launch ship from two days or two cards of one model. Between blocks of one session, runs differ less than
  between days. So the rows "apart" are a lower bound of the noise, and the 1.0 % floor between such runs comes from single processes on H100.
- All cards are of two models with the same architecture.
)",
      kFewestProcesses, Percent(kFamilyAlarms), Percent(kFamilyAlarms), UnchangedTable(unchanged), TotalText(unchanged),
      SlowerTable(slower), PairTable(pairs), Percent(of_short.change), of_short.pairs, Percent(of_long.change),
      of_long.pairs);
}

}  // namespace culprit::testing
