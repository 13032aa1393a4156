// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "analysis/cli/command.h"
#include "analysis/cli/locate.h"
#include "analysis/cli/suggest.h"
#include "analysis/show/report/ladder_report.h"
#include "analysis/show/report/program_report.h"
#include "analysis/show/report/run_header.h"
#include "analysis/show/report/timeline_report.h"
#include "db/timeline.h"

namespace culprit {
namespace {

struct Arguments : ReportOptions {
  Selector selector;
};

// As it was written; else "4096" means the square, as in Selector. Empty where none is wanted.
std::string FindShape(const std::vector<std::string>& shapes, const std::string& wanted) {
  for (const std::string& shape : {wanted, wanted + "x" + wanted + "x" + wanted})
    if (wanted.empty() || std::ranges::find(shapes, shape) != shapes.end()) return shape;
  throw Error(UnknownMessage("shape", wanted, shapes));
}

// In the order of `shapes`; of `wanted` alone where it is not empty.
std::vector<Ladder> Load(const Database& database, const RunSummary& run, const std::vector<std::string>& shapes,
                         const std::string& wanted) {
  std::map<std::string, std::vector<KernelRecord>> at;
  for (KernelRecord& kernel : database.LoadKernels(database.Launches(run.id, wanted)))
    at[kernel.launch.shape].push_back(std::move(kernel));
  std::vector<Ladder> ladders;
  for (const std::string& shape : shapes)
    if (const auto found = at.find(shape); found != at.end()) ladders.push_back({shape, std::move(found->second)});
  return ladders;
}

std::vector<KernelRecord> LoadProgram(const Database& database, const RunSummary& run, const std::string& shape) {
  std::vector<KernelRecord> kernels = database.LoadKernels(run.id, Ordinals::kAll);
  if (!shape.empty()) std::erase_if(kernels, [&](const KernelRecord& k) { return k.launch.shape != shape; });
  return kernels;
}

// As Selector::gpu narrows a search.
std::size_t RunsOn(const Database& database, const std::string& gpu) {
  return database
      .Query("SELECT 1 FROM run JOIN device ON device.id = device_id WHERE instr(lower(name), lower(:gpu)) > 0",
             {{":gpu", gpu}})
      .rows.size();
}

// Where nobody said which run: that there are others. Empty: there are none.
std::string OtherRuns(const Database& database, const Selector& selector) {
  if (!selector.run.empty()) return {};
  const std::size_t runs = selector.gpu.empty() ? database.CountRuns() : RunsOn(database, selector.gpu);
  if (runs < 2) return {};
  return fmt::format(
      "This is the newest of {} runs{}: culprit report --run RUN shows another, culprit runs lists them.", runs,
      selector.gpu.empty() ? "" : fmt::format(" on a GPU that is called '{}'", selector.gpu));
}

}  // namespace

Action AddReport(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  AddReportOptions(syntax, *args);
  AddSelector(syntax, args->selector, "all of them");
  return [args](Streams& streams) {
    const Database database = Database::OpenForReading(args->db);
    const RunSummary run = PickRun(database, args->selector);
    const std::vector<std::string> shapes = database.Shapes(run.id);
    const std::string shape = FindShape(shapes, args->selector.shape);
    std::vector<Warning> warnings = database.Warnings(run.id);
    if (!run.run.program && !shape.empty()) warnings = AtShape(warnings, shape);
    Report report = run.run.program
                        ? MakeProgramReport(run, LoadProgram(database, run, shape), warnings)
                        : MakeLadderReport(run, Load(database, run, shapes, shape), database.Builds(run.id), warnings);
    // Those who open a page cannot ask for more.
    if (run.run.program && args->output.IsPage() && shape.empty())
      if (const std::optional<TimelineRecord> timeline = database.Timeline(run.id))
        AddTimelineSections(run, *timeline, database.LoadKernels(run.id, Ordinals::kAll), report);
    if (std::string others = OtherRuns(database, args->selector); !others.empty())
      report.answer.notes.push_back(std::move(others));
    Render(report, args->output, streams);
  };
}

}  // namespace culprit
