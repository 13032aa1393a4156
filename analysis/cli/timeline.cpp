// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <re2/re2.h>

#include <cmath>
#include <memory>
#include <utility>

#include "analysis/cli/command.h"
#include "analysis/cli/find_timeline.h"
#include "analysis/cli/locate.h"
#include "analysis/launch/recording.h"
#include "analysis/show/report/kernel_report.h"
#include "analysis/show/report/phase_section.h"
#include "analysis/show/report/run_header.h"
#include "analysis/show/report/timeline_report.h"
#include "db/sample_range.h"

namespace culprit {
namespace {

constexpr const char* kNotes =
    "Without KERNEL: what ran when, and what the GPU's units did over the program.\n"
    "With KERNEL: what they do inside it, from its start to its end, mean over its\n"
    "calls. --base RUN draws another run's kernel above it.\n"
    "'culprit export --format perfetto RUN' writes the timeline for ui.perfetto.dev.";

struct Arguments : ReportOptions {
  Selector selector;
  std::string run, kernel, base, from, to;
};

std::optional<std::int64_t> Time(const char* option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  double number = 0;
  std::string unit;
  if (!RE2::FullMatch(text, R"((\d*\.?\d+) ?(ns|us|ms|s)?)", &number, &unit) || !(number < 1e15))
    throw Error(fmt::format("{} takes a time such as 12.5ms, 300us or 2s, not '{}'.", option, text));
  const double ns = unit == "ns" ? 1 : unit == "us" ? 1e3 : unit == "s" ? 1e9 : 1e6;
  return std::llround(std::min(number * ns, kMostTimelineNs));
}

PhaseSide SideOf(const Database& database, std::string name, const KernelRecord& kernel) {
  return {std::move(name), &kernel, database.Profiles(kernel.id)};
}

Report ReportInside(const Database& database, const Arguments& args) {
  Selector selector = args.selector;
  selector.run = args.run;
  const KernelRecord kernel = FindMeasured(database, args.kernel, selector);
  std::optional<KernelRecord> base;
  std::vector<PhaseSide> sides;
  if (!args.base.empty()) {
    selector.run = args.base;
    base = FindMeasured(database, args.kernel.substr(0, args.kernel.find('@')), selector);
    sides.push_back(SideOf(database, "base", *base));
  }
  sides.push_back(SideOf(database, base ? "candidate" : "", kernel));
  std::optional<Section> section = MakePhaseSection(sides);
  if (!section)
    throw Error(
        fmt::format("kernel '{}' has no profile in run {}: record it with 'culprit record --profile sampled', and "
                    "for long enough that the GPU samples it some hundred times.",
                    kernel.stage.id, ShortUuid(kernel.run.run)));
  Report report{"timeline", fmt::format("Timeline inside {}", kernel.stage.id)};
  AddRunHeader(kernel.run, kernel.warnings, report);
  report.sections.push_back(std::move(*section));
  return report;
}

}  // namespace

Action AddTimeline(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("RUN", &args->run, "UUID prefix, id or label (default: the newest complete run)", {.words = "runs"});
  syntax.Add("KERNEL", &args->kernel, "show the inside of this kernel ('culprit list' lists them)",
             {.words = "kernels"});
  syntax.Add("--base", &args->base, "with KERNEL: also draw it as this run has it",
             {.value = "RUN", .not_empty = true, .words = "runs"});
  syntax.Add("--from", &args->from,
             "begin here: 12.5ms, 300us, 2s; a number is in ms (default: the first work of a GPU)",
             {.value = "TIME", .not_empty = true});
  syntax.Add("--to", &args->to, "end here", {.value = "TIME", .not_empty = true});
  syntax.Add("--shape", &args->selector.shape, "with KERNEL: its launch with this grid and block",
             {.value = "SHAPE", .not_empty = true});
  syntax.Add("--nvtx", &args->selector.nvtx, "with KERNEL: its launch in this NVTX range (numbers are ignored)",
             {.value = "RANGE", .not_empty = true});
  AddReportOptions(syntax, *args);
  syntax.notes = kNotes;
  return [args](Streams& streams) {
    const TimelinePart part{Time("--from", args->from), Time("--to", args->to)};
    const Database database = Database::OpenForReading(args->db);
    // A single word may also be a kernel, of the newest run that has it.
    if (args->kernel.empty() && !args->run.empty() && database.RunsNamed(args->run).empty())
      std::swap(args->run, args->kernel);
    if (args->kernel.empty()) {
      if (!args->base.empty()) throw Error("--base needs a KERNEL: 'culprit timeline RUN KERNEL --base RUN'.");
      const auto [run, timeline] = FindTimeline(database, {.run = args->run});
      Render(MakeTimelineReport(run, timeline, database.LoadKernels(run.id, Ordinals::kAll), database.Warnings(run.id),
                                part),
             args->output, streams);
    } else {
      if (part.from_ns || part.to_ns)
        throw Error("--from and --to are times of the program, so they cannot be given with a KERNEL.");
      Render(ReportInside(database, *args), args->output, streams);
    }
  };
}

}  // namespace culprit
