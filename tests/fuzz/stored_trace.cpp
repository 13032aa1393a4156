// SPDX-License-Identifier: Apache-2.0
// What a recorded program writes, into a database: as of one execution that is timed, counted and sampled at once. What
// was stored is read again.
#include <string>

#include "analysis/blame/costs.h"
#include "analysis/program/plan.h"
#include "analysis/program/recording.h"
#include "db/trace.h"
#include "tests/fuzz/fuzz.h"

namespace culprit {
namespace {

// False: it was refused.
bool Store(Database& database, const ProcessTrace& trace) {
  const std::span<const ProcessTrace> traces(&trace, 1);
  return fuzz::Accepts([&] {
    const TimedProgram timed = ReadTimed(traces);
    const CountingPlan plan = PlanCounting(timed, {});
    RunRecord run;
    run.uuid = "00000000-0000-4000-8000-000000000000";
    run.started_utc = "2026-01-01T00:00:00Z";
    run.profile = "full";
    run.l2 = "hot";
    const StoredProgram stored = StoreTimed(database, run, timed, plan.not_counted);
    StoreCounts(database, stored, timed, MatchCounts(timed, traces, "missing"), plan.not_counted);
    StoreExactCounts(database, stored, timed, traces);
    StoreSamples(database, stored, timed, traces);
    for (const Warning& warning : trace.warnings) database.StoreWarning(stored.run, std::nullopt, warning);
    database.StoreProgram(stored.run, timed.program);
    database.FinishRun(stored.run, "2026-01-01T00:01:00Z");
  });
}

void Read(std::string_view text) {
  ProcessTrace trace;
  if (!fuzz::Accepts([&] { trace = ParseTrace(text, "fuzz"); })) return;
  Database database = Database::InMemory();
  if (!Store(database, trace)) return;
  const bool is_readable = fuzz::Accepts([&] {
    for (const RunSummary& run : database.Runs())
      for (const KernelRecord& kernel : database.LoadKernels(run.id, Ordinals::kAll))
        if (const auto sampling = database.Sampling(kernel.id)) CostsOf(1, *sampling, database.Instructions(kernel.id));
    Database::InMemory().Import(database.Export(), "fuzz");
  });
  fuzz::Require(is_readable, "what was stored cannot be read");
}

}  // namespace
}  // namespace culprit

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = culprit::fuzz::Text(data, size);
  culprit::Read(text);
  culprit::Read("culprit-trace\t2\n" + std::string(text));
  return 0;
}
