// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/kernel_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "analysis/launch/roofline.h"
#include "analysis/launch/stall_stack.h"
#include "analysis/launch/timing_caveats.h"
#include "analysis/number/format.h"
#include "analysis/number/joined.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/charts.h"
#include "analysis/show/report/program_report.h"
#include "analysis/show/report/run_header.h"
#include "analysis/show/report/static_report.h"
#include "db/stage_input.h"

namespace culprit {
namespace {

using enum Unit;

constexpr std::size_t kAnswers = 3;  // findings above everything else

bool IsAboutFindings(const Section& section) { return section.key == "findings" || section.key == "not_measured"; }

std::string Extent(unsigned x, unsigned y, unsigned z) {
  return x == 0 ? "not measured" : fmt::format("{} x {} x {}", x, y, z);  // as in reports of other tools
}

std::string VerificationLine(const LaunchRecord& launch) {
  const std::string state(ToText(launch.state));
  if (!launch.verify_error_over_bound) return state + ": ran, not compared with any reference";
  return fmt::format("{}: error {} of its bound, against {}", state, Format(*launch.verify_error_over_bound, kRatio),
                     launch.verify_reference);
}

// What a program's kernel is called may be all that is known of it.
std::string Idea(const StageRecord& stage) { return stage.idea == stage.id ? "" : ": " + stage.idea; }

// A peak that the kernel is ten times farther from than from another is not what it is about.
constexpr double kNearThePeak = 0.1;

// How fast it is, and what it is held back by most.
Section Answer(const KernelView& view, const Roofline& roof, const Findings& findings) {
  Section answer;
  const LaunchRecord& launch = view.record().launch;
  if (launch.state != LaunchState::kOk) {
    answer.facts = {{"", "Result", fmt::format("{}: {}", ToText(launch.state), launch.message)}};
    return answer;
  }
  const Measured time = view.Get("time_us");
  std::string result = time ? Format(*time, kTimeUs) : "not timed";
  if (roof.achieved_gflops) result += ", " + Format(*roof.achieved_gflops, kGflops);
  const std::pair<Measured, const char*> shares[] = {
      {roof.compute_pct, "FFMA"}, {roof.tensor_pct, "tensor"}, {roof.memory_pct, "DRAM"}};
  double nearest = 0;
  for (const auto& [share, of] : shares) nearest = std::max(nearest, share.value_or(0));
  for (const auto& [share, of] : shares)
    if (share && *share >= kNearThePeak * nearest)
      result += fmt::format(", {} of the {} peak", Format(*share, kPercent), of);
  answer.facts = {{"", "Result", std::move(result)}};
  answer.one_line = true;
  answer.item_titles = {"Finding", kAffects, "What it is"};
  for (const Finding& finding : findings.findings) {
    if (answer.items.size() == kAnswers) break;
    if (finding.good) {
      answer.facts.push_back({"", "Good", finding.text.substr(finding.text.find(' ') + 1)});
      continue;
    }
    answer.items.push_back(
        {.key = finding.id, .weight = {finding.weight_us, kTimeUs}, .text = finding.text, .brief = finding.brief});
  }
  if (!answer.items.empty()) answer.notes.emplace_back(kAffectsNote);
  return answer;
}

Section TimeSection(const KernelView& kernel) {
  Section section{"time", "Time"};
  const TimeSummary& time = kernel.time();
  const auto get = [&](auto field) { return time.time_us ? Measured((*time.time_us).*field) : Measured(); };
  const auto us = [&](auto field) { return Cell(get(field), kTimeUs); };
  section.facts = {{"median_us", "median", us(&Distribution::median)},
                   {"min_us", "minimum", us(&Distribution::min)},
                   {"q1_us", "lower quartile", us(&Distribution::q1)},
                   {"q3_us", "upper quartile", us(&Distribution::q3)},
                   {"cv_pct", "variation (CV)", {Measured(100) * get(&Distribution::cv), kPercent}},
                   {"samples_kept", "samples kept", Cell(time.kept, kCount)},
                   {"samples_left_out", "left out (low clock)", Cell(time.left_out, kCount)},
                   {"clock_mhz", "SM clock (median)", {time.clock_mhz, kMhz}}};
  if (time.no_times > 0)
    section.notes.push_back(fmt::format("Left out: {} of {} stored times, no positive, finite numbers.", time.no_times,
                                        kernel.record().samples.size()));
  if (!time.time_us && time.left_out == 0 && time.no_times == 0) {
    for (Fact& fact : section.facts) fact.title.clear();
    section.notes.push_back(kernel.WasCounted() ? "Not timed: this launch was only counted." : "Not timed.");
  }
  return section;
}

Section VerificationSection(const LaunchRecord& launch, bool is_of_program) {
  Section section{"verification",
                  "Verification",
                  {{"state", "state", ToText(launch.state)},
                   {"error_over_bound", "error / bound", {launch.verify_error_over_bound, kRatio}},
                   {"reference", "reference", launch.verify_reference.empty() ? "none" : launch.verify_reference}}};
  if (!launch.message.empty()) section.facts.push_back({"message", "message", launch.message});
  if (is_of_program) {
    for (Fact& fact : section.facts) fact.title.clear();
    section.notes.push_back("Nobody knows what a program's kernel should compute: it is not verified.");
  }
  return section;
}

Section RooflineSection(const Roofline& r) {
  Section section{"roofline", "Roofline"};
  const char* side = r.side == RoofSide::kUnknown ? "unknown" : r.side == RoofSide::kMemory ? "memory" : "compute";
  section.facts = {
      {"gflops", "achieved", {r.achieved_gflops, kGflops}},
      {"ffma_peak_gflops", "FFMA peak", {r.peak_gflops, kGflops}},
      {"ffma_peak_pct", "of FFMA peak", {r.compute_pct, kPercent}},
      {"tensor_peak_gflops", r.tensor_peak_gflops ? "tensor peak" : "", {r.tensor_peak_gflops, kGflops}},
      {"tensor_peak_pct", r.tensor_peak_gflops ? "of tensor peak" : "", {r.tensor_pct, kPercent}},
      {"clock_mhz", "at clock", {r.clock_mhz, kMhz}},
      {"clock_source", "clock source", r.clock_measured ? "measured" : "driver_maximum"},
      {"dram_bytes_per_s", "DRAM rate", {r.achieved_bytes_per_s, kBytesPerSecond}},
      {"dram_peak_bytes_per_s", "DRAM peak", {r.dram_bytes_per_s, kBytesPerSecond}},
      {"dram_peak_pct", "of DRAM peak", {r.memory_pct, kPercent}},
      {"intensity_flop_per_byte", "intensity", {r.intensity, kFlopPerByte}},
      {"best_intensity_flop_per_byte", "at compulsory bytes", {r.best_intensity, kFlopPerByte}},
      {"ridge_flop_per_byte", "ridge point", {r.ridge, kFlopPerByte}},
      {"side", "side", side},
      {"roof_gflops", "roof above it", {r.roof_gflops, kGflops}},
  };
  const char* clock =
      r.clock_measured ? "the median clock measured during the kept samples."
                       : "the maximum clock that the driver names: the clock of its timed launches was not measured.";
  if (r.tensor_peak_gflops)
    section.notes.push_back(
        fmt::format("Tensor peak is that of dense matrices of {}: {} flop per SM and cycle x SMs x {}", r.input,
                    Format(r.tensor_flop_per_cycle, kCount), clock));
  else if (r.input != kSinglePrecision)
    section.notes.push_back(
        "Inputs are " + r.input +
        ", which FFMA does not compute with: its peak is no ceiling here, and that of the tensor cores is not known.");
  else
    section.notes.push_back(fmt::format("FFMA peak is 2 x lanes x SMs x {}", clock));
  return section;
}

Section StallSection(const StallStackResult& result) {
  Section section{"stall_stack", "Where the time went"};
  section.intro = kWhatStatesAre;
  if (!result.stack) {
    section.notes.push_back(result.why_not);
    return section;
  }
  const StallStack& stack = *result.stack;
  ReportTable table =
      Tabulate<StallPart>("parts", "", stack.parts,
                          {{"reason", "Warp state", &StallPart::reason},
                           {"time_us", "Time", kTimeUs, &StallPart::time_us, !stack.time_us},
                           {"share_pct", "Share", kPercent, [](const StallPart& part) { return 100 * part.share; }},
                           {"meaning", "Meaning", &StallPart::meaning}});
  table.rows.push_back({"unattributed", Cell(stack.unattributed_us, kTimeDeltaUs),
                        Cell(100 * (1 - stack.closure), kPercent), "what the states above leave"});
  table.rows.push_back(
      {"total", {stack.time_us, kTimeUs}, {100, kPercent}, stack.time_us ? "median time" : "all states"});
  section.tables = {std::move(table)};
  section.facts = {{"closure", "closure", {stack.closure, kRatio}}};
  section.notes.push_back(!stack.time_us
                              ? "A share is of all cycles of resident warps; there is no time to split. Closure is "
                                "their sum; 1 means that nothing is missing."
                              : "A state has the part of the time that its cycles are of all cycles of resident warps. "
                                "Closure is the sum of these parts; 1 means that nothing is missing.");
  if (WholeOf(stack) > 1 && stack.time_us)
    section.notes.push_back(
        "Counted in several passes, the states are a little more than the whole: why and compare take their sum for "
        "it, so that the states add up to the time there.");
  const auto named = [](const auto& m) { return fmt::format("{} ({})", m.reason, ToText(m.why)); };
  if (!stack.missing.empty()) section.notes.push_back("Not measured: " + Joined(stack.missing, named) + ".");
  return section;
}

}  // namespace

void AddKernelHeader(const KernelRecord& k, Report& report) {
  const LaunchRecord& launch = k.launch;
  std::string stage = k.stage.family;
  if (!k.stage.parent.empty()) stage += ", changed from " + k.stage.parent;
  for (const auto& [factor, value] : k.stage.factors) stage += ", " + factor + " = " + value;
  std::string config = fmt::format("{} {}, shape {}, grid {}, block {}", launch.kernel, launch.arch, launch.shape,
                                   Extent(launch.grid_x, launch.grid_y, launch.grid_z),
                                   Extent(launch.block_x, launch.block_y, launch.block_z));
  if (launch.dynamic_shared_bytes > 0)
    config += ", dynamic shared memory " + Format(static_cast<double>(launch.dynamic_shared_bytes), kCapacity);
  if (const Measured kernels = KernelView(k).Get("launch_kernels"); kernels.value_or(1) > 1)
    config +=
        fmt::format("; one of {} kernels of a launch: times, counters and samples are of all, exact counts of one",
                    Format(*kernels, kCount));
  report.context.insert(report.context.end(), {{"stage", "Kernel", k.stage.id + " (" + stage + ")", true},
                                               {"kernel", "Launch", std::move(config), true}});
  if (k.program)
    report.context.push_back({"program", "In the program", InTheProgram(k)});
  else
    report.context.push_back({"verification", "Verified", VerificationLine(launch)});
  report.identity.insert(report.identity.end(), {{"stage", "", k.stage.id},
                                                 {"family", "", k.stage.family},
                                                 {"parent", "", k.stage.parent},
                                                 {"shape", "", launch.shape},
                                                 {"arch", "", launch.arch},
                                                 {"kernel", "", launch.kernel},
                                                 {"factors", "", k.stage.factors}});
}

Report MakeKernelReport(const KernelRecord& kernel) {
  const KernelView view(kernel);
  const Findings findings = JudgeKernel(view);
  Report report{.kind = "show", .title = kernel.stage.id + " at " + kernel.launch.shape + Idea(kernel.stage)};
  std::vector<Warning> warnings = kernel.warnings;
  for (Warning& w : warnings) w.launch.clear();  // the title names it
  AddRunHeader(kernel.run, warnings, report);
  AddKernelHeader(kernel, report);
  for (std::string& caveat : TimingCaveats(view, kernel.stage.id)) report.warnings.push_back(std::move(caveat));
  const Roofline roof = MakeRoofline(view);
  report.answer = Answer(view, roof, findings);
  // The answer first, what it rests on last: nobody begins to read with the times of single launches.
  const auto add = [&](Section section) { report.sections.push_back(std::move(section)); };
  const bool ok = kernel.launch.state == LaunchState::kOk;
  if (ok) {  // what a wrong result cost says nothing about the stage
    add(MakeFindingsSection(view, findings));
    add(StallSection(MakeStallStack(view)));
    add(MakeMemorySection(MakeMemoryTables(view)));
    add(RooflineSection(roof));
    if (!kernel.interventions.empty()) add(MakeInterventionSection(kernel));
  }
  add(MakeStaticSection(view.statics(), kernel.launch.arch));
  if (kernel.program) add(MakeProgramSection(kernel));
  add(VerificationSection(kernel.launch, kernel.program.has_value()));
  add(TimeSection(view));
  if (ok) add(MakeNotMeasuredSection(view, findings));
  report.charts = KernelCharts(view);
  // Where there is no finding, what was not measured is the answer.
  for (Section& section : report.sections)
    section.detail = ok && !(findings.findings.empty() && IsAboutFindings(section));
  return report;
}

}  // namespace culprit
