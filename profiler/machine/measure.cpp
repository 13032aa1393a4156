// SPDX-License-Identifier: Apache-2.0
#include "profiler/machine/measure.h"

#include "db/error.h"
#include "db/machine_figure.h"
#include "profiler/machine/probes.h"

namespace culprit {

void AddFigure(Figures& into, std::string_view name, double value, double setting) {
  const FigureKind* kind = FindFigureKind(name);
  if (!kind) throw Error("there is no figure " + std::string(name));
  into.push_back({std::string(name), setting, value, std::string(kind->unit)});
}

std::vector<MachineFigure> MeasureMachine(const Device& device, bool all_memory) {
  Figures measured;
  for (const auto measure : {MeasurePipes, MeasureBandwidths, MeasureLatencies, MeasureAtomics, MeasureControl,
                             MeasureLaunches, MeasureHost})
    measure(device, measured);
  if (all_memory) MeasureRandomLoads(device, measured);
  return measured;
}

}  // namespace culprit
