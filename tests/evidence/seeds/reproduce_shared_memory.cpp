// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <optional>

#include "analysis/launch/memory_table.h"
#include "analysis/number/format.h"
#include "tests/evidence/seeds/instruction_class.h"
#include "tests/evidence/seeds/published.h"
#include "tests/evidence/seeds/reproduce.h"
#include "tests/evidence/seeds/wavefronts.h"

namespace culprit {
namespace {

const std::vector<std::string> kStages = {"sgemm_padded", "sgemm_zorder"};

// The document's row between stores and atomics, which has no counterpart among the hardware counters.
constexpr const char* kStoreFromLoad = "shared_store_from_global_load";

struct Quantity {
  const char* key;
  const char* title;
  Unit unit;
  Measured SharedRow::*measured;
  bool deterministic;  // follows from the code, so both GPUs must agree
};
constexpr std::array kQuantities{
    Quantity{"instructions", "instructions", Unit::kCount, &SharedRow::instructions, true},
    Quantity{"requests", "requests", Unit::kCount, &SharedRow::instructions, true},
    Quantity{"wavefronts", "wavefronts", Unit::kCount, &SharedRow::wavefronts, false},
    Quantity{"peak_pct", "% of peak", Unit::kPercent, &SharedRow::peak_pct, false},
    Quantity{"conflicts", "bank conflicts", Unit::kCount, &SharedRow::conflicts, false},
};

Measured Theirs(const std::string& stage, const std::string& row, const char* quantity) {
  const auto value = PublishedSharedMemory().Find(stage, row + "." + quantity);
  return value ? Measured(*value) : Measured::Missing(Absence::kUndefined);
}

// "% of peak" of a row means the same in their profiler and in our counter if both rate its wavefronts like those of
// loads. Within a document the rates of comparable rows agree to a few percent.
bool SamePeak(const std::string& stage, const std::string& row) {
  if (row == "total") return true;
  const auto rate = [&](const std::string& of) {
    return Theirs(stage, of, "peak_pct") / Theirs(stage, of, "wavefronts");
  };
  const Measured theirs = rate(row), loads = rate("shared_load");
  return theirs && loads && std::abs(*theirs / *loads - 1) < 0.1;
}

// Exact counts exist for wavefronts and conflicts of loads, stores and everything together.
Measured Exact(const Recording& recording, const KernelView& kernel, const std::string& row,
               std::string_view quantity) {
  const Measured nothing = Measured::Missing(Absence::kUndefined);
  if (quantity != "wavefronts" && quantity != "conflicts") return nothing;
  const auto count = [&](const char* id) {
    const auto& instructions = recording.Instructions(kernel);
    if (row == "total") return kernel.Get(id);
    if (row == "shared_load") return SumOf(kernel, instructions, InstructionClass::kLds, id);
    if (row == "shared_load_matrix") return SumOf(kernel, instructions, InstructionClass::kLdsm, id);
    if (row == "shared_store") return SumOf(kernel, instructions, InstructionClass::kSts, id);
    return nothing;
  };
  const Measured wavefronts = count("sass_shared_wavefronts");
  return quantity == "wavefronts" ? wavefronts : wavefronts - count("sass_shared_wavefronts_ideal");
}

std::string Relation(const Measured& theirs, const Measured& ours, bool deterministic) {
  if (!theirs || !ours) return "-";
  if (*theirs == *ours) return "equal";
  const std::string ratio = *theirs == 0 ? "" : Format(*ours / *theirs, Unit::kTimes);
  if (!deterministic) return ratio.empty() ? "-" : ratio;
  return ratio.empty() ? "differs" : "differs: " + ratio;
}

void AddRows(const Recording& recording, const std::string& stage, const KernelView* kernel, const SharedRow& row,
             bool same_shape, ReportTable& table) {
  for (const Quantity& q : kQuantities) {
    const bool comparable = same_shape && (std::string_view(q.key) != "peak_pct" || SamePeak(stage, row.key));
    const Measured theirs = Theirs(stage, row.key, q.key);
    const Measured ours = kernel || row.key == kStoreFromLoad ? row.*q.measured : Measured();
    const Measured exact = kernel ? Exact(recording, *kernel, row.key, q.key) : Measured::Missing(Absence::kUndefined);
    const auto undefined = [](const Measured& m) { return !m && m.absence() == Absence::kUndefined; };
    if (undefined(theirs) && (!kernel || (undefined(ours) && undefined(exact)))) continue;
    std::vector<Cell>& cells = table.rows.emplace_back();
    cells.emplace_back(row.title);
    cells.emplace_back(std::string(q.title));
    cells.emplace_back(Number{theirs, q.unit});
    cells.emplace_back(Number{ours, q.unit});
    cells.emplace_back(comparable ? Relation(theirs, ours, q.deterministic) : "-");
    cells.emplace_back(Number{exact, q.unit});
    cells.emplace_back(comparable ? Relation(theirs, exact, false) : "-");
  }
}

// The rows of the profiler, in its order.
std::vector<SharedRow> Rows(const KernelView* kernel) {
  std::vector<SharedRow> rows;
  if (kernel) {
    rows = MakeMemoryTables(*kernel).shared.rows;
  } else {
    static const KernelRecord nothing;
    rows = MakeMemoryTables(KernelView(nothing)).shared.rows;
  }
  const Measured blank = Measured::Missing(Absence::kUndefined);
  for (auto row = rows.begin(); row != rows.end(); ++row)
    if (row->key == "shared_store") {
      rows.insert(row + 1, {kStoreFromLoad, "Shared Store From Global Load", blank, blank, blank, blank});
      break;
    }
  return rows;
}

Section OneKernel(const Recording& recording, const std::string& stage, const std::string& shape) {
  const KernelView* kernel = recording.Find(stage, shape);
  Section section{
      "shared_memory",
      fmt::format("Shared memory of {} (seeds/000, at 4096), ours at {}", stage, shape.empty() ? "no shape" : shape),
      {},
      {},
      {},
      {}};
  section.repeated = true;
  section.facts = {{"stage", "", stage}, {"shape", "", shape}};
  ReportTable table{"rows",
                    "",
                    {{"operation", "Operation"},
                     {"quantity", "Quantity"},
                     {"published", std::string(PublishedSharedMemory().gpu)},
                     {"measured", "Ours"},
                     {"relation", "Ours to theirs"},
                     {"exact", "Exact"},
                     {"exact_relation", "Exact to theirs"}}};
  const bool same_shape = shape == SquareShape(kReproducedSize);
  std::string other_peaks;
  for (const SharedRow& row : Rows(kernel)) {
    AddRows(recording, stage, kernel, row, same_shape, table);
    if (const Measured peak = Theirs(stage, row.key, "peak_pct"); peak && *peak != 0 && !SamePeak(stage, row.key))
      other_peaks += (other_peaks.empty() ? "" : ", ") + row.title;
  }
  if (!other_peaks.empty())
    table.notes.push_back(
        fmt::format("The document's \"% of peak\" of {} rates a wavefront otherwise than that of Shared Load, so by "
                    "another unit of "
                    "the GPU or another peak: no ratio stands beside ours.",
                    other_peaks));
  section.tables.push_back(std::move(table));
  if (kernel) section.notes = ExplainWavefronts(recording, *kernel);
  return section;
}

}  // namespace

std::vector<Section> ReproduceSharedMemory(const Recording& recording, bool /*wide*/) {
  const std::string shape = recording.BestShape(kStages, SquareShape(kReproducedSize));
  std::vector<Section> sections;
  for (const std::string& stage : kStages) sections.push_back(OneKernel(recording, stage, shape));
  sections.back().notes.push_back(
      "Ours: hardware counters, which count lost arbitration under conflicts and wavefronts, too. Exact: from the "
      "addresses of every access. A cell that is blank or illegible in the document is \"-\".");
  if (!shape.empty() && shape != SquareShape(kReproducedSize))
    sections.back().notes.push_back(
        "The document's counts are those of 4096: counts at another shape must differ, so none is compared.");
  AddMissing(recording, kStages, shape, sections.back());
  return sections;
}

}  // namespace culprit
