// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/why.h"

#include <fmt/core.h>

#include <memory>

#include "analysis/cli/command.h"
#include "analysis/cli/locate.h"
#include "analysis/kernel/recording.h"
#include "analysis/report/run_header.h"
#include "analysis/report/why_json.h"
#include "analysis/report/why_report.h"

namespace culprit {
namespace {

struct Arguments {
  DatabaseOption db;
  OutputOptions output;
  Selector selector;
  PairWords words;
  bool all = false;
};

void RequireTimes(const KernelRecord& kernel) {
  if (kernel.launch.state != LaunchState::kOk)
    throw Error(fmt::format("'{}' at {} {} in run {} ({}): there is no time to explain; name a launch that ended well.",
                            kernel.stage.id, kernel.launch.shape, ToText(kernel.launch.state),
                            ShortUuid(kernel.run.run), kernel.launch.message));
  if (kernel.samples.empty())
    throw Error(fmt::format(
        "'{}' at {} was counted and not timed in run {}: record it by a benchmark, which times before it counts.",
        kernel.stage.id, kernel.launch.shape, ShortUuid(kernel.run.run)));
}

}  // namespace

Action AddWhy(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("BASE", &args->words.base, "stage id, or STAGE@RUN", {.required = true, .words = "stages"});
  syntax.Add("CANDIDATE", &args->words.candidate, "stage id, or STAGE@RUN; BASE's again to compare two runs of it",
             {.required = true, .words = "stages"});
  AddDatabaseOption(syntax, args->db);
  AddOutputOptions(syntax, args->output);
  AddSelector(syntax, args->selector);
  syntax.Add("--base-run", &args->words.base_run, "run of BASE alone", {.value = "RUN", .words = "runs"});
  syntax.Add("--cand-run", &args->words.candidate_run, "run of CANDIDATE alone", {.value = "RUN", .words = "runs"});
  syntax.Add("--all", &args->all, "show where the time went although the two are the same or cannot be told apart");
  return [args](Streams& streams) {
    const Database database = Database::OpenForReading(args->db.File());
    const auto [base, candidate] = FindPair(database, args->words, args->selector);
    if (base.id == candidate.id)
      throw Error(
          fmt::format("BASE and CANDIDATE are the same launch, '{}' in run {}; name another stage, or another run "
                      "of it with --cand-run (see 'culprit runs').",
                      base.stage.id, ShortUuid(base.run.run)));
    RequireTimes(base);
    RequireTimes(candidate);
    const Explanation explanation = Why(database, base, candidate);
    if (args->output.IsJson())
      RenderWhyJson(base, candidate, explanation, streams.out);
    else
      Render(MakeWhyReport(base, candidate, explanation, args->all), args->output, streams);
  };
}

}  // namespace culprit
