// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "analysis/cli/command.h"
#include "analysis/cli/locate.h"
#include "analysis/report/compare_report.h"

namespace culprit {
namespace {

struct Arguments {
  DatabaseOption db;
  OutputOptions output;
  Selector selector;
  PairWords words;
  bool all = false;
};

}  // namespace

Action AddCompare(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("BASE", &args->words.base, "stage id, or STAGE@RUN", {.required = true, .words = "stages"});
  syntax.Add("CANDIDATE", &args->words.candidate, "stage id, or STAGE@RUN", {.required = true, .words = "stages"});
  AddDatabaseOption(syntax, args->db);
  AddOutputOptions(syntax, args->output);
  AddPairSelector(syntax, args->selector);
  syntax.Add("--all", &args->all,
             "every section, and metrics that did not change, too (JSON and CSV always have them)");
  return [args](Streams& streams) {
    args->output.details |= args->all;
    const Database database = Database::OpenForReading(args->db.File());
    const auto [base, candidate] = FindPair(database, args->words, args->selector);
    Render(MakeCompareReport(base, candidate, args->all), args->output, streams);
  };
}

}  // namespace culprit
