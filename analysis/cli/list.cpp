// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "analysis/cli/command.h"
#include "analysis/cli/locate.h"
#include "analysis/cli/suggest.h"
#include "analysis/launch/recording.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/run_header.h"
#include "analysis/show/report/static_report.h"

namespace culprit {
namespace {

struct Arguments : ReportOptions {
  Selector selector;
  std::string arch;
  bool statics = false;
};

// Of a program's kernels nobody knows more than names.
Section StageSection(const std::vector<StageRecord>& stages, bool of_program) {
  return {"list",
          "",
          {},
          {Tabulate<StageRecord>("stages", "", stages,
                                 {{"stage", "Kernel", &StageRecord::id},
                                  {"family", "Family", &StageRecord::family, of_program},
                                  {"parent", "Parent", &StageRecord::parent, of_program},
                                  {"idea", of_program ? "Name" : "Idea", &StageRecord::idea},
                                  {"factors", "Factors", &StageRecord::factors, of_program},
                                  {"constraint", "Takes", &StageRecord::constraint, of_program}})}};
}

Section BuildSection(std::vector<BuildRecord> builds, const std::string& arch) {
  std::vector<std::string> known;
  for (const BuildRecord& b : builds)
    if (std::find(known.begin(), known.end(), b.arch) == known.end()) known.push_back(b.arch);
  if (!arch.empty()) {
    std::erase_if(builds, [&](const BuildRecord& b) { return b.arch != arch; });
    if (builds.empty()) throw Error(UnknownMessage("architecture", arch, known));
  }
  Section section{"builds", "", {}, {MakeStaticTable(builds)}};
  if (builds.empty()) section.notes.push_back("No build was recorded in this run.");
  return section;
}

}  // namespace

Action AddList(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  AddReportOptions(syntax, *args);
  AddSelector(syntax, args->selector, "");
  syntax.Add("--static", &args->statics, "registers, stack frame, spills, shared memory, code size, occupancy");
  syntax.Add("--arch", &args->arch, "only this architecture; implies --static", {.value = "sm_NN"});
  return [args](Streams& streams) {
    const Database database = Database::OpenForReading(args->db);
    const RunSummary run = PickRun(database, args->selector);
    Report report{"stages", "Kernels of run " + ShortUuid(run.run)};
    AddRunHeader(run, OfTheRun(database.Warnings(run.id)), report);
    report.sections.push_back(args->statics || !args->arch.empty()
                                  ? BuildSection(database.Builds(run.id), args->arch)
                                  : StageSection(database.Stages(run.id), run.run.program.has_value()));
    Render(report, args->output, streams);
  };
}

}  // namespace culprit
