// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/seeds/reproduce.h"

#include <array>

#include "tests/evidence/measuring_command.h"

namespace culprit {

std::span<const ReproducedTable> ReproducedTables() {
  static constexpr std::array tables = {
      ReproducedTable{"shared-memory", "shared-memory accesses of the padded and the z-order kernel (seeds/000)",
                      ReproduceSharedMemory},
      ReproducedTable{"v-study", "throughput, one factor at a time (seeds/002)", ReproduceVStudy},
      ReproducedTable{"sizes", "milliseconds from 128 to 4096 (seeds/003)", ReproduceSizes},
      ReproducedTable{"padding", "bank conflicts of half-precision tiles (seeds/004)", ReproducePadding},
  };
  return tables;
}

void AddMissing(const Recording& recording, const std::vector<SizedStage>& needed, Section& section) {
  Needs needs;
  for (const auto& [stage, size] : needed)
    if (!recording.Find(stage, SquareShape(size))) {
      needs.stages.insert(stage);
      needs.sizes.insert(size);
    }
  if (!needs.stages.empty())
    section.notes.push_back("What is not measured here would be, with: " + MeasuringCommand(needs));
}

void AddMissing(const Recording& recording, const std::vector<std::string>& stages, const std::string& shape,
                Section& section) {
  if (!shape.empty() && shape != SquareShape(kReproducedSize)) return;
  std::vector<SizedStage> needed;
  for (const std::string& stage : stages) needed.emplace_back(stage, kReproducedSize);
  AddMissing(recording, needed, section);
}

}  // namespace culprit
