// SPDX-License-Identifier: Apache-2.0
#include "analysis/fleet/sent_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <map>
#include <tuple>

#include "analysis/judge/difference/verdict.h"
#include "analysis/judge/program/match.h"
#include "analysis/judge/program/program_why.h"
#include "analysis/judge/why/headline.h"
#include "analysis/judge/why/why.h"
#include "analysis/launch/command.h"
#include "analysis/launch/compare.h"
#include "analysis/number/statistics.h"

namespace culprit {
namespace {

std::vector<double> TimesOf(const KernelRecord& kernel) {
  std::vector<double> times;
  for (const Sample& sample : kernel.samples)
    if (IsKept(sample)) times.push_back(sample.time_us);
  std::ranges::sort(times);
  return times;
}

FleetClass ClassOf(const KernelRecord& kernel) {
  const LaunchRecord& launch = kernel.launch;
  FleetClass of;
  of.kernel = AsUtf8(kernel.stage.id);
  of.shape = AsUtf8(launch.shape);
  if (kernel.program) {
    of.name = AsUtf8(kernel.program->name);
    of.nvtx = AsUtf8(kernel.program->nvtx);
    of.block = fmt::format("{}x{}x{}", launch.block_x, launch.block_y, launch.block_z);
  } else {
    of.name = of.kernel;  // the symbol of one stage may change from library to library
  }
  return of;
}

using ClassKey = std::tuple<std::string, std::string, std::string, std::string, std::string>;
ClassKey KeyOf(const FleetClass& of) { return {of.kernel, of.name, of.shape, of.block, of.nvtx}; }

FleetWorkload WorkloadOf(const KernelRecord* any, const RunRecord& run) {
  if (run.program) return {"program", ProgramName(run), WithoutFolderOfProgram(run.command_line)};
  // A benchmark's flags choose its kernels; the kernels are compared whichever were chosen with them.
  const std::string name = any == nullptr ? "benchmark" : any->stage.family;
  return {"benchmark", name, name};
}

struct Pair {
  std::size_t base = 0, candidate = 0;
};

std::vector<Pair> PairsOf(std::span<const KernelRecord> base, std::span<const KernelRecord> candidate) {
  std::vector<Pair> pairs;
  if (!candidate.empty() && candidate.front().program) {
    for (const MatchedLaunches& match : MatchLaunches(base, candidate))
      if (match.base.size() == 1 && match.candidate.size() == 1)
        pairs.push_back({match.base.front(), match.candidate.front()});
    return pairs;
  }
  const auto key = [](const KernelRecord& k) { return std::tuple(k.stage.id, k.launch.shape, k.launch.ordinal); };
  std::map<std::tuple<std::string, std::string, int>, std::size_t> at;
  for (std::size_t i = 0; i < base.size(); ++i) at[key(base[i])] = i;
  for (std::size_t i = 0; i < candidate.size(); ++i)
    if (const auto found = at.find(key(candidate[i])); found != at.end()) pairs.push_back({found->second, i});
  return pairs;
}

}  // namespace

std::optional<MedianRange> MedianInterval(std::span<const double> sorted) {
  const auto n = static_cast<double>(sorted.size());
  constexpr double kEachSide = 0.025;  // probability that the median lies beyond one end
  if (sorted.empty() || std::pow(0.5, n) > kEachSide) return std::nullopt;
  const boost::math::binomial_distribution<> heads(n, 0.5);
  std::size_t k = 0;  // values left out at each end
  while (k + 1 < sorted.size() / 2 && boost::math::cdf(heads, static_cast<double>(k + 1)) <= kEachSide) ++k;
  return MedianRange{sorted[k], sorted[sorted.size() - 1 - k]};
}

std::string ContentOf(const Database& database, RunId run) {
  const Table sum = database.Query("SELECT content FROM run_checksum WHERE run_id = :run", {{":run", run}});
  return sum.rows.empty() ? "" : std::get<std::string>(sum.rows.front().front());
}

SentRun MakeSentRun(const Database& database, const RunSummary& summary, const std::string& branch) {
  const RunRecord& of = summary.run;
  SentRun sent;
  FleetRun& run = sent.run;
  run.uuid = of.uuid;
  run.started = of.started_utc;
  run.finished = summary.finished_utc.value_or(of.started_utc);
  run.label = of.label;
  run.git_sha = of.git_sha;
  run.git_dirty = of.git_dirty;
  run.branch = branch;
  run.profile = of.profile;
  run.gpu_uuids = of.gpu_uuids;
  run.driver = of.toolchain.driver;
  run.cuda = of.toolchain.cuda_runtime;
  if (of.device) run.gpu = *of.device;
  run.content = ContentOf(database, summary.id);

  sent.kernels = database.LoadKernels(summary.id, Ordinals::kAll);
  run.workload = WorkloadOf(sent.kernels.empty() ? nullptr : &sent.kernels.front(), of);
  std::erase_if(sent.kernels,
                [](const KernelRecord& k) { return k.launch.state != LaunchState::kOk || TimesOf(k).empty(); });
  std::map<ClassKey, int> ordinals;
  for (const KernelRecord& kernel : sent.kernels) {
    FleetKernel& row = run.kernels.emplace_back();
    row.of = ClassOf(kernel);
    row.of.ordinal = ordinals[KeyOf(row.of)]++;
    const std::vector<double> times = TimesOf(kernel);
    row.samples = static_cast<int>(times.size());
    row.median_us = Quantile(times, 0.5);
    if (const auto interval = MedianInterval(times)) {
      row.low_us = interval->low;
      row.high_us = interval->high;
    }
    row.clock_mhz = Summarize(kernel.samples).clock_mhz;
    row.calls = kernel.program ? kernel.program->calls : static_cast<std::int64_t>(times.size());
    if (kernel.program) row.total_us = kernel.program->time_us;
    if (row.total_us) run.gpu_us = run.gpu_us.value_or(0) + *row.total_us;
    row.readings = kernel.readings;
  }
  return sent;
}

void JudgeAgainst(SentRun& sent, std::span<const KernelRecord> base, const Neighbours& neighbours) {
  if (base.empty()) return;
  const RunRecord& before = base.front().run.run;
  sent.run.base_uuid = before.uuid;
  const bool other_card =
      !before.gpu_uuids.empty() && !sent.run.gpu_uuids.empty() && before.gpu_uuids != sent.run.gpu_uuids;
  for (FleetKernel& kernel : sent.run.kernels) kernel.verdict.verdict = "new";
  struct Difference {
    Pair pair;
    double us;
  };
  std::vector<Difference> differences;
  for (const Pair& pair : PairsOf(base, sent.kernels)) {
    FleetKernel& kernel = sent.run.kernels[pair.candidate];
    const KernelRecord &from = base[pair.base], &to = sent.kernels[pair.candidate];
    kernel.verdict = {};
    const CodeChange code = CompareCode(from, to);
    if (code != CodeChange::kUnknown) kernel.verdict.same_code = code == CodeChange::kSame;
    if (other_card && code == CodeChange::kSame) continue;
    const KernelView a(from), b(to);
    const Verdict verdict = VerdictOnPair(a, b);
    kernel.verdict.verdict = ToText(verdict.speed);
    if (const auto& shift = verdict.time) {
      kernel.verdict.change = shift->change;
      kernel.verdict.change_low = shift->low;
      kernel.verdict.change_high = shift->high;
    }
    const Measured delta = b.Get("time_us") - a.Get("time_us");
    if (IsDifference(verdict.speed))
      differences.push_back({pair, std::abs(delta.value_or(0)) * static_cast<double>(kernel.calls)});
  }
  std::ranges::stable_sort(differences, std::ranges::greater(), &Difference::us);
  if (differences.size() > kMostCausesSent) differences.resize(kMostCausesSent);
  for (const Difference& one : differences) {
    FleetVerdict& verdict = sent.run.kernels[one.pair.candidate].verdict;
    const Explanation why = Why(neighbours, base[one.pair.base], sent.kernels[one.pair.candidate]);
    const CausePart* const cause = FirstCause(why);
    if (cause == nullptr || !FirstCauseStands(why)) continue;
    verdict.cause = cause->cause;
    verdict.cause_share = cause->share;
    verdict.source = ToText(PlaceOf(*cause));
  }
}

}  // namespace culprit
