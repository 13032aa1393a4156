// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/locate.h"

#include <fmt/core.h>

#include <algorithm>

#include "analysis/cli/suggest.h"
#include "analysis/kernel/recording.h"
#include "analysis/report/run_header.h"

namespace culprit {
namespace {

std::vector<std::string> StageKeys(const Database& database) {
  std::vector<std::string> keys;
  for (const auto& row : database.Query("SELECT key FROM stage GROUP BY key ORDER BY min(id)").rows)
    if (const auto* key = std::get_if<std::string>(&row.front())) keys.push_back(*key);
  return keys;
}

bool Launched(const Database& database, const std::string& stage) {
  return !database
              .Query("SELECT 1 FROM launch JOIN stage ON stage.id = launch.stage_id WHERE stage.key = :stage LIMIT 1",
                     {{":stage", stage}})
              .rows.empty();
}

bool LaunchedIn(const Database& database, RunId run, const std::string& stage) {
  return !database
              .Query(
                  "SELECT 1 FROM launch JOIN stage ON stage.id = launch.stage_id WHERE stage.key = :stage AND "
                  "launch.run_id = :run LIMIT 1",
                  {{":stage", stage}, {":run", run}})
              .rows.empty();
}

std::optional<StaticStage> InRun(const Database& database, const RunSummary& run, const std::string& stage) {
  for (StageRecord& record : database.Stages(run.id)) {
    if (record.id != stage) continue;
    StaticStage found{run, std::move(record), {}};
    for (BuildRecord& build : database.Builds(run.id))
      if (build.stage == stage) found.builds.push_back(std::move(build));
    return found;
  }
  return std::nullopt;
}

RunSummary NewestWith(const Database& database, const std::string& stage) {
  for (RunSummary& run : database.Runs())
    if (InRun(database, run, stage)) return std::move(run);
  throw Error(fmt::format("no run has stage '{}'; see 'culprit runs'.", stage));
}

struct Target {
  std::string stage;
  Selector selector;
};

Target Parse(const std::string& word, const std::string& run, Selector selector) {
  const auto at = word.find('@');
  if (at != word.npos)
    selector.run = word.substr(at + 1);
  else if (!run.empty())
    selector.run = run;
  return {word.substr(0, at), std::move(selector)};
}

}  // namespace

std::variant<KernelRecord, StaticStage> FindStage(const Database& database, const std::string& stage,
                                                  const Selector& selector) {
  const std::vector<std::string> keys = StageKeys(database);
  if (std::find(keys.begin(), keys.end(), stage) == keys.end())
    throw Error(UnknownMessage("stage", stage, keys, kListsStages));
  const bool narrowed = !selector.run.empty() || !selector.gpu.empty();
  if (!Launched(database, stage) || !selector.run.empty()) {
    const RunSummary run = narrowed ? database.FindRun({selector.run, "", selector.gpu}) : NewestWith(database, stage);
    if (!LaunchedIn(database, run.id, stage)) {
      if (auto found = InRun(database, run, stage)) return *std::move(found);
      throw Error(
          fmt::format("run {} has no stage '{}': name another run (see 'culprit runs').", ShortUuid(run.run), stage));
    }
  }
  return database.FindKernel(stage, selector);
}

KernelRecord FindMeasured(const Database& database, const std::string& stage, const Selector& selector) {
  auto found = FindStage(database, stage, selector);
  if (auto* kernel = std::get_if<KernelRecord>(&found)) return std::move(*kernel);
  throw Error(fmt::format("stage '{}' was built but never launched in run {}. {}", stage,
                          ShortUuid(std::get<StaticStage>(found).run.run), HowToMeasure()));
}

std::vector<LaunchOfKernel> LaunchesOf(const Database& database, RunId run, const std::string& stage) {
  std::vector<LaunchOfKernel> launches;
  const Table table = database.Query(
      "SELECT launch.id, shape, ordinal, dynamic_shared_bytes, nvtx, calls, time_us, share_us, counted FROM launch "
      "JOIN "
      "stage ON stage.id = stage_id JOIN program_launch ON launch_id = launch.id WHERE run_id = :run AND key = :stage "
      "ORDER BY coalesce(share_us, time_us) DESC, launch.id",
      {{":run", run}, {":stage", stage}});
  for (const auto& row : table.rows) {
    const auto integer = [&](std::size_t i) {
      const auto* value = std::get_if<std::int64_t>(&row[i]);
      return value != nullptr ? *value : 0;
    };
    const auto text = [&](std::size_t i) {
      const auto* value = std::get_if<std::string>(&row[i]);
      return value != nullptr ? *value : std::string();
    };
    const auto real = [&](std::size_t i) {
      const auto* value = std::get_if<double>(&row[i]);
      return value != nullptr ? std::optional(*value) : std::nullopt;
    };
    LaunchOfKernel& launch = launches.emplace_back();
    launch.id = integer(0);
    launch.launch.shape = text(1);
    launch.launch.ordinal = static_cast<int>(integer(2));
    launch.launch.dynamic_shared_bytes = integer(3);
    launch.program = {.name = {},
                      .nvtx = text(4),
                      .calls = integer(5),
                      .time_us = real(6),
                      .share_us = real(7),
                      .counted = integer(8)};
  }
  return launches;
}

KernelPair FindPair(const Database& database, const PairWords& words, const Selector& selector) {
  const Target base_target = Parse(words.base, words.base_run, selector);
  KernelRecord base = FindMeasured(database, base_target.stage, base_target.selector);
  Selector beside = selector;
  beside.run = base.run.run.uuid;
  beside.gpu.clear();
  if (beside.shape.empty()) beside.shape = base.launch.shape;
  const Target candidate_target = Parse(words.candidate, words.candidate_run, beside);
  KernelRecord candidate = FindMeasured(database, candidate_target.stage, candidate_target.selector);
  return {std::move(base), std::move(candidate)};
}

RunSummary PickRun(const Database& database, const Selector& selector) {
  return database.FindRun({selector.run, "", selector.gpu});
}

}  // namespace culprit
