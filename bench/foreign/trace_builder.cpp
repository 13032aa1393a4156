// SPDX-License-Identifier: Apache-2.0
#include "bench/foreign/trace_builder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "bench/foreign/builder.h"
#include "db/error.h"
#include "db/nvtx_range.h"
#include "db/sample_range.h"

namespace culprit {
namespace {

// Sums and differences of such times do not overflow.
constexpr std::int64_t kLatestNs = std::int64_t{1} << 62;

bool IsSpan(std::int64_t start_ns, std::int64_t end_ns) {
  return start_ns >= 0 && end_ns >= start_ns && end_ns <= kLatestNs &&
         static_cast<double>(end_ns - start_ns) <= kMostSampleUs * 1e3;
}

}  // namespace

int TraceBuilder::NumberOf(std::map<std::string, int>& numbers, std::vector<std::string>& names,
                           const std::string& name) {
  const auto [at, is_new] = numbers.try_emplace(name, static_cast<int>(names.size()));
  if (is_new) names.push_back(name);
  return at->second;
}

void TraceBuilder::Add(ForeignKernel kernel) {
  TracedLaunch& launch = kernel.launch;
  trace_.launches_seen += launch.from_graph ? 0 : 1;
  if (!IsSpan(launch.start_ns, launch.end_ns)) return;
  first_ns_ = std::min(first_ns_.value_or(launch.start_ns), launch.start_ns);
  const std::string name = kernel.name.empty() ? "unnamed" : Storable(kernel.name);
  const bool is_new = !kernels_.contains(name);
  launch.kernel = NumberOf(kernels_, trace_.kernels, name);
  launch.range = kernel.range.empty() ? -1 : NumberOf(ranges_, trace_.ranges, Storable(kernel.range));
  trace_.launches.push_back(launch);
  calls_.push_back(kernel.call);
  if (!is_new) return;
  BuildRecord build;
  build.kernel = name;
  if (kernel.registers) build.attributes.push_back({"registers", "runtime", kernel.registers});
  if (kernel.static_shared_bytes)
    build.attributes.push_back({"static_shared_bytes", "runtime", kernel.static_shared_bytes});
  // Without a GPU's model there is no architecture to which a build belongs.
  if (!build.attributes.empty() && trace_.devices.contains(launch.device)) trace_.builds.push_back(std::move(build));
}

void TraceBuilder::Add(const TracedCopy& copy) {
  if (!IsSpan(copy.start_ns, copy.end_ns)) return;
  first_ns_ = std::min(first_ns_.value_or(copy.start_ns), copy.start_ns);
  trace_.copies.push_back(copy);
}

// Of the first launch of each kernel with this geometry and range.
void TraceBuilder::AddStacks(const StacksOf& stacks_of) {
  std::set<std::tuple<int, LaunchGeometry, std::string>> seen;
  std::vector<std::size_t> calls;
  std::vector<TracedStack> stacks;
  for (std::size_t i = 0; i < trace_.launches.size(); ++i) {
    const TracedLaunch& launch = trace_.launches[i];
    const std::string range =
        launch.range < 0 ? "" : NormalRange(trace_.ranges[static_cast<std::size_t>(launch.range)]);
    if (!calls_[i] || !seen.emplace(launch.kernel, launch.geometry, range).second) continue;
    calls.push_back(*calls_[i]);
    stacks.push_back({trace_.kernels[static_cast<std::size_t>(launch.kernel)], launch.geometry, range, {}});
  }
  std::vector<std::vector<PythonFrame>> frames = stacks_of(calls);
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    if (frames[i].empty()) continue;
    stacks[i].frames = std::move(frames[i]);
    trace_.stacks.push_back(std::move(stacks[i]));
  }
}

ProcessTrace TraceBuilder::Take(const OpenRanges& ranges, const StacksOf& stacks_of) {
  std::vector<std::string> paths;
  const std::vector<int> by_call = ranges.FindPaths(paths);
  for (std::size_t i = 0; i < trace_.launches.size(); ++i)
    if (const auto call = calls_[i]; call && by_call[*call] >= 0)
      trace_.launches[i].range =
          NumberOf(ranges_, trace_.ranges, Storable(paths[static_cast<std::size_t>(by_call[*call])]));
  if (stacks_of) AddStacks(stacks_of);
  trace_.complete = true;
  return std::move(trace_);
}

CopyKind CopyKindOf(std::string_view text) {
  constexpr std::pair<std::string_view, CopyKind> kKinds[] = {
      {"HtoD", CopyKind::kToDevice},     {"H2D", CopyKind::kToDevice}, {"HtoA", CopyKind::kToDevice},
      {"DtoH", CopyKind::kToHost},       {"D2H", CopyKind::kToHost},   {"AtoH", CopyKind::kToHost},
      {"DtoD", CopyKind::kOnDevice},     {"D2D", CopyKind::kOnDevice}, {"PtoP", CopyKind::kBetweenDevices},
      {"P2P", CopyKind::kBetweenDevices}};
  for (const auto& [name, kind] : kKinds)
    if (text.find(name) != text.npos) return kind;
  return CopyKind::kOther;
}

std::string CudaVersionOf(double number) {
  const int version = number >= 1000 && number < 1e6 ? static_cast<int>(number) : 0;
  return version == 0 ? "" : fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

ForeignReport ReportOf(ProgramSource source, std::vector<ProcessTrace> traces, std::int64_t started_unix_ns,
                       std::string_view content, const ForeignFile& file) {
  if (std::ranges::all_of(traces, [](const ProcessTrace& t) { return t.launches.empty() && t.copies.empty(); }))
    throw Error(
        fmt::format("{}: it has no kernel or copy of a GPU with a time; profile the GPU, too (for PyTorch, "
                    "activities=[..., ProfilerActivity.CUDA]); nothing was imported",
                    file.name));
  ForeignReport report = NewForeignReport(source, content, file);
  constexpr std::int64_t kNsPerS = 1'000'000'000;
  // Earlier than 2001 it is a time since the machine's start.
  if (started_unix_ns > 1'000'000'000 * kNsPerS)
    report.run.started_utc =
        fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(started_unix_ns / kNsPerS)));
  for (const ProcessTrace& trace : traces)
    if (report.run.command_line.empty()) report.run.command_line = Storable(trace.command_line);
  report.traces = std::move(traces);
  return report;
}

}  // namespace culprit
