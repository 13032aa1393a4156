// SPDX-License-Identifier: Apache-2.0
#include "tests/noise/gate_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <tuple>

#include "analysis/launch/kernel_view.h"
#include "tests/noise/recordings.h"

namespace culprit::testing {
namespace {

std::vector<double> Numbers(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<double>(in), {}};
}

std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream row(line);
  for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
  return cells;
}

RunSummary RunOf(const std::string& device, const char* uuid, const char* started, const char* finished) {
  RunSummary run;
  run.run.uuid = uuid;
  run.run.l2 = "hot";
  run.run.started_utc = started;
  run.finished_utc = finished;
  run.state = "complete";
  run.run.device.emplace().name = device;
  return run;
}

void Append(const std::vector<Sample>& samples, int process, double factor, KernelRecord& kernel) {
  for (Sample sample : samples) {
    sample.process = process;
    sample.time_us *= factor;
    kernel.samples.push_back(sample);
  }
}

}  // namespace

std::vector<Series> SeriesOfH100() {
  std::map<std::pair<std::string, std::string>, std::map<int, Recording>> of;
  for (Recording& one : ReadRecordings(CULPRIT_SOURCE_DIR "/tests/noise/h100.csv"))
    of[{one.kernel, one.variant}][one.process] = std::move(one);
  std::vector<Series> all;
  for (auto& [name, processes] : of) {
    Series& series = all.emplace_back();
    for (auto& [process, recording] : processes) {
      series.device = recording.device;
      series.processes.push_back(std::move(recording.samples));
    }
  }
  return all;
}

std::vector<Series> SeriesOfH200() {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, Series> of;
  std::ifstream in(CULPRIT_SOURCE_DIR "/tests/noise/ab_h200.csv");
  std::string line;
  std::getline(in, line);
  std::map<std::string, std::vector<double>> base;  // of the pair that is read
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = Cells(line);  // pair, program, slower_pct, processes, gpu, loops, ...
    if (cells.at(2) != "0") continue;
    const std::vector<double> values = Numbers(cells.at(9));
    if (cells.at(8) == "base") {
      base[cells.at(7)] = values;
      continue;
    }
    Series& series = of[{cells.at(1), cells.at(4), cells.at(5), cells.at(7)}];
    series.device = "NVIDIA H200";
    const std::vector<double>& others = base.at(cells.at(7));
    for (std::size_t i = 0; i < std::min(values.size(), others.size()); ++i)
      for (const double us : {others[i], values[i]}) series.processes.push_back({{0, us, {}, false}});
  }
  std::vector<Series> all;
  for (auto& [name, series] : of) all.push_back(std::move(series));
  return all;
}

GateRun MakeGateRun(const std::vector<Series>& all, const Design& design, std::mt19937_64& random) {
  const bool in_turns = design.recorded == Recorded::kInTurns;
  const auto n = static_cast<std::size_t>(design.processes);
  // Enough processes for two blocks that do not touch.
  std::vector<const Series*> usable;
  for (const Series& series : all)
    if (series.processes.size() >= 3 * n) usable.push_back(&series);
  const RunSummary base = RunOf(usable.front()->device, "base", "2026-01-01T00:00:00Z", "2026-01-01T00:10:00Z");
  const RunSummary candidate =
      RunOf(usable.front()->device, "candidate", in_turns ? "2026-01-01T00:00:01Z" : "2026-01-02T00:00:00Z",
            in_turns ? "2026-01-01T00:10:01Z" : "2026-01-02T00:10:00Z");
  const auto below = [&](std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random); };
  GateRun run;
  for (int launch = 0; launch < design.launches; ++launch) {
    const Series& series = *usable[below(usable.size() - 1)];
    const std::size_t size = series.processes.size();
    std::vector<std::size_t> from, to;
    if (in_turns) {
      const std::size_t first = below(size - 2 * n);
      const bool base_first = below(1) == 0;
      for (std::size_t i = 0; i < 2 * n; ++i)
        ((i % 4 == 0 || i % 4 == 3) == base_first ? from : to).push_back(first + i);
    } else {
      const std::size_t one = below(size - 2 * n), other = one + n + below(size - one - 2 * n);
      const bool base_first = below(1) == 0;
      for (std::size_t i = 0; i < n; ++i)
        from.push_back((base_first ? one : other) + i), to.push_back((base_first ? other : one) + i);
    }
    KernelRecord kernel;
    kernel.stage.id = kernel.launch.stage = fmt::format("kernel_{}", launch);
    kernel.launch.shape = "1";
    kernel.run = base;
    KernelRecord& was = run.base.emplace_back(kernel);
    kernel.run = candidate;
    KernelRecord& is = run.candidate.emplace_back(kernel);
    for (std::size_t i = 0; i < n; ++i) {
      Append(series.processes[from[i]], static_cast<int>(i), 1, was);
      Append(series.processes[to[i]], static_cast<int>(i), launch == 0 ? 1 + design.slowdown : 1, is);
    }
  }
  return run;
}

Check CheckOf(const GateRun& run, double limit) {
  return MakeCheck(run.base.front().run, run.base, run.candidate.front().run, run.candidate, limit,
                   [](const KernelView& base, const KernelView& candidate) {
                     Explanation explanation;
                     explanation.verdict = VerdictOnPair(base, candidate);
                     return explanation;
                   });
}

bool IsSlowerAlone(const CheckedLaunch& launch, double limit) {
  if (!launch.explanation) return false;
  const Verdict& verdict = launch.explanation->verdict;
  return verdict.speed == Speed::kSlower && verdict.time && verdict.time->change > limit;
}

}  // namespace culprit::testing
