// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/locate_program.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "analysis/cli/name_runs.h"
#include "analysis/cli/stage_name.h"
#include "analysis/cli/suggest.h"
#include "analysis/judge/program/executions.h"
#include "analysis/judge/program/program_why.h"
#include "analysis/launch/command.h"
#include "analysis/launch/recording.h"
#include "db/nvtx_range.h"

namespace culprit {
namespace {

bool IsProgram(const RunSummary& run) { return run.run.program.has_value(); }
bool IsComplete(const RunSummary& run) { return IsProgram(run) && run.state == "complete"; }

std::vector<RunSummary> Find(const Database& database, const char* option, const std::string& name) {
  if (name.empty()) throw Error(fmt::format("{} is missing; name both runs ('culprit runs' lists them).", option));
  if (std::vector<RunSummary> runs = ExecutionsNamed(database, option, name); !runs.empty()) return runs;
  const std::vector<RunSummary> named = database.RunsNamed(name);
  if (named.empty())
    for (RunSummary& run : database.RunsToChooseFrom())
      if (IsComplete(run) && run.run.command_line.find(name) != std::string::npos) return {std::move(run)};
  if (!named.empty() && std::ranges::none_of(named, IsProgram))
    throw Error(
        fmt::format("run {} was recorded by a benchmark, not from a program: name the two kernels to compare ('culprit "
                    "why BASE CANDIDATE'), or use 'culprit check --base RUN --cand RUN' for all of them.",
                    ShortUuid(named.front().run)));
  return {database.FindRun({.run = name})};  // says what there is
}

ProgramPair Newest(const Database& database) {
  std::vector<RunSummary> runs;
  std::ranges::copy_if(database.RunsToChooseFrom(), std::back_inserter(runs), IsComplete);
  // Recorded twice with one label; else before and after a change, each with a label of its own.
  for (auto newer = runs.begin(); newer != runs.end(); ++newer) {
    const auto is_before = [&](const RunSummary& run) {
      return IsSameCommand(newer->run, run.run) && HaveCommonKernel(database, run, *newer);
    };
    auto older = std::find_if(newer + 1, runs.end(), [&](const RunSummary& run) {
      return newer->run.label == run.run.label && is_before(run);
    });
    if (older == runs.end()) older = std::find_if(newer + 1, runs.end(), is_before);
    if (older != runs.end()) return {{*older}, {*newer}};
  }
  // Two binaries, each with a label of its own.
  std::vector<RunSummary> labelled;
  std::ranges::copy_if(runs, std::back_inserter(labelled), [](const RunSummary& r) { return !r.run.label.empty(); });
  for (std::size_t older = 1; older < labelled.size(); ++older)
    if (HaveCommonKernel(database, labelled[older], labelled[0])) return {{labelled[older]}, {labelled[0]}};
  if (runs.size() > 1) {
    const auto name = [](const RunSummary& run) { return run.run.label.empty() ? ShortUuid(run.run) : run.run.label; };
    throw Error(
        fmt::format("no two runs of programs have the same command and a kernel in common; name two runs ('culprit why "
                    "--base {} --cand {}' compares the newest two, 'culprit runs' lists all).",
                    name(runs[1]), name(runs[0])));
  }
  throw Error(runs.empty() ? "there is no run of a program to compare: record one before and after the change "
                             "('culprit record ./program', twice), or name two kernels ('culprit why BASE CANDIDATE')."
                           : "there is only one run of a program; record the program also after the change ('culprit "
                             "record ./program').");
}

}  // namespace

ProgramPair FindPrograms(const Database& database, const std::string& base, const std::string& candidate) {
  if (base.empty() && candidate.empty()) return Newest(database);
  ProgramPair pair{Find(database, "--base", base), Find(database, "--cand", candidate)};
  for (const RunSummary& run : pair.base)
    if (std::ranges::any_of(pair.candidate, [&](const RunSummary& other) { return other.id == run.id; }))
      throw Error(fmt::format(
          "--base and --cand both name run {}; name another run for one of them ('culprit runs' lists them).",
          ShortUuid(run.run)));
  return pair;
}

KernelPair FindProgramKernel(const Database& database, const ProgramPair& runs, const std::string& kernel,
                             const Selector& selector) {
  const std::string range = NormalRange(selector.nvtx);
  const ShapePair shapes = ParseShapes(selector.shape);
  const RunSummary from = MakeSide(runs.base).run, to = MakeSide(runs.candidate).run;
  const std::vector<KernelRecord> base = database.LoadKernels(from.id, Ordinals::kAll);
  const std::vector<KernelRecord> candidate = database.LoadKernels(to.id, Ordinals::kAll);
  // A kernel may have other template arguments on the other side, and so another id.
  const std::string id_in_base = StageIdAmong(StagesNamedIn(database, from.id), kernel);
  const std::string id_in_candidate = StageIdAmong(StagesNamedIn(database, to.id), kernel);
  const auto fits = [&](const KernelRecord& k, const std::string& id, const std::string& shape) {
    return k.stage.id == id && (shape.empty() || k.launch.shape == shape) &&
           (selector.launch == 0 || k.launch.ordinal + 1 == selector.launch) &&
           (range.empty() || (k.program && IsInRange(k.program->nvtx, range)));
  };
  const auto in_base = [&](const KernelRecord& k) { return fits(k, id_in_base, shapes.base); };
  const auto in_candidate = [&](const KernelRecord& k) { return fits(k, id_in_candidate, shapes.candidate); };
  const auto us = [](const KernelRecord& k) { return k.program ? k.program->time_us.value_or(0) : 0; };
  std::optional<KernelPair> best;
  double most = -1;
  std::string alone;
  for (const MatchedLaunches& match : MatchLaunches(base, candidate)) {
    const KernelRecord* was = match.base.empty() ? nullptr : &base[match.base.front()];
    const KernelRecord* is = match.candidate.empty() ? nullptr : &candidate[match.candidate.front()];
    const bool was_meant = was && in_base(*was), is_meant = is && in_candidate(*is);
    const bool two_shapes = shapes.base != shapes.candidate;
    if (two_shapes ? !(was_meant && is_meant) : !was_meant && !is_meant) continue;
    if (!was || !is) {
      alone = was ? "base" : "candidate";
      continue;
    }
    if (const double moved = std::abs(us(*is) - us(*was)); moved > most) {
      most = moved;
      best = {*was, *is};
    }
  }
  // They belong not together by themselves: each side's own launch with most time.
  if (!best) {
    const auto longest = [&](const std::vector<KernelRecord>& kernels, const auto& is_in) {
      const KernelRecord* found = nullptr;
      for (const KernelRecord& k : kernels)
        if (is_in(k) && (found == nullptr || us(k) > us(*found))) found = &k;
      return found;
    };
    const KernelRecord *was = longest(base, in_base), *is = longest(candidate, in_candidate);
    if (was != nullptr && is != nullptr) best = {*was, *is};
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
        fmt::format("'{}' has no counterpart, because only the {} run launched it{}. 'culprit show {}' shows its time.",
                    kernel, alone, selector.shape.empty() ? "" : " at " + selector.shape, kernel));
  std::vector<std::string> ids, there, ranges;
  for (const auto* side : {&base, &candidate})
    for (const KernelRecord& k : *side) {
      if (std::ranges::find(ids, k.stage.id) == ids.end()) ids.push_back(k.stage.id);
      const bool named = k.stage.id == (side == &base ? id_in_base : id_in_candidate);
      if (named && std::ranges::find(there, k.launch.shape) == there.end()) there.push_back(k.launch.shape);
      if (named && k.program && !k.program->nvtx.empty() && std::ranges::find(ranges, k.program->nvtx) == ranges.end())
        ranges.push_back(k.program->nvtx);
    }
  const bool has_shape =
      !there.empty() && std::ranges::all_of(std::array{shapes.base, shapes.candidate}, [&](const std::string& shape) {
        return shape.empty() || std::ranges::find(there, shape) != there.end();
      });
  if (has_shape && !range.empty()) throw Error(UnknownMessage("NVTX range", selector.nvtx, ranges));
  if (has_shape && selector.launch > 0)
    throw Error(fmt::format("'{}' has no launch {} there; 'culprit show {}' lists its launches.", kernel,
                            selector.launch, kernel));
  if (!there.empty()) throw Error(UnknownMessage("shape", selector.shape, there));
  throw Error(UnknownMessage("kernel", kernel, ids, kListsStages));
}

}  // namespace culprit
