// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>

#include "analysis/cli/command.h"
#include "analysis/cli/locate.h"
#include "analysis/compare_report.h"

namespace culprit {
namespace {

struct Arguments {
  DatabaseOption db;
  OutputOptions output;
  Selector selector;
  std::string base, candidate;
  bool all = false;
};

struct Target {
  std::string stage;
  Selector selector;
};

// "v1_6@h100" names a run of its own.
Target Parse(const std::string& word, Selector selector) {
  const auto at = word.find('@');
  if (at == word.npos) return {word, std::move(selector)};
  selector.run = word.substr(at + 1);
  return {word.substr(0, at), std::move(selector)};
}

}  // namespace

Action AddCompare(CLI::App& app) {
  auto args = std::make_shared<Arguments>();
  app.add_option("BASE", args->base, "stage id, or STAGE@RUN")->required();
  app.add_option("CANDIDATE", args->candidate, "stage id, or STAGE@RUN")->required();
  AddDatabaseOption(app, args->db);
  AddOutputOptions(app, args->output);
  AddSelector(app, args->selector);
  app.add_flag("--all", args->all, "list metrics that did not change, too (JSON and CSV always do)");
  return [args](Streams& streams) {
    const Database database = Database::OpenForReading(args->db.File());
    const Target base_target = Parse(args->base, args->selector);
    const KernelRecord base = FindMeasured(database, base_target.stage, base_target.selector);
    // Like with like: the same run and shape, unless the command line says otherwise.
    Selector beside = args->selector;
    beside.run = base.run.run.uuid;
    beside.gpu.clear();
    if (beside.shape.empty()) beside.shape = base.launch.shape;
    const Target candidate_target = Parse(args->candidate, beside);
    const KernelRecord candidate = FindMeasured(database, candidate_target.stage, candidate_target.selector);
    Render(MakeCompareReport(base, candidate, args->all), args->output, streams);
  };
}

}  // namespace culprit
