// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <array>

#include "analysis/launch/roofline.h"
#include "tests/evidence/seeds/published.h"
#include "tests/evidence/seeds/reproduce.h"

namespace culprit {
namespace {

// The document's rows, each with the row that it is compared with.
struct Row {
  const char* stage;
  const char* name;
  const char* against;
};
constexpr std::array kRows{
    Row{"cublas_sgemm", "cublas", ""},
    Row{"v2", "V2", ""},
    Row{"v1_9", "V1.9", "v2"},
    Row{"v1_8", "V1.8", "v1_9"},
    Row{"v1_7", "V1.7", "v1_8"},
    Row{"v1_7_1", "V1.7.1", "v1_7"},
    Row{"v1_7_2", "V1.7.2", "v1_7"},
    Row{"v1_6", "V1.6", "v1_7"},
    Row{"v1_6_1", "V1.6.1", "v1_6"},
    Row{"v1_6_3", "V1.6.3", "v1_6"},
    Row{"v1_6_4", "V1.6.4", "v1_6"},
    Row{"v1", "V1", "v1_6"},
    Row{"v0", "V0", "v1"},
    Row{"sgemm_naive", "naive", "v0"},
};

Measured Theirs(const std::string& stage) {
  const auto value = PublishedVStudy().Find(stage, "gflops");
  return value ? Measured(*value) : Measured::Missing(Absence::kUndefined);
}

Measured Ours(const Recording& recording, const std::string& stage, const std::string& shape) {
  const KernelView* kernel = recording.Find(stage, shape);
  return kernel ? MakeRoofline(*kernel).achieved_gflops : Measured();
}

Number Change(const Measured& value, const Measured& base) {
  return {Measured(100) * (value - base) / base, Unit::kChangePercent};
}

Number Share(const Measured& value, const Measured& of) { return {Measured(100) * value / of, Unit::kPercent}; }

// Families of kernels spell a missing factor differently: from one spelling to another nothing changed. A factor that a
// family does not state cannot have changed.
bool Absent(const std::string& value) {
  return value.empty() || value == "-" || value == "false" || value == "none" || value.starts_with("no ");
}

bool SpelledOtherwise(const std::string& a, const std::string& b) {
  return a == "-" || b == "-" || (Absent(a) && Absent(b));
}

// "unroll: true -> false"
std::string Changed(const Recording& recording, const Row& row) {
  if (*row.against == '\0') return "-";
  const StageRecord *stage = recording.StageOf(row.stage), *base = recording.StageOf(row.against);
  if (!stage || !base) return "not recorded";
  std::string text;
  for (const auto& [factor, value] : stage->factors) {
    const auto before = base->factors.find(factor);
    if (before != base->factors.end() && before->second != value && !SpelledOtherwise(before->second, value))
      text += fmt::format("{}{}: {} -> {}", text.empty() ? "" : "; ", factor, before->second, value);
  }
  return text.empty() ? "another kernel" : text;
}

}  // namespace

std::vector<Section> ReproduceVStudy(const Recording& recording, bool wide) {
  std::vector<std::string> stages;
  for (const Row& row : kRows) stages.emplace_back(row.stage);
  const std::string shape = recording.BestShape(stages, SquareShape(kReproducedSize));
  const std::string gpu(PublishedVStudy().gpu);
  Section section{"v_study", "V-study (seeds/002), ours at " + (shape.empty() ? "no shape" : shape)};
  section.facts.push_back({"shape", "", shape});
  ReportTable table{"rows",
                    "",
                    {{"stage", "Stage"},
                     {"name", "There"},
                     {"against", "Against"},
                     {"changed", "What changed", !wide},
                     {"published_gflops", gpu + " GFLOP/s"},
                     {"published_cublas_pct", "of cuBLAS"},
                     {"published_change_pct", "Step"},
                     {"gflops", "Ours GFLOP/s"},
                     {"cublas_pct", "of cuBLAS"},
                     {"change_pct", "Step"},
                     {"factors", "Factors", !wide}}};
  for (const Row& row : kRows) {
    const bool has_base = *row.against != '\0';
    const Measured theirs = Theirs(row.stage), ours = Ours(recording, row.stage, shape);
    const Measured nothing = Measured::Missing(Absence::kUndefined);
    const StageRecord* stage = recording.StageOf(row.stage);
    std::vector<Cell>& cells = table.rows.emplace_back();
    cells.emplace_back(std::string(row.stage));
    cells.emplace_back(std::string(row.name));
    cells.emplace_back(std::string(has_base ? row.against : "-"));
    cells.emplace_back(Changed(recording, row));
    cells.emplace_back(Number{theirs, Unit::kCount});
    cells.emplace_back(Share(theirs, Theirs("cublas_sgemm")));
    cells.emplace_back(Change(theirs, has_base ? Theirs(row.against) : nothing));
    cells.emplace_back(Number{ours, Unit::kCount});
    cells.emplace_back(Share(ours, Ours(recording, "cublas_sgemm", shape)));
    cells.emplace_back(Change(ours, has_base ? Ours(recording, row.against, shape) : nothing));
    cells.emplace_back(stage ? Pairs(stage->factors) : Pairs{});
  }
  section.tables.push_back(std::move(table));
  section.notes.push_back(
      "Step: change of throughput against the row named beside it. The document does not say at which size its " + gpu +
      " ran.");
  AddMissing(recording, stages, shape, section);
  return {std::move(section)};
}

}  // namespace culprit
