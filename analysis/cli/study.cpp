// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "analysis/cli/command.h"
#include "analysis/cli/locate.h"
#include "analysis/cli/stage_name.h"
#include "analysis/cli/suggest.h"
#include "analysis/judge/why/why.h"
#include "analysis/launch/recording.h"
#include "analysis/show/report/run_header.h"
#include "analysis/show/report/study_report.h"

namespace culprit {
namespace {

struct Arguments : ReportOptions {
  Selector selector;
  std::vector<std::string> stages;
  std::string family;
};

// KERNEL@RUN: the run of all of them.
void TakeRunFromStages(Arguments& args) {
  std::string run;
  for (std::string& word : args.stages) {
    StageWord parsed = ParseStageWord(word);
    if (!run.empty() && !parsed.run.empty() && parsed.run != run)
      throw Error(
          fmt::format("a study takes kernels of one run, but these name the runs '{}' and '{}'; 'culprit why BASE@RUN "
                      "CANDIDATE@RUN' compares kernels of two runs.",
                      run, parsed.run));
    if (!parsed.run.empty()) run = parsed.run;
    word = std::move(parsed.stage);
  }
  if (!run.empty()) args.selector.run = run;
}

RunSummary RunOf(const Database& database, const Arguments& args) {
  if (args.stages.empty()) return database.FindRun(args.selector);
  return FindStage(database, args.stages.front(), args.selector).run;
}

Lineage LineageOf(const std::vector<StageRecord>& stages, const Arguments& args) {
  if (args.family.empty()) {
    std::vector<NamedStage> named;
    std::vector<std::string> names;
    for (const StageRecord& stage : stages) named.push_back({stage.id, stage.idea});
    for (const std::string& word : args.stages) {
      names.push_back(StageIdAmong(named, word));
      if (names.back().empty())
        throw Error(UnknownMessage("kernel", word, TextsOf(stages, &StageRecord::id), kListsStages));
    }
    return Chain(stages, names);
  }
  std::vector<std::string> families;
  for (const StageRecord& stage : stages)
    if (std::ranges::find(families, stage.family) == families.end()) families.push_back(stage.family);
  if (std::ranges::find(families, args.family) == families.end())
    throw Error(UnknownMessage("family", args.family, families));
  return FamilyTree(stages, args.family);
}

struct Loaded {
  StudyInput input;
  std::vector<std::string> left_out;
};

// The stages' kernels, those of a tree at one shape.
Loaded Load(const Database& database, const RunSummary& run, const Lineage& lineage, const std::string& wanted) {
  std::map<std::string, std::map<std::string, KernelRecord>> launched;  // by stage and shape
  for (KernelRecord& kernel : database.LoadKernels(database.Launches(run.id, wanted))) {
    if (std::ranges::find(lineage.members, kernel.stage.id, &Member::stage) == lineage.members.end()) continue;
    auto& shapes = launched[kernel.stage.id];
    shapes.insert_or_assign(kernel.launch.shape, std::move(kernel));
  }
  if (launched.empty())
    throw Error(fmt::format("none of these kernels was launched in run {}{}. {}", ShortUuid(run.run),
                            wanted.empty() ? "" : " at " + wanted, HowToMeasure()));
  const std::vector<std::string> shapes = database.Shapes(run.id);
  Loaded loaded;
  for (const std::span<const Member> tree : Trees(lineage)) {
    std::map<std::string, int> right;
    for (const Member& member : tree)
      for (const auto& [shape, kernel] : launched[member.stage])
        right[shape] += kernel.launch.state == LaunchState::kOk;
    ShapeChoice choice = ChooseShape(shapes, right, static_cast<int>(tree.size()), tree.front().stage);
    if (!choice.left_out.empty()) loaded.left_out.push_back(std::move(choice.left_out));
    for (const Member& member : tree)
      if (auto kernel = launched[member.stage].extract(choice.shape))
        loaded.input.kernels.emplace(member.stage, std::move(kernel.mapped()));
    loaded.input.shapes[tree.front().stage] = std::move(choice.shape);
  }
  return loaded;
}

void Run(Arguments args, Streams& streams) {
  TakeRunFromStages(args);
  if (args.stages.empty() == args.family.empty())
    throw Error("a study takes either the kernels of a chain or --family: culprit study v2 v1_6.");
  const Database database = Database::OpenForReading(args.db);
  const RunSummary run = RunOf(database, args);
  const std::vector<StageRecord> stages = database.Stages(run.id);
  const Lineage lineage = LineageOf(stages, args);
  Loaded loaded = Load(database, run, lineage, args.selector.shape);
  loaded.input.stages = stages;
  const Neighbours neighbours(database);
  const Study study = MakeStudy(loaded.input, lineage, [&](const KernelView& base, const KernelView& candidate) {
    const auto sampled = LoadSamples(database, base.record(), candidate.record());
    return ExplainWith(sampled ? &*sampled : nullptr, &neighbours, base, candidate);
  });
  std::vector<Warning> warnings = OfLaunches(database.Warnings(run.id), [&](const std::string& launch) {
    return std::ranges::any_of(study.stages, [&](const StudyStage& s) { return launch == s.id + " at " + s.shape; });
  });
  Render(MakeStudyReport(study, run, warnings, loaded.left_out), args.output, streams);
}

}  // namespace

Action AddStudy(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("KERNEL", &args->stages,
             "two kernels: the path of parents from the first to the last; more: exactly these steps. KERNEL@RUN names "
             "the run of all");
  syntax.Add("--family", &args->family, "every kernel of a family below its parent, as a tree", {.value = "NAME"});
  AddReportOptions(syntax, *args);
  AddSelector(syntax, args->selector,
              "the shape at which most kernels of the chain, or of each tree, succeeded; the largest on a tie");
  return [args](Streams& streams) { Run(*args, streams); };
}

}  // namespace culprit
