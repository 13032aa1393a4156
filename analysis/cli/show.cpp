// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "analysis/cli/command.h"
#include "analysis/cli/given_files.h"
#include "analysis/cli/locate.h"
#include "analysis/cli/source_files.h"
#include "analysis/judge/blame/costs.h"
#include "analysis/judge/why/sampled_advice.h"
#include "analysis/launch/kernel_view.h"
#include "analysis/launch/recording.h"
#include "analysis/show/report/advice_section.h"
#include "analysis/show/report/conflict_lines.h"
#include "analysis/show/report/kernel_report.h"
#include "analysis/show/report/lines_report.h"
#include "analysis/show/report/phase_section.h"
#include "analysis/show/report/program_report.h"
#include "analysis/show/report/static_report.h"

namespace culprit {
namespace {

constexpr const char* kNotes =
    "KERNEL@RUN is the kernel in one run. RUN is the run's label or the beginning of\n"
    "its UUID: gather@before. You can leave out the digits after ~. The first letters\n"
    "of the name are enough if no other kernel begins with them. --run also takes a\n"
    "file that culprit import reads.";

struct Arguments : ReportOptions {
  Selector selector;
  std::string stage, source;
  bool lines = false;
};

Report ReportOfLines(const Database& database, const KernelRecord& kernel, const std::string& source) {
  const std::optional<SamplingRecord> sampling = database.Sampling(kernel.id);
  if (!sampling || sampling->samples == 0)
    throw Error(fmt::format(
        "kernel '{}' has no samples of its instructions in run {}; record it with --profile=lines (or --profile=full).",
        kernel.stage.id, ShortUuid(kernel.run.run)));
  const Measured time = KernelView(kernel).Get("time_us");
  if (!time)
    throw Error(
        fmt::format("kernel '{}' was sampled but not timed in run {}, so its lines have no microseconds; record it "
                    "with --profile=lines (or --profile=full).",
                    kernel.stage.id, ShortUuid(kernel.run.run)));
  SourceFiles files(source, QuotesOf(*sampling));
  const std::vector<InstructionRecord> counted = database.Instructions(kernel.id);
  return MakeLinesReport(kernel, *sampling, CostsOf(*time, *sampling, counted), counted,
                         [&](const SourceFrame& line) { return files.At(line); });
}

Action AddReportOfKernel(Syntax& syntax, bool annotate) {
  auto args = std::make_shared<Arguments>();
  args->lines = annotate;
  syntax.Add("KERNEL", &args->stage, "a kernel ('culprit list' lists them), or KERNEL@RUN",
             {.required = true, .words = "kernels"});
  if (!annotate)
    syntax.Add("--lines", &args->lines,
               "the source lines and instructions that warps waited for, from samples, and advice about them; the same "
               "as 'culprit annotate'");
  AddSourceOption(syntax, args->source);
  AddReportOptions(syntax, *args);
  AddLaunchSelector(syntax, args->selector,
                    "the largest square matrix; for a program's kernel, the launch with most time");
  syntax.notes = kNotes;
  return [args](Streams& streams) {
    RequireQuotes(args->source, args->lines, args->output);
    const Database database = OpenWithFiles(args->db, {&args->selector.run}, streams.err);
    if (args->lines) {
      const KernelRecord kernel = FindMeasured(database, args->stage, args->selector);
      Render(ReportOfLines(database, kernel, args->source), args->output, streams);
      return;
    }
    const auto [run, stage, kernel, builds] = FindStage(database, args->stage, args->selector);
    if (kernel) {
      Report report = MakeKernelReport(*kernel);
      const std::vector<InstructionRecord> instructions = database.Instructions(kernel->id);
      AddConflictLines(instructions, report);
      const auto sampled = LoadSampled(database, *kernel);
      if (sampled) AddExamined(ExamineKernel(*kernel, *sampled), report);
      const PhaseSide inside{"", &*kernel, database.Profiles(kernel->id)};
      if (std::optional<Section> phases = MakePhaseSection(std::span(&inside, 1)))
        report.sections.push_back(std::move(*phases));
      if (kernel->program)
        AddLaunches(*kernel, database.LoadKernels(database.Launches(run.id, "", Ordinals::kAll, stage.id)), report);
      if (const std::optional<SamplingRecord> sampling = database.Sampling(kernel->id);
          sampling && sampling->samples > 0) {
        if (!KernelView(*kernel).WasCounted())
          report.notes.push_back(fmt::format(
              "Its instructions were sampled: culprit show {} --lines says what warps waited for.", args->stage));
        // Those who open a page cannot ask for more.
        if (sampled && args->output.IsPage()) {
          SourceFiles files(args->source, sampled->quotes);
          AddHottestLines(
              kernel->stage.id, sampled->costs, [&](const SourceFrame& line) { return files.At(line); }, report);
        }
      }
      Render(report, args->output, streams);
    } else {
      Render(MakeStaticReport(run, stage, builds, database.Warnings(run.id)), args->output, streams);
    }
  };
}

}  // namespace

Action AddShow(Syntax& syntax) { return AddReportOfKernel(syntax, false); }

Action AddAnnotate(Syntax& syntax) { return AddReportOfKernel(syntax, true); }

}  // namespace culprit
