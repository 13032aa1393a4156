// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "analysis/launch/roofline.h"
#include "analysis/number/format.h"
#include "tests/evidence/seeds/instruction_class.h"
#include "tests/evidence/seeds/published.h"
#include "tests/evidence/seeds/reproduce.h"

namespace culprit {
namespace {

using enum InstructionClass;

const std::vector<std::string> kStages = {"hgemm_wmma", "hgemm_wmma_padded", "hgemm_mma", "hgemm_mma_swizzle",
                                          "cublas_hgemm"};
constexpr const char* kExact = "sass_shared_wavefronts";
constexpr const char* kIdeal = "sass_shared_wavefronts_ideal";

ReportTable Kernels(const Recording& recording, const std::string& shape, bool wide) {
  ReportTable table{"kernels",
                    "",
                    {{"stage", "Stage"},
                     {"median_us", "Median"},
                     {"gflops", "Throughput"},
                     {"cublas_pct", "cuBLAS"},
                     {"load_inst", "Loads", !wide},
                     {"load_wavefronts", "Wavefronts of loads"},
                     {"load_wavefronts_ideal", "ideal", !wide},
                     {"load_excess_pct", "Excess"},
                     {"store_inst", "Stores", !wide},
                     {"store_wavefronts", "of stores"},
                     {"store_wavefronts_ideal", "ideal", !wide},
                     {"store_excess_pct", "Excess"},
                     {"ldsm_inst", "LDSM", !wide},
                     {"gmma_inst", "GMMA", !wide}}};
  const KernelView* library = recording.Find("cublas_hgemm", shape);
  const Measured reference = library ? library->Get("time_us") : Measured();
  for (const std::string& stage : kStages) {
    const KernelView* kernel = recording.Find(stage, shape);
    const auto sum = [&](InstructionClass which, const char* id) {
      return kernel ? SumOf(*kernel, recording.Instructions(*kernel), which, id) : Measured();
    };
    const Measured time = kernel ? kernel->Get("time_us") : Measured();
    std::vector<Cell>& cells = table.rows.emplace_back();
    cells.emplace_back(stage);
    cells.emplace_back(Number{time, Unit::kTimeUs});
    cells.emplace_back(Number{kernel ? MakeRoofline(*kernel).achieved_gflops : Measured(), Unit::kGflops});
    cells.emplace_back(Number{Measured(100) * reference / time, Unit::kPercent});
    for (const InstructionClass which : {kSharedRead, kSharedWrite}) {
      const Measured exact = sum(which, kExact), ideal = sum(which, kIdeal);
      cells.emplace_back(Number{sum(which, "sass_inst"), Unit::kCount});
      cells.emplace_back(Number{exact, Unit::kCount});
      cells.emplace_back(Number{ideal, Unit::kCount});
      cells.emplace_back(Number{Measured(100) * (exact - ideal) / ideal, Unit::kPercent});
    }
    cells.emplace_back(Number{kernel ? kernel->Get("shared_ldsm_inst") : Measured(), Unit::kCount});
    const Measured gmma = kernel ? kernel->Get("tensor_gmma_inst") : Measured();
    cells.emplace_back(Number{gmma, Unit::kCount});
    if (gmma && *gmma > 0)
      table.notes.push_back(fmt::format(
          "{} multiplies by {} warpgroup instructions (GMMA), which can read their operands from shared memory "
          "themselves: no load or store counts those reads, so its wavefronts are no measure of its traffic.",
          stage, Format(*gmma, Unit::kCount)));
  }
  table.notes.push_back(
      "Exact counts of machine instructions: loads are LDS and LDSM, stores STS, STSM and asynchronous copies. Excess: "
      "wavefronts beyond those that the same bytes would need without bank conflicts.");
  return table;
}

struct Line {
  std::string stage;
  const InstructionRecord* instruction;
  double excess;
};

double CountOf(const InstructionRecord& instruction, const char* id) {
  const auto found = instruction.counts.find(id);
  return found == instruction.counts.end() ? 0 : found->second;
}

std::string KindOf(const InstructionRecord& instruction) {
  constexpr std::pair<const char*, const char*> kKinds[] = {{"sass_ldsm_inst", "LDSM"},
                                                            {"sass_stsm_inst", "STSM"},
                                                            {"sass_ldgsts_inst", "LDGSTS"},
                                                            {"sass_shared_load_inst", "LDS"},
                                                            {"sass_shared_store_inst", "STS"}};
  for (const auto& [id, kind] : kKinds)
    if (CountOf(instruction, id) != 0) return kind;
  return "other";
}

// One row per machine instruction that touches shared memory; the worst ones are for people.
ReportTable Instructions(const Recording& recording, const std::string& shape) {
  std::vector<Line> lines;
  for (const std::string& stage : kStages) {
    const KernelView* kernel = recording.Find(stage, shape);
    if (!kernel) continue;
    for (const InstructionRecord& i : recording.Instructions(*kernel))
      if (i.counts.contains(kExact)) lines.push_back({stage, &i, CountOf(i, kExact) - CountOf(i, kIdeal)});
  }
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.excess > b.excess; });
  ReportTable table{"instructions",
                    "Instructions with most excess wavefronts",
                    {{"stage", "Stage"},
                     {"pc_offset", "Offset"},
                     {"kind", "Kind"},
                     {"source", "Source"},
                     {"inst", "Executed"},
                     {"wavefronts", "Wavefronts"},
                     {"wavefronts_ideal", "ideal"},
                     {"excess", "Excess"}}};
  constexpr std::size_t kShown = 8;
  table.shown = std::min(kShown, static_cast<std::size_t>(std::count_if(
                                     lines.begin(), lines.end(), [](const Line& line) { return line.excess > 0; })));
  for (const Line& line : lines) {
    const InstructionRecord& i = *line.instruction;
    std::vector<Cell>& cells = table.rows.emplace_back();
    cells.emplace_back(line.stage);
    cells.emplace_back(Number{static_cast<double>(i.pc_offset), Unit::kInteger});
    cells.emplace_back(KindOf(i));
    cells.emplace_back(i.source_file.empty() ? "-" : i.source_file + ":" + std::to_string(i.source_line));
    cells.emplace_back(Number{CountOf(i, "sass_inst"), Unit::kCount});
    cells.emplace_back(Number{CountOf(i, kExact), Unit::kCount});
    cells.emplace_back(Number{CountOf(i, kIdeal), Unit::kCount});
    cells.emplace_back(Number{line.excess, Unit::kCount});
  }
  return table;
}

}  // namespace

std::vector<Section> ReproducePadding(const Recording& recording, bool wide) {
  const std::string shape = recording.BestShape(kStages, SquareShape(kReproducedSize));
  Section section{"padding", "Half-precision tiles without and with padding, and permuted (seeds/004), at " +
                                 (shape.empty() ? "no shape" : shape)};
  section.facts.push_back({"shape", "", shape});
  section.tables.push_back(Kernels(recording, shape, wide));
  if (ReportTable instructions = Instructions(recording, shape); !instructions.rows.empty())
    section.tables.push_back(std::move(instructions));
  section.notes.push_back("The document shows its profiles of an " + std::string(kPaddingGpu) +
                          " as pictures: it has no number to stand beside these.");
  AddMissing(recording, kStages, shape, section);
  return {std::move(section)};
}

}  // namespace culprit
