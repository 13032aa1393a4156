// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/ladder_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <list>
#include <map>
#include <set>
#include <tuple>

#include "analysis/causes/findings.h"
#include "analysis/kernel/kernel_view.h"
#include "analysis/kernel/recording.h"
#include "analysis/kernel/roofline.h"
#include "analysis/kernel/stall_stack.h"
#include "analysis/render/format.h"
#include "analysis/render/tabulate.h"
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

// "4096x4096x4096" with the flop of a matrix product: only such a launch has a job that a library does as well.
bool IsProduct(const KernelRecord& kernel) {
  double product = 1;
  int extents = 0;
  for (std::string_view rest = kernel.launch.shape; !rest.empty(); ++extents) {
    double extent = 0;
    const auto [next, error] = std::from_chars(rest.data(), rest.data() + rest.size(), extent);
    if (error != std::errc()) return false;
    product *= extent;
    rest.remove_prefix(static_cast<std::size_t>(next - rest.data()));
    if (rest.starts_with('x')) rest.remove_prefix(1);
  }
  return extents == 3 && kernel.launch.flop == 2 * product;
}

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

// What the columns of the ladder are read off.
struct Rung {
  Rung(const KernelRecord& of, const Ladder& in) : kernel(&of), ladder(&in), view(of), roof(MakeRoofline(view)) {}

  const KernelRecord* kernel;
  const Ladder* ladder;
  KernelView view;
  Roofline roof;
};
using Rungs = std::list<Rung>;  // a view cannot be moved

ReportTable LadderTable(const Rungs& rungs, bool timed) {
  const bool products = std::ranges::any_of(rungs, [](const Rung& r) { return IsProduct(*r.kernel); });
  const auto get = [](const char* id) { return [id](const Rung& r) { return r.view.Get(id); }; };
  return Tabulate<Rung>(
      "ladder", "", rungs,
      {{"stage", "Stage", [](const Rung& r) { return r.kernel->stage.id; }},
       {"median_us", "Median", Unit::kTimeUs, get("time_us"), !timed},
       {"time_over_parent", "vs parent", Unit::kSlowdown, [](const Rung& r) { return OverParent(r.view, *r.ladder); },
        !timed},
       {"gflops", "Speed", Unit::kGflops, [](const Rung& r) { return r.roof.achieved_gflops; }, !timed},
       {"ffma_peak_pct", "of FFMA", Unit::kPercent, [](const Rung& r) { return r.roof.compute_pct; }, !timed},
       {"cublas_pct", "cuBLAS", Unit::kPercent,
        [](const Rung& r) { return Measured(100) * r.roof.achieved_gflops / ReferenceGflops(*r.ladder, r.roof.input); },
        !timed || !products},
       {"registers", "Regs", Unit::kCount, get("registers")},
       {"stack_frame_bytes", "Stack", Unit::kCapacity, get("stack_frame_bytes")},
       {"achieved_occupancy_pct", "Warps", Unit::kPercent, get("achieved_occupancy_pct")},
       {"top_stall", "Top stall", [](const Rung& r) { return TopStallCell(r.view); }}});
}

ReportTable FailedTable(const Rungs& rungs) {
  return Tabulate<Rung>("failed", "Failed: left out of every ranking", rungs,
                        {{"stage", "Stage", [](const Rung& r) { return r.kernel->stage.id; }},
                         {"error_over_bound", "Error/bound", Unit::kRatio,
                          [](const Rung& r) { return r.kernel->launch.verify_error_over_bound; }},
                         {"message", "Why", [](const Rung& r) { return r.kernel->launch.message; }}});
}

ReportTable RefusedTable(const Rungs& rungs) {
  return Tabulate<Rung>("refused", "Refused", rungs,
                        {{"stage", "Stage", [](const Rung& r) { return r.kernel->stage.id; }},
                         {"message", "Why", [](const Rung& r) { return r.kernel->launch.message; }}});
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
    if (k.launch.state == LaunchState::kOk && IsProduct(k) && !ReferenceGflops(ladder, Input(k)))
      missing.insert(ReferenceStage(Input(k)));
  missing.erase("");
  std::vector<std::string> notes;
  for (const std::string_view stage : missing)
    notes.push_back(fmt::format("{} was not measured in this run, so there is nothing to compare with.", stage));
  return notes;
}

std::string Line(const Rung& rung) {
  std::string line = rung.kernel->stage.id + ": " + Format(*rung.view.Get("time_us"), Unit::kTimeUs);
  if (rung.roof.achieved_gflops) line += ", " + Format(*rung.roof.achieved_gflops, Unit::kGflops);
  const Measured share = Measured(100) * rung.roof.achieved_gflops / ReferenceGflops(*rung.ladder, rung.roof.input);
  if (share) line += fmt::format(", {} of {}", Format(*share, Unit::kPercent), ReferenceStage(rung.roof.input));
  return line;
}

// The steps that gained and lost most, as a fact each.
void AddSteps(const Rungs& rungs, Section& answer) {
  const Rung *back = nullptr, *forward = nullptr;
  double slowest = 1, fastest = 1;
  for (const Rung& rung : rungs) {
    const Measured over = OverParent(rung.view, *rung.ladder);
    if (over && *over > slowest) back = &rung, slowest = *over;
    if (over && *over < fastest) forward = &rung, fastest = *over;
  }
  const auto add = [&](const char* title, const Rung* rung, double over) {
    if (rung == nullptr) return;
    const StageRecord& stage = rung->kernel->stage;
    answer.facts.push_back(
        {"", title, fmt::format("{}: {} than {}", stage.id, Format(over, Unit::kSlowdown), stage.parent)});
  };
  add("Largest step forward", forward, fastest);
  add("Largest step back", back, slowest);
}

// Of one shape: which kernel is fastest where several do the same job, else which takes longest; and the steps.
Section Answer(const Ladder& ladder) {
  Rungs rungs;
  for (const KernelRecord* kernel : InOrder(ladder))
    if (kernel->launch.state == LaunchState::kOk) rungs.emplace_back(*kernel, ladder);
  std::erase_if(rungs, [](const Rung& r) { return !r.view.Get("time_us") || IsReference(*r.kernel); });
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
  AddSteps(rungs, answer);
  return answer;
}

Section MakeShape(const Ladder& ladder) {
  Section section{"shapes", "Shape " + ladder.shape};
  section.repeated = true;
  section.itemised = true;
  section.one_line = true;
  section.item_titles = {"Stage", "Relates to", "Heaviest finding"};
  section.facts.push_back({"shape", "", ladder.shape});
  const bool timed = std::any_of(ladder.kernels.begin(), ladder.kernels.end(), [](const KernelRecord& k) {
    return k.launch.state == LaunchState::kOk && KernelView(k).Get("time_us");
  });
  std::map<LaunchState, Rungs> rungs;
  for (const KernelRecord* kernel : InOrder(ladder)) rungs[kernel->launch.state].emplace_back(*kernel, ladder);
  ReportTable table = LadderTable(rungs[LaunchState::kOk], timed);
  for (const Rung& rung : rungs[LaunchState::kOk]) section.items.push_back(TopFinding(rung.view));
  if (!timed) table.notes.push_back("Nothing was timed at this shape: its launches were only counted.");
  if (timed)
    for (std::string& note : MissingReferences(ladder)) table.notes.push_back(std::move(note));
  section.tables.push_back(std::move(table));
  if (const auto& failed = rungs[LaunchState::kFailed]; !failed.empty()) section.tables.push_back(FailedTable(failed));
  if (const auto& refused = rungs[LaunchState::kRefused]; !refused.empty())
    section.tables.push_back(RefusedTable(refused));
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
    Section section{"static", "Static attributes, for each architecture built"};
    section.notes.push_back("Times and counters were not measured in this run: it launched nothing. " + HowToMeasure());
    section.tables.push_back(MakeStaticTable(builds));
    report.sections.push_back(std::move(section));
    return report;
  }
  report.answer = Answer(ladders.front());
  for (const Ladder& ladder : ladders) {
    report.sections.push_back(MakeShape(ladder));
    report.sections.back().detail = &ladder != &ladders.front();
  }
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
