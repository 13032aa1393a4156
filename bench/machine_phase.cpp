// SPDX-License-Identifier: Apache-2.0
#include "bench/machine_phase.h"

#include <fmt/format.h>

#include "db/machine_figure.h"
#include "profiler/machine/measure.h"

namespace culprit {

void RunMachinePhase(const BenchOptions& options, const Device& device, RunWriter& writer) try {
  if (!options.machine && writer.StoreKnownMachine()) return;
  if (options.machine || options.Counts()) writer.StoreMachine(MeasureMachine(device, options.machine));
} catch (const std::exception& e) {
  writer.Warn({"machine_not_measured",
               fmt::format("the rates of this GPU were not measured, so the known numbers of its kind are used: {}",
                           e.what())});
}

void StoreLaunchStart(double cycles, RunWriter& writer) {
  const FigureKind& kind = *FindFigureKind(figures::kLaunchStart);
  if (writer.MeasuresMachine())
    writer.StoreMachine(std::vector{MachineFigure{std::string(kind.name), 0, cycles, std::string(kind.unit)}});
}

}  // namespace culprit
