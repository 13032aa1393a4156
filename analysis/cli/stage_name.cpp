// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/stage_name.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "analysis/cli/suggest.h"
#include "analysis/cli/syntax.h"

namespace culprit {
namespace {

// "gather" of "gather~3fa21b", see StageIdOf (analysis/launch/name.h).
std::string_view WithoutDigits(std::string_view id) { return id.substr(0, id.find('~')); }
bool HasDigits(std::string_view id) { return id.find('~') != id.npos; }

std::vector<NamedStage> Fitting(std::span<const NamedStage> stages, std::string_view word) {
  std::vector<NamedStage> fitting;
  std::set<std::string_view> known;
  const auto take = [&](auto fits) {
    for (const NamedStage& stage : stages)
      if (fits(stage) && known.insert(stage.id).second) fitting.push_back(stage);
    return !fitting.empty();
  };
  if (word.empty()) return fitting;
  if (take([&](const NamedStage& stage) { return stage.id == word; })) return fitting;
  if (take([&](const NamedStage& stage) { return WithoutDigits(stage.id) == word; })) return fitting;
  // "gather<float, 4>", as reports show it; the same may stand for several ids.
  if (take([&](const NamedStage& stage) { return HasDigits(stage.id) && stage.idea == word; })) return fitting;
  take([&](const NamedStage& stage) { return stage.id.starts_with(word); });
  return fitting;
}

std::string TheOnlyOne(const std::vector<NamedStage>& fitting, std::string_view word) {
  if (fitting.empty()) return {};
  if (fitting.size() == 1) return fitting.front().id;
  constexpr std::size_t kNamed = 8;
  std::string choices;
  for (const NamedStage& stage : std::span(fitting).first(std::min(kNamed, fitting.size()))) {
    choices += (choices.empty() ? "" : ", ") + stage.id;
    // Six digits tell people nothing: its arguments do.
    if (HasDigits(stage.id)) choices += " (" + stage.idea + ")";
  }
  if (fitting.size() > kNamed) choices += fmt::format(" and {} more", fitting.size() - kNamed);
  throw Error(fmt::format("'{}' may be {} kernels: name one of {}.", word, fitting.size(), choices));
}

std::vector<NamedStage> Listed(const Table& table) {
  std::vector<NamedStage> stages;
  for (const auto& row : table.rows) {
    const auto text = [&](std::size_t i) {
      const auto* value = std::get_if<std::string>(&row[i]);
      return value != nullptr ? *value : std::string();
    };
    stages.push_back({text(0), text(1)});
  }
  return stages;
}

}  // namespace

StageWord ParseStageWord(const std::string& word) {
  const auto at = word.find('@');
  if (at == word.npos) return {word, {}};
  if (at + 1 == word.size())
    throw Error(
        fmt::format("'{}' names no run behind its @: name one ('culprit runs' lists them), or leave the @ out.", word));
  return {word.substr(0, at), word.substr(at + 1)};
}

std::vector<NamedStage> StagesNamedIn(const Database& database, RunId run) {
  return Listed(database.Query(
      "SELECT key, idea FROM run_stage JOIN stage ON stage.id = stage_id WHERE run_id = :run ORDER BY position",
      {{":run", run}}));
}

bool HaveStageInCommon(std::span<const NamedStage> some, std::span<const NamedStage> others) {
  std::set<std::string_view> ids;
  for (const NamedStage& stage : some) ids.insert(stage.id);
  return std::ranges::any_of(others, [&](const NamedStage& stage) { return ids.contains(stage.id); });
}

std::string StageIdAmong(std::span<const NamedStage> stages, std::string_view word) {
  return TheOnlyOne(Fitting(stages, word), word);
}

std::string StageIdIn(const Database& database, std::string_view word, const std::string& run) {
  std::vector<NamedStage> of_run;
  if (!run.empty())
    for (const RunSummary& named : database.RunsNamed(run))
      std::ranges::move(StagesNamedIn(database, named.id), std::back_inserter(of_run));
  if (std::string id = StageIdAmong(of_run, word); !id.empty()) return id;
  const std::vector<NamedStage> all =
      Listed(database.Query("SELECT key, idea FROM stage GROUP BY key ORDER BY min(id)"));
  std::vector<NamedStage> fitting = Fitting(all, word);
  if (fitting.size() > 1)
    for (const RunSummary& newer : database.RunsToChooseFrom()) {
      if (newer.state != "complete") continue;
      std::vector<NamedStage> there = Fitting(StagesNamedIn(database, newer.id), word);
      if (there.empty()) continue;
      fitting = std::move(there);
      break;
    }
  if (std::string id = TheOnlyOne(fitting, word); !id.empty()) return id;
  if (all.empty()) database.FindRun({.run = run});  // which says what to do about a database without runs
  throw Error(UnknownMessage("kernel", word, TextsOf(all, &NamedStage::id), kListsStages));
}

}  // namespace culprit
