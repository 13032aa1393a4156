// SPDX-License-Identifier: Apache-2.0
// What a recorded program writes, into a database: as of one execution that is timed, counted and sampled at once. What
// was stored is read again.
#include <string>

#include "analysis/judge/blame/costs.h"
#include "bench/program/plan.h"
#include "bench/program/stored_program.h"
#include "profiler/trace/trace.h"
#include "tests/fuzz/fuzz.h"

namespace culprit {
namespace {

// False: it was refused.
bool Store(Database& database, const ProcessTrace& trace) {
  const std::span<const ProcessTrace> traces(&trace, 1);
  return fuzz::Accepts([&] {
    TimedProgram timed = ReadTimed(traces);
    CountingPlan plan = PlanCounting(timed, {});
    RunRecord run;
    run.uuid = "00000000-0000-4000-8000-000000000000";
    run.started_utc = "2026-01-01T00:00:00Z";
    run.profile = "full";
    run.l2 = "hot";
    StoredProgram stored(database, run, std::move(timed), std::move(plan.not_counted));
    stored.AddCounts(traces, "missing");
    stored.AddExactCounts(traces);
    stored.AddSamples(traces);
    for (const Warning& warning : trace.warnings) stored.Warn(warning);
    stored.EndPhase();
    stored.Finish("2026-01-01T00:01:00Z");
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
  culprit::Read("culprit-trace\t3\n" + std::string(text));
  return 0;
}
