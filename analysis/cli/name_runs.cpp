// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/name_runs.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "analysis/cli/ask_program.h"
#include "analysis/cli/stage_name.h"
#include "analysis/cli/suggest.h"
#include "analysis/kernel/recording.h"
#include "analysis/program/command.h"
#include "analysis/program/match.h"

namespace culprit {
namespace {

constexpr std::string_view kNewest = "newest", kBranch = "branch:";

bool IsComplete(const RunSummary& run) { return run.state == "complete"; }

bool IsExecution(const RunSummary& run, const std::string& label) {
  return run.run.program && run.run.label == label && !label.empty();
}

// By command line, the newest first.
using Commands = std::vector<std::pair<std::string, std::vector<RunSummary>>>;

Commands CommandsOf(std::vector<RunSummary> runs) {
  if (std::ranges::any_of(runs, IsComplete))
    std::erase_if(runs, [](const RunSummary& run) { return !IsComplete(run); });
  Commands commands;
  for (RunSummary& run : runs) {
    const auto known = std::ranges::find(commands, run.run.command_line, [](const auto& c) { return c.first; });
    if (known == commands.end())
      commands.push_back({run.run.command_line, {run}});
    else
      known->second.push_back(std::move(run));
  }
  return commands;
}

Commands OfLabel(const Database& database, const std::string& label) {
  std::vector<RunSummary> runs = database.RunsNamed(label);
  std::erase_if(runs, [&](const RunSummary& run) { return !IsExecution(run, label); });
  return CommandsOf(std::move(runs));
}

std::string Described(const Commands& commands) {
  constexpr std::size_t kNamed = 5;
  std::vector<std::string> texts;
  for (const auto& [line, runs] : std::span(commands).first(std::min(kNamed, commands.size())))
    texts.push_back(fmt::format("'{}' ({} run{})", line, runs.size(), runs.size() == 1 ? "" : "s"));
  if (commands.size() > kNamed) texts.push_back(fmt::format("{} more", commands.size() - kNamed));
  return Listed(texts, "and");
}

// Those of one command. `chosen`: already by words of it.
std::vector<RunSummary> TheOnlyCommand(Commands commands, const char* option, const std::string& label,
                                       const std::string& chosen) {
  if (commands.size() == 1) return std::move(commands.front().second);
  throw Error(fmt::format(
      "{} is the label of {} commands{}: {}. Say which by words of its command line ({} '{}:{}'), or name one run by "
      "its UUID ('culprit runs' lists them).",
      "'" + label + "'", commands.size(), chosen.empty() ? "" : " with '" + chosen + "' in them", Described(commands),
      option, label, commands.front().first));
}

// Executions of one label and one command are one answer.
std::vector<RunSummary> WithItsLabel(const Database& database, const RunSummary& run) {
  for (auto& [line, runs] : OfLabel(database, run.run.label))
    if (run.run.program && line == run.run.command_line) return std::move(runs);
  return {run};
}

bool HaveCommonKernel(const Database& database, const RunSummary& base, const RunSummary& candidate) {
  if (HaveStageInCommon(StagesNamedIn(database, base.id), StagesNamedIn(database, candidate.id))) return true;
  // Renamed ones, by their code or their words.
  return std::ranges::any_of(
      MatchLaunches(database.LoadKernels(base.id, Ordinals::kAll), database.LoadKernels(candidate.id, Ordinals::kAll)),
      [](const MatchedLaunches& match) { return !match.base.empty() && !match.candidate.empty(); });
}

bool IsLike(const RunRecord& run, const RunRecord& candidate) {
  if (run.program.has_value() != candidate.program.has_value()) return false;
  if (run.program && !IsSameCommand(run, candidate)) return false;
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
      "--base newest finds no complete run before the candidate that is of the same program or benchmark and GPU: "
      "record one, or name one ('culprit runs' lists them).");
}

std::vector<std::string> Git(std::vector<std::string> words) {
  words.insert(words.begin(), "git");
  Answer answer = Ask(words);
  if (answer.status == 0) return std::move(answer.out);
  throw Error(fmt::format("git cannot say which commits there are ({}): run it in the repository, or name the run.",
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
  throw Error(fmt::format(
      "there is no complete run of any of the {} commits that {} and HEAD have in common: record one of {}, with "
      "--label $(git rev-parse HEAD) where it is a program's.",
      commits.size(), branch, base.empty() ? branch : base.front().substr(0, 12)));
}

}  // namespace

std::vector<RunSummary> ExecutionsNamed(const Database& database, const char* option, const std::string& name) {
  const std::vector<RunSummary> named = database.RunsNamed(name);
  if (!named.empty()) {
    const bool is_label = std::ranges::all_of(named, [&](const RunSummary& run) { return IsExecution(run, name); });
    return is_label ? TheOnlyCommand(CommandsOf(named), option, name, "") : std::vector<RunSummary>{};
  }
  for (auto colon = name.find(':'); colon != name.npos; colon = name.find(':', colon + 1)) {
    const std::string label = name.substr(0, colon), words = name.substr(colon + 1);
    Commands commands = OfLabel(database, label);
    if (commands.empty() || words.empty()) continue;
    for (auto& [line, runs] : commands)
      if (line == words) return std::move(runs);
    Commands holding = commands;
    std::erase_if(holding, [&](const auto& command) { return command.first.find(words) == std::string::npos; });
    if (holding.empty())
      throw Error(fmt::format("'{}' is a label, and none of its commands has '{}' in it: they are {}.", label, words,
                              Described(commands)));
    return TheOnlyCommand(std::move(holding), option, label, words);
  }
  return {};
}

void RequireOneProgram(const Database& database, const RunSummary& base, const RunSummary& candidate, bool asked) {
  if (asked || !base.run.program || !candidate.run.program || IsSameCommand(base.run, candidate.run)) return;
  if (base.launches == 0 && candidate.launches == 0) return;
  if (HaveCommonKernel(database, base, candidate)) return;
  throw Error(fmt::format(
      "run {} of '{}' and run {} of '{}' have no kernel in common, so they are no two versions of one program: name "
      "other runs ('culprit runs' lists them), or compare these all the same with --different-programs.",
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
  if (newest == runs.end()) throw Error("--cand newest finds no complete run: record one.");
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
