// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/name_runs.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "analysis/cli/ask_program.h"

namespace culprit {
namespace {

constexpr std::string_view kNewest = "newest", kBranch = "branch:";

bool IsComplete(const RunSummary& run) { return run.state == "complete"; }

// Executions of one label are one answer.
std::vector<RunSummary> WithItsLabel(const Database& database, const RunSummary& run) {
  if (!run.run.program || run.run.label.empty()) return {run};
  std::vector<RunSummary> runs;
  for (RunSummary& other : database.RunsNamed(run.run.label))
    if (other.run.program && other.run.label == run.run.label) runs.push_back(std::move(other));
  return runs.empty() ? std::vector{run} : runs;
}

bool IsLike(const RunRecord& run, const RunRecord& candidate) {
  if (run.program.has_value() != candidate.program.has_value()) return false;
  if (run.program && run.command_line != candidate.command_line) return false;
  return run.device && candidate.device && run.device->name == candidate.device->name;
}

std::vector<RunSummary> NewestBefore(const Database& database, const std::vector<RunSummary>& candidate) {
  const RunRecord& of = candidate.front().run;
  for (const RunSummary& run : database.Runs()) {
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
  std::vector<RunSummary> runs = database.Runs();
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

std::vector<RunSummary> FindRuns(const Database& database, const char* option, const std::string& name) {
  if (name.empty()) throw Error(fmt::format("{} is empty; name a run ('culprit runs' lists them).", option));
  std::vector<RunSummary> runs = database.RunsNamed(name);
  const auto is_execution = [&](const RunSummary& run) { return run.run.program && run.run.label == name; };
  if (runs.size() > 1 && std::ranges::all_of(runs, is_execution)) return runs;
  return {database.FindRun({.run = name})};
}

std::vector<RunSummary> FindCandidate(const Database& database, const std::string& name) {
  if (name != kNewest || !database.RunsNamed(name).empty()) return FindRuns(database, "--cand", name);
  const std::vector<RunSummary> runs = database.Runs();
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
