// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/locate.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "analysis/cli/name_runs.h"
#include "analysis/cli/stage_name.h"
#include "analysis/kernel/recording.h"
#include "analysis/render/joined.h"
#include "analysis/report/run_header.h"

namespace culprit {
namespace {

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
  for (RunSummary& run : database.RunsToChooseFrom())
    if (InRun(database, run, stage)) return std::move(run);
  throw Error(fmt::format("no run has stage '{}'; see 'culprit runs'.", stage));
}

// Those at which the stage was launched, the largest first, squares before others of the same work.
std::vector<std::string> ShapesOf(const Database& database, RunId run, const std::string& stage) {
  std::set<Value> has;
  for (const auto& row : database
                             .Query("SELECT DISTINCT shape FROM launch JOIN stage ON stage.id = launch.stage_id WHERE "
                                    "stage.key = :stage AND launch.run_id = :run",
                                    {{":stage", stage}, {":run", run}})
                             .rows)
    has.insert(row.front());
  std::vector<std::string> shapes = database.Shapes(run);
  std::erase_if(shapes, [&](const std::string& shape) { return !has.contains(shape); });
  return shapes;
}

std::string Listing(const std::vector<std::string>& shapes) {
  constexpr std::size_t kNamed = 4;
  return Joined(std::span(shapes).first(std::min(kNamed, shapes.size()))) +
         (shapes.size() > kNamed ? fmt::format(" and {} more", shapes.size() - kNamed) : "");
}

// Benchmarks do the work that their shape names, so that only equal shapes can be compared unless two are named. A
// program's kernel may be launched in another way to do the same.
std::string CommonShape(const Database& database, const KernelRecord& base, const KernelRecord& candidate) {
  const std::vector<std::string> of_base = ShapesOf(database, base.run.id, base.stage.id);
  const std::vector<std::string> of_candidate = ShapesOf(database, candidate.run.id, candidate.stage.id);
  const std::set<std::string_view> has(of_candidate.begin(), of_candidate.end());
  const auto both_have = [&](const std::string& shape) { return has.contains(shape); };
  if (both_have(base.launch.shape)) return base.launch.shape;
  if (const auto shape = std::ranges::find_if(of_base, both_have); shape != of_base.end()) return *shape;
  throw Error(fmt::format(
      "'{}' in run {} (at {}) and '{}' in run {} (at {}) have no shape in common: name one of each by --shape "
      "BASE,CAND.",
      base.stage.id, ShortUuid(base.run.run), Listing(of_base), candidate.stage.id, ShortUuid(candidate.run.run),
      Listing(of_candidate)));
}

}  // namespace

std::variant<KernelRecord, StaticStage> FindStage(const Database& database, const std::string& word,
                                                  const Selector& given) {
  const StageWord parsed = ParseStageWord(word);
  Selector selector = given;
  if (!parsed.run.empty()) selector.run = parsed.run;
  selector.run = NameOfOneRun(database, "--run", selector.run);
  const std::string stage = StageIdIn(database, parsed.stage, selector.run);
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

KernelRecord FindMeasured(const Database& database, const std::string& word, const Selector& selector) {
  auto found = FindStage(database, word, selector);
  if (auto* kernel = std::get_if<KernelRecord>(&found)) return std::move(*kernel);
  const StaticStage& built = std::get<StaticStage>(found);
  throw Error(fmt::format("stage '{}' was built but never launched in run {}. {}", built.stage.id,
                          ShortUuid(built.run.run), HowToMeasure()));
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

ShapePair ParseShapes(const std::string& shape) {
  const auto comma = shape.find(',');
  if (comma == shape.npos) return {shape, shape};
  ShapePair shapes{shape.substr(0, comma), shape.substr(comma + 1)};
  if (shapes.base.empty() || shapes.candidate.empty() || shapes.candidate.find(',') != shapes.candidate.npos)
    throw Error(fmt::format("'{}' names no two shapes: give one, or two as --shape BASE,CAND.", shape));
  return shapes;
}

KernelPair FindPair(const Database& database, const PairWords& words, const Selector& selector) {
  const ShapePair shapes = ParseShapes(selector.shape);
  Selector of_base = selector, of_candidate = selector;
  of_base.shape = shapes.base;
  if (!words.base_run.empty()) of_base.run = words.base_run;
  KernelRecord base = FindMeasured(database, words.base, of_base);
  of_candidate.run = words.candidate_run.empty() ? base.run.run.uuid : words.candidate_run;
  of_candidate.gpu.clear();
  of_candidate.shape = shapes.candidate;
  KernelRecord candidate = FindMeasured(database, words.candidate, of_candidate);
  const bool programs = base.program && candidate.program;
  if (!programs && shapes.candidate.empty() && base.launch.shape != candidate.launch.shape) {
    of_base.run = base.run.run.uuid;
    of_candidate.run = candidate.run.run.uuid;
    of_base.shape = of_candidate.shape = CommonShape(database, base, candidate);
    base = database.FindKernel(base.stage.id, of_base);
    candidate = database.FindKernel(candidate.stage.id, of_candidate);
  }
  return {std::move(base), std::move(candidate)};
}

RunSummary PickRun(const Database& database, const Selector& selector) {
  return database.FindRun({NameOfOneRun(database, "--run", selector.run), "", selector.gpu});
}

}  // namespace culprit
