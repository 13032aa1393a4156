// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <array>
#include <cmath>

#include "tests/evidence/seeds/published.h"
#include "tests/evidence/seeds/reproduce.h"

namespace culprit {
namespace {

constexpr std::array kSizes{128, 256, 512, 1024, 2048, 4096};

struct Row {
  const char* name;
  const char* small;  // stage up to 1024
  const char* large;  // stage above
};
constexpr std::array kRows{
    Row{"NaiveGEMM", "view_naive", "view_naive"},
    Row{"BlockGEMM_V1", "view_block_v1", "view_block_v1_32"},
    Row{"BlockGEMM_V2", "view_block_v2", "view_block_v2"},
    Row{"BlockGEMM_V3", "view_block_v3", "view_block_v3"},
    Row{"ours alone: V4", "view_block_v4", "view_block_v4"},
    Row{"cublas", "cublas_sgemm", "cublas_sgemm"},
};

// Microseconds to a tenth of a nanosecond: dividing by 1000 leaves digits that nobody measured.
Measured Rounded(const Measured& ms) { return ms ? Measured(std::round(*ms * 1e7) / 1e7) : ms; }

const char* StageAt(const Row& row, int size) { return size <= 1024 ? row.small : row.large; }

Measured Theirs(const Row& row, int size) {
  const auto value = PublishedSizes().Find(StageAt(row, size), "time_ms", size);
  return value ? Measured(*value) : Measured::Missing(Absence::kUndefined);
}

Measured Ours(const Recording& recording, const Row& row, int size) {
  const KernelView* kernel = recording.Find(StageAt(row, size), SquareShape(size));
  return kernel ? kernel->Get("time_us") / Measured(1000) : Measured();
}

}  // namespace

std::vector<Section> ReproduceSizes(const Recording& recording, bool /*wide*/) {
  const std::string gpu(PublishedSizes().gpu);
  Section section{"sizes", "Milliseconds by size (seeds/003)"};
  ReportTable table{"rows", "", {{"kernel", "Kernel"}, {"stage", "Stage"}, {"gpu", "On"}}};
  for (const int size : kSizes) table.columns.push_back({fmt::format("ms_{}", size), fmt::format("{}", size)});
  const auto& device = recording.run().run.device;
  const std::string here = device ? device->name : "no GPU";
  for (const Row& row : kRows) {
    const std::string small = row.small, large = row.large;
    const auto add = [&](const std::string& on, auto value) {
      std::vector<Cell>& cells = table.rows.emplace_back();
      cells.emplace_back(std::string(row.name));
      cells.emplace_back(small == large ? small : small + " to 1024, " + large);
      cells.emplace_back(on);
      for (const int size : kSizes) cells.emplace_back(Number{Rounded(value(size)), Unit::kTimeMs});
    };
    if (PublishedSizes().Find(row.small, "time_ms")) add(gpu, [&](int size) { return Theirs(row, size); });
    add(here, [&](int size) { return Ours(recording, row, size); });
  }
  section.tables.push_back(std::move(table));
  std::vector<SizedStage> needed;
  for (const Row& row : kRows)
    for (const int size : kSizes) needed.emplace_back(StageAt(row, size), size);
  AddMissing(recording, needed, section);
  return {std::move(section)};
}

}  // namespace culprit
