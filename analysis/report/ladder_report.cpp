// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/ladder_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "analysis/causes/findings.h"
#include "analysis/kernel/kernel_view.h"
#include "analysis/kernel/recording.h"
#include "analysis/kernel/roofline.h"
#include "analysis/kernel/stall_stack.h"
#include "analysis/render/format.h"
#include "analysis/report/run_header.h"
#include "analysis/report/static_report.h"
#include "db/stage_input.h"

namespace culprit {
namespace {

struct Reference {
  std::string_view input, stage;
};
constexpr Reference kReferences[] = {{kSinglePrecision, "cublas_sgemm"}, {"fp16", "cublas_hgemm"}};

std::string Input(const KernelRecord& kernel) { return InputOf(kernel.stage.factors); }

bool IsReference(const KernelRecord& kernel) { return kernel.stage.id == ReferenceStage(Input(kernel)); }

Measured ReferenceGflops(const Ladder& ladder, const std::string& input) {
  for (const KernelRecord& k : ladder.kernels)
    if (IsReference(k) && Input(k) == input && k.launch.state == LaunchState::kOk)
      return MakeRoofline(KernelView(k)).achieved_gflops;
  return {};
}

Cell TopStallCell(const KernelView& view) {
  const StallStackResult result = MakeStallStack(view);
  const StallPart* top = result.stack ? TopStall(*result.stack) : nullptr;
  if (top) return fmt::format("{} {}", top->reason, Format(100 * top->share, Unit::kPercent));
  const Measured warps = view.Get("warps_active");
  return Number{warps ? Measured() : warps};
}

// The ladder is about steps: time over the parent's at the same shape of the same run.
Measured OverParent(const KernelView& view, const Ladder& ladder) {
  const std::string& parent = view.record().stage.parent;
  if (parent.empty()) return Measured::Missing(Absence::kUndefined);
  for (const KernelRecord& k : ladder.kernels)
    if (k.stage.id == parent && k.launch.state == LaunchState::kOk)
      return view.Get("time_us") / KernelView(k).Get("time_us");
  return {};
}

std::vector<Cell> Row(const KernelView& view, const Ladder& ladder) {
  const Roofline roof = MakeRoofline(view);
  const Measured reference = ReferenceGflops(ladder, roof.input);
  return {view.record().stage.id,
          Number{view.Get("time_us"), Unit::kTimeUs},
          Number{OverParent(view, ladder), Unit::kTimes},
          Number{roof.achieved_gflops, Unit::kCount},
          Number{roof.compute_pct, Unit::kPercent},
          Number{Measured(100) * roof.achieved_gflops / reference, Unit::kPercent},
          Number{view.Get("registers"), Unit::kCount},
          Number{view.Get("stack_frame_bytes"), Unit::kCapacity},
          Number{view.Get("achieved_occupancy_pct"), Unit::kPercent},
          TopStallCell(view)};
}

Item TopFinding(const KernelView& view) {
  const std::string& stage = view.record().stage.id;
  if (!view.Get("time_us")) {
    const std::string why = "not judged: it was not timed, and a cause weighs what it costs.";
    return {stage, Number{{}, Unit::kTimeUs}, why, {}, why};
  }
  const Findings findings = JudgeKernel(view);
  if (findings.findings.empty()) {
    std::string why = "not judged: its counters were not measured.";
    if (findings.silent > 0)
      why = findings.not_judged.empty()
                ? "nothing stands out in what was measured."
                : fmt::format("nothing stands out, but {} of {} rules lack their metrics.", findings.not_judged.size(),
                              findings.not_judged.size() + findings.silent);
    return {stage, Number{{}, Unit::kTimeUs}, why, {}, why};
  }
  const Finding& top = findings.findings.front();
  return {stage,
          Number{top.weight_us ? Measured(*top.weight_us) : Measured(), Unit::kTimeUs},
          top.id + ": " + top.text,
          {},
          top.id + ": " + top.brief};
}

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

// One sentence for each input whose stages have nothing to be a share of.
std::vector<std::string> MissingReferences(const Ladder& ladder) {
  std::set<std::string_view> missing;
  for (const KernelRecord& k : ladder.kernels)
    if (k.launch.state == LaunchState::kOk && !ReferenceGflops(ladder, Input(k)))
      missing.insert(ReferenceStage(Input(k)));
  missing.erase("");
  std::vector<std::string> notes;
  for (const std::string_view stage : missing)
    notes.push_back(fmt::format("{} was not measured in this run, so there is nothing to compare with.", stage));
  return notes;
}

Section MakeShape(const Ladder& ladder) {
  Section section{"shapes", "Shape " + ladder.shape, {}, {}, {}, {}};
  section.repeated = true;
  section.itemised = true;
  section.one_line = true;
  section.item_titles = {"Stage", "Relates to", "Heaviest finding"};
  section.facts.push_back({"shape", "", ladder.shape});
  const bool timed = std::any_of(ladder.kernels.begin(), ladder.kernels.end(), [](const KernelRecord& k) {
    return k.launch.state == LaunchState::kOk && KernelView(k).Get("time_us");
  });
  ReportTable table{"ladder",
                    "",
                    {{"stage", "Stage"},
                     {"median_us", "Median", !timed},
                     {"time_over_parent", "vs parent", !timed},
                     {"gflops", "GFLOP/s", !timed},
                     {"ffma_peak_pct", "of FFMA", !timed},
                     {"cublas_pct", "cuBLAS", !timed},
                     {"registers", "Regs"},
                     {"stack_frame_bytes", "Stack"},
                     {"achieved_occupancy_pct", "Warps"},
                     {"top_stall", "Top stall"}},
                    {},
                    {}};
  ReportTable failed{"failed",
                     "Failed: left out of every ranking",
                     {{"stage", "Stage"}, {"error_over_bound", "Error/bound"}, {"message", "Why"}},
                     {},
                     {}};
  ReportTable refused{"refused", "Refused", {{"stage", "Stage"}, {"message", "Why"}}, {}, {}};
  for (const KernelRecord* kernel : InOrder(ladder)) {
    const KernelRecord& k = *kernel;
    const KernelView view(k);
    switch (k.launch.state) {
      case LaunchState::kOk:
        table.rows.push_back(Row(view, ladder));
        section.items.push_back(TopFinding(view));
        break;
      case LaunchState::kFailed: {
        const auto& error = k.launch.verify_error_over_bound;
        failed.rows.push_back(
            {k.stage.id, Number{error ? Measured(*error) : Measured(), Unit::kRatio}, k.launch.message});
        break;
      }
      case LaunchState::kRefused:
        refused.rows.push_back({k.stage.id, k.launch.message});
        break;
    }
  }
  if (!timed) table.notes.push_back("Nothing was timed at this shape: its launches were only counted.");
  if (timed)
    for (std::string& note : MissingReferences(ladder)) table.notes.push_back(std::move(note));
  section.tables.push_back(std::move(table));
  if (!failed.rows.empty()) section.tables.push_back(std::move(failed));
  if (!refused.rows.empty()) section.tables.push_back(std::move(refused));
  return section;
}

std::string VerificationLine(std::span<const Ladder> ladders) {
  int passed = 0, unchecked = 0, failed = 0, refused = 0;
  double worst = 0;
  for (const Ladder& ladder : ladders)
    for (const KernelRecord& k : ladder.kernels) {
      const LaunchRecord& launch = k.launch;
      if (launch.state == LaunchState::kFailed)
        ++failed;
      else if (launch.state == LaunchState::kRefused)
        ++refused;
      else if (!launch.verify_error_over_bound)
        ++unchecked;
      else {
        ++passed;
        worst = std::max(worst, *launch.verify_error_over_bound);
      }
    }
  std::string line = fmt::format("{} launches passed", passed);
  if (passed > 0) line += fmt::format(" (largest error {} of its bound)", Format(worst, Unit::kRatio));
  return line + fmt::format(", {} failed, {} refused, {} not compared with anything", failed, refused, unchecked);
}

}  // namespace

std::string_view ReferenceStage(std::string_view input) {
  const auto found = std::ranges::find(kReferences, input, &Reference::input);
  return found == std::end(kReferences) ? "" : found->stage;
}

Report MakeLadderReport(const RunSummary& run, std::span<const Ladder> ladders, std::span<const BuildRecord> builds,
                        const std::vector<Warning>& warnings) {
  Report report;
  report.kind = "report";
  report.title = "Stages of run " + ShortUuid(run.run) + (run.run.label.empty() ? "" : " \"" + run.run.label + "\"");
  AddRunHeader(run, warnings, report);
  if (!ladders.empty()) report.context.push_back({"verification", "Verification", VerificationLine(ladders)});
  if (ladders.empty()) {
    Section section{"static", "Static attributes, for each architecture built", {}, {}, {}, {}};
    section.notes.push_back("Times and counters were not measured in this run: it launched nothing. " + HowToMeasure());
    section.tables.push_back(MakeStaticTable(builds));
    report.sections.push_back(std::move(section));
    return report;
  }
  for (const Ladder& ladder : ladders) report.sections.push_back(MakeShape(ladder));
  report.notes.push_back(
      "vs parent: time over the time of the stage that this one was changed from. of FFMA: of the peak, 2 x lanes x "
      "SMs "
      "x clock, at the clock measured during the samples, else at the driver's maximum. Warps: resident, of the most "
      "that an SM can hold. Below each table: the heaviest finding of each stage and the time that it relates to. "
      "These times overlap and predict no gain; the time of the whole kernel is the median in the table. culprit show "
      "STAGE has all findings.");
  return report;
}

}  // namespace culprit
