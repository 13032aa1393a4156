// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/name_runs.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include "analysis/cli/stage_name.h"
#include "analysis/cli/suggest.h"
#include "analysis/judge/program/match.h"
#include "analysis/launch/command.h"
#include "analysis/launch/recording.h"
#include "bench/program/recorded_program.h"
#include "bench/program/shell_words.h"

namespace culprit {
namespace {

constexpr std::string_view kNewest = "newest", kBranch = "branch:";

bool IsComplete(const RunSummary& run) { return run.state == "complete"; }

bool IsExecution(const RunSummary& run, const std::string& label) {
  return run.run.program && run.run.label == label && !label.empty();
}

// Executions of one side, the newest first.
using Side = std::vector<RunSummary>;

const std::string& LineOf(const Side& side) { return side.front().run.command_line; }

std::vector<Side> SidesOf(const Database& database, std::vector<RunSummary> runs) {
  if (std::ranges::any_of(runs, IsComplete))
    std::erase_if(runs, [](const RunSummary& run) { return !IsComplete(run); });
  std::vector<Side> sides;
  for (RunSummary& run : runs) {
    const auto known =
        std::ranges::find_if(sides, [&](const Side& side) { return AreOneSide(database, side.front(), run); });
    if (known == sides.end())
      sides.push_back({std::move(run)});
    else
      known->push_back(std::move(run));
  }
  return sides;
}

std::vector<Side> OfLabel(const Database& database, const std::string& label) {
  std::vector<RunSummary> runs = database.RunsNamed(label);
  std::erase_if(runs, [&](const RunSummary& run) { return !IsExecution(run, label); });
  return SidesOf(database, std::move(runs));
}

std::string Described(const std::vector<Side>& sides) {
  constexpr std::size_t kNamed = 5;
  std::vector<std::string> texts;
  for (const Side& side : std::span(sides).first(std::min(kNamed, sides.size())))
    texts.push_back(fmt::format("'{}' ({} run{})", LineOf(side), side.size(), side.size() == 1 ? "" : "s"));
  if (sides.size() > kNamed) texts.push_back(fmt::format("{} more", sides.size() - kNamed));
  return Listed(texts, "and");
}

// Those of one command. `chosen`: already by words of it.
Side TheOnlyOne(std::vector<Side> sides, const char* option, const std::string& label, const std::string& chosen) {
  if (sides.size() == 1) return std::move(sides.front());
  throw Error(
      fmt::format("'{}' is the label of {} commands{}: {}. Choose one by words of its command line ({} {}), or name "
                  "one run by its UUID ('culprit runs' lists them).",
                  label, sides.size(), chosen.empty() ? "" : " with '" + chosen + "' in them", Described(sides), option,
                  ShellWord(label + ":" + LineOf(sides.front()))));
}

// Executions of one label and one command are one answer.
std::vector<RunSummary> WithItsLabel(const Database& database, const RunSummary& run) {
  for (Side& side : OfLabel(database, run.run.label))
    if (std::ranges::any_of(side, [&](const RunSummary& one) { return one.id == run.id; })) return std::move(side);
  return {run};
}

bool HaveCommonName(const Database& database, const RunSummary& a, const RunSummary& b) {
  return (a.launches == 0 && b.launches == 0) ||
         HaveStageInCommon(StagesNamedIn(database, a.id), StagesNamedIn(database, b.id));
}

bool IsLike(const RunRecord& run, const RunRecord& candidate) {
  if (run.program.has_value() != candidate.program.has_value()) return false;
  if (run.program && !IsSameCommand(run, candidate)) return false;
  const bool knows_gpus = !run.gpu_uuids.empty() && !candidate.gpu_uuids.empty();
  if (knows_gpus && run.gpu_uuids != candidate.gpu_uuids) return false;
  return run.device && candidate.device && run.device->name == candidate.device->name;
}

std::vector<RunSummary> NewestBefore(const Database& database, const std::vector<RunSummary>& candidate) {
  const RunRecord& of = candidate.front().run;
  for (const RunSummary& run : database.RunsToChooseFrom()) {
    const bool is_candidate = std::ranges::any_of(candidate, [&](const auto& c) { return c.id == run.id; });
    const bool is_before =
        std::ranges::all_of(candidate, [&](const auto& c) { return run.run.started_utc <= c.run.started_utc; });
    if (!is_candidate && is_before && IsComplete(run) && IsLike(run.run, of)) return WithItsLabel(database, run);
  }
  throw Error(
      "--base newest: there is no complete run of the same program or benchmark on the same GPU before the "
      "candidate. Record one, or name a run ('culprit runs' lists them).");
}

std::vector<std::string> Git(std::vector<std::string> words) {
  words.insert(words.begin(), "git");
  Answer answer = Ask(words);
  if (answer.status == 0) return std::move(answer.out);
  throw Error(fmt::format("git cannot list the commits ({}); run culprit in the repository, or name the run.",
                          answer.WhyNot()));
}

bool IsOf(const RunRecord& run, std::string_view commit) {
  constexpr std::size_t kLeast = 7;  // what git abbreviates to
  const auto begins = [&](const std::string& text) { return text.size() >= kLeast && commit.starts_with(text); };
  return begins(run.label) || (begins(run.git_sha) && !run.git_dirty);
}

std::vector<RunSummary> OfBranch(const Database& database, const std::string& branch,
                                 const std::vector<RunSummary>& candidate) {
  if (branch.empty() || branch.starts_with('-')) throw Error("--base branch: needs the name of a branch: branch:main.");
  const std::vector<std::string> base = Git({"merge-base", branch, "HEAD"});
  const std::vector<std::string> commits = Git({"rev-list", base.empty() ? branch : base.front()});
  std::vector<RunSummary> runs = database.RunsToChooseFrom();
  std::erase_if(runs, [&](const RunSummary& run) {
    return !IsComplete(run) || std::ranges::any_of(candidate, [&](const auto& c) { return c.id == run.id; });
  });
  for (const std::string& commit : commits)
    for (const RunSummary& run : runs)
      if (IsOf(run.run, commit)) return WithItsLabel(database, run);
  throw Error(
      fmt::format("no complete run belongs to one of the {} commits that {} and HEAD have in common; record one of {} "
                  "(for a program, with --label $(git rev-parse HEAD)).",
                  commits.size(), branch, base.empty() ? branch : base.front().substr(0, 12)));
}

}  // namespace

bool AreOneSide(const Database& database, const RunSummary& a, const RunSummary& b) {
  return IsExecution(a, b.run.label) && b.run.program && IsSameCommand(a.run, b.run) && HaveCommonName(database, a, b);
}

bool HaveCommonKernel(const Database& database, const RunSummary& base, const RunSummary& candidate) {
  if (HaveCommonName(database, base, candidate)) return true;
  // Renamed ones, by their code or their words.
  return std::ranges::any_of(
      MatchLaunches(database.LoadKernels(base.id, Ordinals::kAll), database.LoadKernels(candidate.id, Ordinals::kAll)),
      [](const MatchedLaunches& match) { return !match.base.empty() && !match.candidate.empty(); });
}

std::vector<RunSummary> ExecutionsNamed(const Database& database, const char* option, const std::string& name) {
  const std::vector<RunSummary> named = database.RunsNamed(name);
  if (!named.empty()) {
    const bool is_label = std::ranges::all_of(named, [&](const RunSummary& run) { return IsExecution(run, name); });
    return is_label ? TheOnlyOne(SidesOf(database, named), option, name, "") : std::vector<RunSummary>{};
  }
  for (auto colon = name.find(':'); colon != name.npos; colon = name.find(':', colon + 1)) {
    const std::string label = name.substr(0, colon), words = name.substr(colon + 1);
    const std::vector<Side> sides = OfLabel(database, label);
    if (sides.empty() || words.empty()) continue;
    const auto of = [&](auto fits) {
      std::vector<Side> fitting;
      std::ranges::copy_if(sides, std::back_inserter(fitting), [&](const Side& side) {
        return std::ranges::any_of(side, [&](const RunSummary& run) { return fits(run.run.command_line); });
      });
      return fitting;
    };
    std::vector<Side> fitting = of([&](const std::string& line) { return line == words; });
    if (fitting.empty()) fitting = of([&](const std::string& line) { return line.find(words) != line.npos; });
    if (fitting.empty())
      throw Error(fmt::format("'{}' is a label, and none of its commands contains '{}'. The commands are {}.", label,
                              words, Described(sides)));
    return TheOnlyOne(std::move(fitting), option, label, words);
  }
  return {};
}

std::string NameOfOneRun(const Database& database, const char* option, const std::string& name) {
  if (name.empty() || !database.RunsNamed(name).empty()) return name;
  const std::vector<RunSummary> executions = ExecutionsNamed(database, option, name);
  return executions.empty() ? name : executions.front().run.uuid;
}

void RequireOneProgram(const Database& database, const RunSummary& base, const RunSummary& candidate, bool asked) {
  if (asked || !base.run.program || !candidate.run.program || HaveCommonKernel(database, base, candidate)) return;
  throw Error(
      fmt::format("run {} of '{}' and run {} of '{}' have no kernel in common; name other runs ('culprit runs' lists "
                  "them). If one program replaced all of its kernels, --different-programs compares all the work.",
                  ShortUuid(base.run), base.run.command_line, ShortUuid(candidate.run), candidate.run.command_line));
}

std::vector<RunSummary> FindRuns(const Database& database, const char* option, const std::string& name) {
  if (name.empty()) throw Error(fmt::format("{} is empty; name a run ('culprit runs' lists them).", option));
  std::vector<RunSummary> executions = ExecutionsNamed(database, option, name);
  return executions.empty() ? std::vector{database.FindRun({.run = name})} : executions;
}

std::vector<RunSummary> FindCandidate(const Database& database, const std::string& name) {
  if (name != kNewest || !database.RunsNamed(name).empty()) return FindRuns(database, "--cand", name);
  const std::vector<RunSummary> runs = database.RunsToChooseFrom();
  const auto newest = std::ranges::find_if(runs, IsComplete);
  if (newest == runs.end()) throw Error("--cand newest: there is no complete run. Record one.");
  return WithItsLabel(database, *newest);
}

std::vector<RunSummary> FindBase(const Database& database, const std::string& name,
                                 const std::vector<RunSummary>& candidate) {
  if (name.empty() || !database.RunsNamed(name).empty()) return FindRuns(database, "--base", name);
  if (name == kNewest) return NewestBefore(database, candidate);
  if (name.starts_with(kBranch)) return OfBranch(database, name.substr(kBranch.size()), candidate);
  return FindRuns(database, "--base", name);
}

}  // namespace culprit
