// SPDX-License-Identifier: Apache-2.0
#include "bench/machine_phase.h"

#include <fmt/format.h>

#include "db/machine_figure.h"
#include "profiler/machine/measure.h"

namespace culprit {

void RunMachinePhase(const BenchOptions& options, const Device& device, Recorder& recorder) try {
  if (!options.machine && recorder.StoreKnownMachine()) return;
  if (options.machine || options.profile) recorder.StoreMachine(MeasureMachine(device));
} catch (const std::exception& e) {
  recorder.Warn({"machine_not_measured",
                 fmt::format("what this GPU can do was not measured, so numbers of its kind are taken: {}", e.what())});
}

void StoreLaunchStart(double cycles, Recorder& recorder) {
  const FigureKind& kind = *FindFigureKind(figures::kLaunchStart);
  if (recorder.MeasuresMachine())
    recorder.StoreMachine(std::vector{MachineFigure{std::string(kind.name), 0, cycles, std::string(kind.unit)}});
}

}  // namespace culprit
