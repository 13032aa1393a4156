// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/locate.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "analysis/cli/name_runs.h"
#include "analysis/cli/stage_name.h"
#include "analysis/launch/recording.h"
#include "analysis/number/joined.h"
#include "analysis/show/report/run_header.h"

namespace culprit {
namespace {

bool Launched(const Database& database, const std::string& stage) {
  return !database
              .Query("SELECT 1 FROM launch JOIN stage ON stage.id = launch.stage_id WHERE stage.key = :stage LIMIT 1",
                     {{":stage", stage}})
              .rows.empty();
}

std::optional<FoundStage> InRun(const Database& database, const RunSummary& run, const std::string& stage) {
  for (StageRecord& record : database.Stages(run.id)) {
    if (record.id != stage) continue;
    FoundStage found{run, std::move(record), {}};
    for (BuildRecord& build : database.Builds(run.id))
      if (build.stage == stage) found.builds.push_back(std::move(build));
    return found;
  }
  return std::nullopt;
}

RunSummary NewestWith(const Database& database, const std::string& stage) {
  for (RunSummary& run : database.RunsToChooseFrom())
    if (InRun(database, run, stage)) return std::move(run);
  throw Error(fmt::format("no run has kernel '{}'; see 'culprit runs'.", stage));
}

// Those at which the stage was launched, the largest first, squares before others of the same work.
std::vector<std::string> ShapesOf(const Database& database, RunId run, const std::string& stage) {
  std::vector<std::string> shapes = database.Shapes(run);
  std::set<Value> has;  // in one query, because a benchmark may have thousands of shapes
  for (const auto& row : database
                             .Query("SELECT DISTINCT shape FROM launch JOIN stage ON stage.id = launch.stage_id WHERE "
                                    "stage.key = :stage AND launch.run_id = :run",
                                    {{":stage", stage}, {":run", run}})
                             .rows)
    has.insert(row.front());
  std::erase_if(shapes, [&](const std::string& shape) { return !has.contains(shape); });
  return shapes;
}

std::string Listing(const std::vector<std::string>& shapes) {
  constexpr std::size_t kNamed = 4;
  return JoinedFirst(shapes, kNamed);
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
  throw Error(
      fmt::format("'{}' in run {} (at {}) and '{}' in run {} (at {}) have no shape in common: name one of each by "
                  "--shape BASE,CAND.",
                  base.stage.id, ShortUuid(base.run.run), Listing(of_base), candidate.stage.id,
                  ShortUuid(candidate.run.run), Listing(of_candidate)));
}

}  // namespace

FoundStage FindStage(const Database& database, const std::string& word, const Selector& given) {
  const StageWord parsed = ParseStageWord(word);
  Selector selector = given;
  if (!parsed.run.empty()) selector.run = parsed.run;
  selector.run = NameOfOneRun(database, "--run", selector.run);
  const std::string stage = StageIdIn(database, parsed.stage, selector.run);
  const bool narrowed = !selector.run.empty() || !selector.gpu.empty();
  if (!Launched(database, stage) || !selector.run.empty()) {
    const RunSummary run = narrowed ? database.FindRun({selector.run, "", selector.gpu}) : NewestWith(database, stage);
    if (database.Launches(run.id, "", Ordinals::kFirst, stage).empty()) {
      if (auto found = InRun(database, run, stage)) return *std::move(found);
      throw Error(
          fmt::format("run {} has no kernel '{}': name another run (see 'culprit runs').", ShortUuid(run.run), stage));
    }
  }
  KernelRecord kernel = database.FindKernel(stage, selector);
  return {kernel.run, kernel.stage, std::move(kernel)};
}

KernelRecord FindMeasured(const Database& database, const std::string& word, const Selector& selector) {
  FoundStage found = FindStage(database, word, selector);
  if (found.kernel) return *std::move(found.kernel);
  throw Error(fmt::format("kernel '{}' was built but never launched in run {}. {}", found.stage.id,
                          ShortUuid(found.run.run), HowToMeasure()));
}

ShapePair ParseShapes(const std::string& shape) {
  const auto comma = shape.find(',');
  if (comma == shape.npos) return {shape, shape};
  ShapePair shapes{shape.substr(0, comma), shape.substr(comma + 1)};
  if (shapes.base.empty() || shapes.candidate.empty() || shapes.candidate.find(',') != shapes.candidate.npos)
    throw Error(fmt::format("'{}' does not name two shapes: give one shape, or two as --shape BASE,CAND.", shape));
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
