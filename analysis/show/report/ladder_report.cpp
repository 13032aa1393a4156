// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/ladder_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analysis/launch/recording.h"
#include "analysis/number/format.h"
#include "analysis/show/report/charts.h"
#include "analysis/show/report/kernel_report.h"
#include "analysis/show/report/ladder_tables.h"
#include "analysis/show/report/run_header.h"
#include "analysis/show/report/static_report.h"
#include "db/stage_input.h"

namespace culprit {
namespace {

using enum Unit;

// Single precision before other inputs, and of each input the reference first.
std::vector<const KernelRecord*> InOrder(const Ladder& ladder) {
  std::vector<const KernelRecord*> kernels;
  for (const KernelRecord& k : ladder.kernels) kernels.push_back(&k);
  const auto place = [](const KernelRecord* k) {
    const std::string input = Input(*k);
    return std::tuple(input != kSinglePrecision, input, !IsReference(*k));
  };
  std::ranges::stable_sort(kernels, {}, place);
  return kernels;
}

bool IsTimed(const KernelView& view) { return view.record().launch.state == LaunchState::kOk && view.Get("time_us"); }

std::string Line(const Rung& rung) {
  std::string line = rung.kernel->stage.id + ": " + Format(*rung.view.Get("time_us"), kTimeUs);
  if (rung.roof.achieved_gflops) line += ", " + Format(*rung.roof.achieved_gflops, kGflops);
  const Measured share = Measured(100) * rung.roof.achieved_gflops / ReferenceGflops(*rung.ladder, rung.roof.input);
  if (share) line += fmt::format(", {} of {}", Format(*share, kPercent), ReferenceStage(rung.roof.input));
  return line;
}

// The steps that gained and lost most, as a fact each.
void AddSteps(const Rungs& rungs, bool shapes_differ, Section& answer) {
  const Rung *back = nullptr, *forward = nullptr;
  double slowest = 1, fastest = 1;
  for (const Rung& rung : rungs) {
    if (IsAsFastAsParent(rung.view, *rung.ladder)) continue;
    const Measured over = OverParent(rung.view, *rung.ladder);
    if (over && *over > slowest) back = &rung, slowest = *over;
    if (over && *over < fastest) forward = &rung, fastest = *over;
  }
  const auto add = [&](const char* title, const Rung* rung, double over) {
    if (rung == nullptr) return;
    const StageRecord& stage = rung->kernel->stage;
    const std::string at = shapes_differ ? " at " + rung->ladder->shape : "";
    answer.facts.push_back(
        {"", title, fmt::format("{}{}: {} than {}", stage.id, at, Format(over, kSlowdown), stage.parent)});
  };
  add("Largest step forward", forward, fastest);
  add("Largest step back", back, slowest);
}

// Of one shape: which kernel is fastest where several do the same job, else which takes longest; and the steps.
Section AnswerAt(const Ladder& ladder) {
  Rungs rungs;
  for (const KernelRecord* kernel : InOrder(ladder))
    if (kernel->launch.state == LaunchState::kOk) rungs.emplace_back(*kernel, ladder);
  std::erase_if(rungs, [](const Rung& r) { return !IsTimed(r.view) || IsReference(*r.kernel); });
  Section answer;
  if (rungs.empty()) return answer;
  answer.facts = {{"", "At", ladder.shape}};
  const auto time = [](const Rung& r) { return *r.view.Get("time_us"); };
  std::map<std::string, const Rung*> fastest;  // by input
  for (const Rung& rung : rungs)
    if (const Rung*& best = fastest[rung.roof.input]; IsProduct(*rung.kernel) && (!best || time(rung) < time(*best)))
      best = &rung;
  std::erase_if(fastest, [](const auto& entry) { return entry.second == nullptr; });
  for (const auto& [input, rung] : fastest) answer.facts.push_back({"", "Fastest " + input, Line(*rung)});
  if (fastest.empty()) answer.facts.push_back({"", "Longest", Line(*std::ranges::max_element(rungs, {}, time))});
  AddSteps(rungs, false, answer);
  return answer;
}

// What a table of launches of one shape or of several shows, with the finding of each.
Section SectionOf(std::string key, std::string title, const Rungs& rungs, bool shapes_differ) {
  const bool timed = std::ranges::any_of(rungs, [](const Rung& r) { return IsTimed(r.view); });
  Section section{.key = std::move(key),
                  .title = std::move(title),
                  .tables = {LadderTable(rungs, timed, shapes_differ)},
                  .itemised = true,
                  .one_line = true,
                  .item_titles = {"Kernel", kAffects, "Heaviest finding"}};
  for (const Rung& rung : rungs) section.items.push_back(TopFinding(rung.view));
  if (!timed) section.tables.back().notes.push_back("Nothing was timed here: these launches were only counted.");
  return section;
}

Section MakeShape(const Ladder& ladder, std::vector<Chart>& charts) {
  std::map<LaunchState, Rungs> rungs;
  for (const KernelRecord* kernel : InOrder(ladder)) rungs[kernel->launch.state].emplace_back(*kernel, ladder);
  const Rungs& ok = rungs[LaunchState::kOk];
  Section section = SectionOf("shapes", "Shape " + ladder.shape, ok, false);
  section.repeated = true;
  for (Chart& chart : LadderCharts(ok, section.title)) charts.push_back(std::move(chart));
  section.facts.push_back({"shape", "", ladder.shape});
  if (std::ranges::any_of(ok, [](const Rung& r) { return IsTimed(r.view); }))
    for (std::string& note : MissingReferences(ladder)) section.tables.back().notes.push_back(std::move(note));
  if (const auto& failed = rungs[LaunchState::kFailed]; !failed.empty()) section.tables.push_back(FailedTable(failed));
  if (const auto& refused = rungs[LaunchState::kRefused]; !refused.empty())
    section.tables.push_back(RefusedTable(refused));
  return section;
}

std::set<std::string_view> StagesOf(const Ladder& ladder) {
  std::set<std::string_view> stages;
  for (const KernelRecord& kernel : ladder.kernels) stages.insert(kernel.stage.id);
  return stages;
}

// The largest shape at which every stage of the run was launched, whatever became of it; null where there is none: a
// run of kernels that have nothing to do with each other has sizes of all kinds.
const Ladder* ShapeOfAll(std::span<const Ladder> ladders) {
  std::set<std::string_view> all;
  for (const Ladder& ladder : ladders) all.merge(StagesOf(ladder));
  const auto whole = std::ranges::find_if(ladders, [&](const Ladder& l) { return StagesOf(l).size() == all.size(); });
  return whole == ladders.end() ? nullptr : &*whole;
}

// Each stage at the largest shape at which it ran right, beside the one that it was changed from.
Rungs LargestOfEach(std::span<const Ladder> ladders) {
  Rungs largest, ordered;
  std::set<std::string_view> stages;
  std::map<std::string_view, std::vector<const Rung*>> by_parent;
  for (const Ladder& ladder : ladders)  // largest first
    for (const KernelRecord* kernel : InOrder(ladder))
      if (kernel->launch.state == LaunchState::kOk && stages.insert(kernel->stage.id).second)
        by_parent[kernel->stage.parent].push_back(&largest.emplace_back(*kernel, ladder));
  std::set<const Rung*> added;
  // Adds a stage, then those that were changed from it.
  const auto add = [&](const auto& self, const Rung& rung) -> void {
    if (!added.insert(&rung).second) return;
    ordered.emplace_back(*rung.kernel, *rung.ladder);
    if (const auto children = by_parent.find(rung.kernel->stage.id); children != by_parent.end())
      for (const Rung* child : children->second) self(self, *child);
  };
  for (const Rung& rung : largest)
    if (!stages.contains(rung.kernel->stage.parent)) add(add, rung);
  for (const Rung& rung : largest) add(add, rung);  // of a circle
  return ordered;
}

// One size would be that of a few stages: only the steps can be said of all.
void AddLargestOfEach(std::span<const Ladder> ladders, Report& report) {
  const Rungs rungs = LargestOfEach(ladders);
  AddSteps(rungs, true, report.answer);
  report.sections.push_back(SectionOf("largest", "Each kernel at its own largest shape", rungs, true));
  report.sections.back().tables.front().notes.push_back(
      fmt::format("No shape has all {} kernels of this run. --shape takes one of its {} shapes, -v shows all of them.",
                  rungs.size(), ladders.size()));
}

std::string VerificationLine(std::span<const Ladder> ladders) {
  int passed = 0, unchecked = 0, failed = 0, refused = 0;
  double worst = 0;
  for (const Ladder& ladder : ladders)
    for (const KernelRecord& k : ladder.kernels) {
      const bool ok = k.launch.state == LaunchState::kOk;
      const auto& error = k.launch.verify_error_over_bound;
      failed += k.launch.state == LaunchState::kFailed;
      refused += k.launch.state == LaunchState::kRefused;
      unchecked += ok && !error;
      passed += ok && error;
      if (ok) worst = std::max(worst, error.value_or(0));
    }
  std::string line = fmt::format("{} launches passed", passed);
  if (passed > 0) line += fmt::format(" (largest error {} of its bound)", Format(worst, kRatio));
  return line + fmt::format(", {} failed, {} refused, {} not compared with anything", failed, refused, unchecked);
}

}  // namespace

Report MakeLadderReport(const RunSummary& run, std::span<const Ladder> ladders, std::span<const BuildRecord> builds,
                        const std::vector<Warning>& warnings) {
  Report report{.kind = "report", .title = "Kernels of run " + RunName(run.run)};
  AddRunHeader(run, warnings, report);
  if (!ladders.empty()) report.context.push_back({"verification", "Verification", VerificationLine(ladders)});
  if (ladders.empty()) {
    report.sections = {
        {.key = "static",
         .title = "Static attributes, for each architecture built",
         .tables = {MakeStaticTable(builds)},
         .notes = {"Times and counters were not measured in this run: it launched nothing. " + HowToMeasure()}}};
    return report;
  }
  const Ladder* shown = ShapeOfAll(ladders);
  if (shown != nullptr)
    report.answer = AnswerAt(*shown);
  else
    AddLargestOfEach(ladders, report);
  for (const Ladder& ladder : ladders) {
    report.sections.push_back(MakeShape(ladder, report.charts));
    report.sections.back().detail = &ladder != shown;
  }
  report.notes.push_back(
      "vs parent: time over the time of the kernel that this one was changed from, at the same shape. of FFMA: of the "
      "peak, 2 x lanes x SMs x clock, at the clock measured during the samples, else at the driver's maximum. Warps: "
      "resident, of the most that an SM can hold. Below each table: the heaviest finding of each stage. " +
      std::string(kAffectsNote) +
      " The time of the whole kernel is the median in the table. culprit show KERNEL has all findings.");
  return report;
}

}  // namespace culprit
