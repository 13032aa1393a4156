// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/locate_program.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/cli/suggest.h"
#include "analysis/kernel/recording.h"
#include "analysis/program/executions.h"
#include "analysis/program/program_why.h"
#include "db/nvtx_range.h"

namespace culprit {
namespace {

bool IsProgram(const RunSummary& run) { return run.run.program.has_value(); }
bool IsComplete(const RunSummary& run) { return IsProgram(run) && run.state == "complete"; }

std::vector<RunSummary> Find(const Database& database, const char* option, const std::string& name) {
  if (name.empty()) throw Error(fmt::format("{} is missing; name both runs ('culprit runs' lists them).", option));
  std::vector<RunSummary> named = database.RunsNamed(name);
  if (named.empty())
    for (RunSummary& run : database.Runs())
      if (IsComplete(run) && run.run.command_line.find(name) != std::string::npos) return {std::move(run)};
  if (named.empty()) return {database.FindRun({.run = name})};  // says what there is
  std::vector<RunSummary> programs;
  std::ranges::copy_if(named, std::back_inserter(programs), IsProgram);
  if (programs.empty())
    throw Error(
        fmt::format("run {} was recorded by a benchmark, not from a program: name the two stages to compare ('culprit "
                    "why BASE CANDIDATE'), or use 'culprit check --base RUN --cand RUN' for all of them.",
                    ShortUuid(named.front().run)));
  // A prefix of several UUIDs means one of them.
  if (programs.size() > 1 &&
      !std::ranges::all_of(programs, [&](const RunSummary& run) { return run.run.label == name; }))
    return {database.FindRun({.run = name})};
  if (std::ranges::any_of(programs, IsComplete))
    std::erase_if(programs, [](const RunSummary& run) { return !IsComplete(run); });
  return programs;
}

ProgramPair Newest(const Database& database) {
  std::vector<RunSummary> runs;
  std::ranges::copy_if(database.Runs(), std::back_inserter(runs), IsComplete);
  const auto alike = [](const RunRecord& a, const RunRecord& b) {
    return a.label.empty() && b.label.empty() ? a.command_line == b.command_line : a.label == b.label;
  };
  // Recorded before and after a change, each with a label of its own.
  const auto same_command = [](const RunRecord& a, const RunRecord& b) { return a.command_line == b.command_line; };
  for (auto newer = runs.begin(); newer != runs.end(); ++newer) {
    auto older = std::find_if(newer + 1, runs.end(), [&](const auto& run) { return alike(newer->run, run.run); });
    if (older == runs.end())
      older = std::find_if(newer + 1, runs.end(), [&](const auto& run) { return same_command(newer->run, run.run); });
    if (older != runs.end()) return {{*older}, {*newer}};
  }
  // Two binaries, each with a label of its own.
  std::vector<RunSummary> labelled;
  std::ranges::copy_if(runs, std::back_inserter(labelled), [](const RunSummary& r) { return !r.run.label.empty(); });
  if (labelled.size() > 1) return {{labelled[1]}, {labelled[0]}};
  if (runs.size() > 1) {
    const auto name = [](const RunSummary& run) { return run.run.label.empty() ? ShortUuid(run.run) : run.run.label; };
    throw Error(
        fmt::format("no two runs of programs have one label or one command line: name them ('culprit why --base {} "
                    "--cand {}' are the newest two; 'culprit runs' lists all).",
                    name(runs[1]), name(runs[0])));
  }
  throw Error(
      runs.empty()
          ? "there is no run of a program to compare: record one before and after the change ('culprit record "
            "./program', twice), or name two stages ('culprit why BASE CANDIDATE')."
          : "there is one run of a program, and nothing to compare it with: record the program after the change "
            "too ('culprit record ./program').");
}

}  // namespace

ProgramPair FindPrograms(const Database& database, const std::string& base, const std::string& candidate) {
  if (base.empty() && candidate.empty()) return Newest(database);
  ProgramPair pair{Find(database, "--base", base), Find(database, "--cand", candidate)};
  for (const RunSummary& run : pair.base)
    if (std::ranges::any_of(pair.candidate, [&](const RunSummary& other) { return other.id == run.id; }))
      throw Error(fmt::format("--base and --cand both name run {}: name another ('culprit runs' lists them).",
                              ShortUuid(run.run)));
  return pair;
}

KernelPair FindProgramKernel(const Database& database, const ProgramPair& runs, const std::string& kernel,
                             const Selector& selector) {
  const std::string& shape = selector.shape;
  const std::string range = NormalRange(selector.nvtx);
  const RunSummary from = MakeSide(runs.base).run, to = MakeSide(runs.candidate).run;
  const std::vector<KernelRecord> base = database.LoadKernels(from.id, Ordinals::kAll);
  const std::vector<KernelRecord> candidate = database.LoadKernels(to.id, Ordinals::kAll);
  const auto is_meant = [&](const KernelRecord& k) {
    return k.stage.id == kernel && (shape.empty() || k.launch.shape == shape) &&
           (selector.launch == 0 || k.launch.ordinal + 1 == selector.launch) &&
           (range.empty() || (k.program && IsInRange(k.program->nvtx, range)));
  };
  const auto us = [](const KernelRecord& k) { return k.program ? k.program->time_us.value_or(0) : 0; };
  std::optional<KernelPair> best;
  double most = -1;
  std::string alone;
  for (const MatchedLaunches& match : MatchLaunches(base, candidate)) {
    const KernelRecord* was = match.base.empty() ? nullptr : &base[match.base.front()];
    const KernelRecord* is = match.candidate.empty() ? nullptr : &candidate[match.candidate.front()];
    if (!(was && is_meant(*was)) && !(is && is_meant(*is))) continue;
    if (!was || !is) {
      alone = was ? "base" : "candidate";
      continue;
    }
    if (const double moved = std::abs(us(*is) - us(*was)); moved > most) {
      most = moved;
      best = {*was, *is};
    }
  }
  if (best) {
    KernelPair pair{database.LoadKernel(best->base.id), database.LoadKernel(best->candidate.id)};
    if (CanPool(runs.base, runs.candidate)) {
      Executions(database, from, runs.base).AddTo(pair.base);
      Executions(database, to, runs.candidate).AddTo(pair.candidate);
    }
    return pair;
  }
  if (!alone.empty())
    throw Error(
        fmt::format("'{}' has no counterpart: only the {} run launched it{}. 'culprit show {}' has what it takes.",
                    kernel, alone, shape.empty() ? "" : " at " + shape, kernel));
  std::vector<std::string> ids, shapes, ranges;
  for (const auto* side : {&base, &candidate})
    for (const KernelRecord& k : *side) {
      if (std::ranges::find(ids, k.stage.id) == ids.end()) ids.push_back(k.stage.id);
      if (k.stage.id == kernel && std::ranges::find(shapes, k.launch.shape) == shapes.end())
        shapes.push_back(k.launch.shape);
      if (k.stage.id == kernel && k.program && !k.program->nvtx.empty() &&
          std::ranges::find(ranges, k.program->nvtx) == ranges.end())
        ranges.push_back(k.program->nvtx);
    }
  const bool has_shape = !shapes.empty() && (shape.empty() || std::ranges::find(shapes, shape) != shapes.end());
  if (has_shape && !range.empty()) throw Error(UnknownMessage("NVTX range", selector.nvtx, ranges));
  if (has_shape && selector.launch > 0)
    throw Error(
        fmt::format("'{}' has no launch {} there: 'culprit show {}' lists them.", kernel, selector.launch, kernel));
  if (!shapes.empty()) throw Error(UnknownMessage("shape", shape, shapes));
  throw Error(UnknownMessage("kernel", kernel, ids, kListsStages));
}

}  // namespace culprit
