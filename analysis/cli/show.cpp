// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <memory>

#include "analysis/banks/conflict_lines.h"
#include "analysis/blame/costs.h"
#include "analysis/cli/command.h"
#include "analysis/cli/locate.h"
#include "analysis/cli/source_files.h"
#include "analysis/kernel/kernel_view.h"
#include "analysis/kernel/recording.h"
#include "analysis/report/advice_section.h"
#include "analysis/report/kernel_report.h"
#include "analysis/report/lines_report.h"
#include "analysis/report/static_report.h"
#include "analysis/why/sampled_advice.h"

namespace culprit {
namespace {

constexpr const char* kNotes =
    "STAGE@RUN is the stage or kernel in the run of that name: gather@before. The\n"
    "name of a kernel needs no digits behind its ~, and no more letters than make it\n"
    "unique.";

struct Arguments {
  DatabaseOption db;
  OutputOptions output;
  Selector selector;
  std::string stage, source;
  bool lines = false;
};

Report ReportOfLines(const Database& database, const KernelRecord& kernel, const std::string& source) {
  const std::optional<SamplingRecord> sampling = database.Sampling(kernel.id);
  if (!sampling || sampling->samples == 0)
    throw Error(
        fmt::format("stage '{}' has no samples of its instructions in run {}; record it with --profile=lines "
                    "(or --profile=full).",
                    kernel.stage.id, ShortUuid(kernel.run.run)));
  const Measured time = KernelView(kernel).Get("time_us");
  if (!time)
    throw Error(
        fmt::format("stage '{}' was sampled and not timed in run {}, so its lines have no microseconds; record "
                    "it with --profile=lines (or --profile=full).",
                    kernel.stage.id, ShortUuid(kernel.run.run)));
  SourceFiles files(source, QuotesOf(*sampling));
  const std::vector<InstructionRecord> counted = database.Instructions(kernel.id);
  return MakeLinesReport(kernel, *sampling, CostsOf(*time, *sampling, counted), counted,
                         [&](const SourceFrame& line) { return files.At(line); });
}

}  // namespace

Action AddShow(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("STAGE", &args->stage, "id of a stage, see 'culprit stages', or of a program's kernel; or STAGE@RUN",
             {.required = true, .words = "stages"});
  syntax.Add("--lines", &args->lines,
             "which source lines and instructions warps waited for, from samples, and what to do about them");
  AddSourceOption(syntax, args->source);
  AddDatabaseOption(syntax, args->db);
  AddOutputOptions(syntax, args->output);
  AddLaunchSelector(syntax, args->selector);
  syntax.notes = kNotes;
  return [args](Streams& streams) {
    RequireQuotes(args->source, args->lines, args->output);
    const Database database = Database::OpenForReading(args->db.File());
    if (args->lines) {
      const KernelRecord kernel = FindMeasured(database, args->stage, args->selector);
      Render(ReportOfLines(database, kernel, args->source), args->output, streams);
      return;
    }
    const auto found = FindStage(database, args->stage, args->selector);
    if (const auto* kernel = std::get_if<KernelRecord>(&found)) {
      Report report = MakeKernelReport(*kernel);
      const std::vector<InstructionRecord> instructions = database.Instructions(kernel->id);
      AddConflictLines(instructions, report);
      AddAdvice(AdviceOnKernel(database, *kernel), report);
      if (const auto launches = LaunchesOf(database, kernel->run.id, kernel->stage.id); launches.size() > 1)
        report.sections.push_back(MakeLaunchesSection(*kernel, launches));
      if (const std::optional<SamplingRecord> sampling = database.Sampling(kernel->id);
          sampling && sampling->samples > 0) {
        const KernelView view(*kernel);
        if (!view.WasCounted())
          report.notes.push_back(fmt::format(
              "Its instructions were sampled: culprit show {} --lines says what they waited for.", args->stage));
        // Those who open a page cannot ask for more.
        if (const Measured time = view.Get("time_us"); time && args->output.IsPage()) {
          SourceFiles files(args->source, QuotesOf(*sampling));
          AddHottestLines(
              kernel->stage.id, CostsOf(*time, *sampling, instructions),
              [&](const SourceFrame& line) { return files.At(line); }, report);
        }
      }
      Render(report, args->output, streams);
    } else {
      const auto& built = std::get<StaticStage>(found);
      Render(MakeStaticReport(built.run, built.stage, built.builds, database.Warnings(built.run.id)), args->output,
             streams);
    }
  };
}

}  // namespace culprit
