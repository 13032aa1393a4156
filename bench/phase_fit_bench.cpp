// SPDX-License-Identifier: Apache-2.0
// How long it takes to turn samples of hardware counters into counts per kernel class, for programs whose kernels run
// in a fixed or in a random order. Single-threaded. The goals: 1 s for 20 classes and a million samples, 2 s for 1000
// classes and 200,000 samples.
#include <benchmark/benchmark.h>

#include "bench/phases/invented_program.h"
#include "bench/phases/phase_fit.h"

namespace culprit {
namespace {

void Fit(benchmark::State& state) {
  InventedProgram program;
  program.classes = static_cast<std::size_t>(state.range(0));
  program.seconds = static_cast<double>(state.range(1)) * program.sample_us / 1e6;
  program.fixed_order = state.range(2) != 0;
  program.counters = 18;
  const InventedRecord record = Invent(program);
  for (auto _ : state) benchmark::DoNotOptimize(FitPhases(record.launches, record.classes, record.Samples()));
  state.counters["samples/s"] =
      benchmark::Counter(static_cast<double>(state.iterations() * state.range(1)), benchmark::Counter::kIsRate);
  state.counters["launches"] = static_cast<double>(record.launches.size());
}
BENCHMARK(Fit)
    ->ArgNames({"classes", "samples", "fixed_order"})
    ->Args({20, 6'000, 1})
    ->Args({20, 1'000'000, 1})
    ->Args({20, 1'000'000, 0})
    ->Args({200, 20'000, 1})
    ->Args({200, 20'000, 0})
    ->Args({1000, 200'000, 1})
    ->Args({1000, 200'000, 0})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace
}  // namespace culprit
