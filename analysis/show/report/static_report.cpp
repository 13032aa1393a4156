// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/static_report.h"

#include <fmt/core.h>

#include "analysis/number/format.h"
#include "analysis/number/joined.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/run_header.h"

namespace culprit {
namespace {

using enum Unit;

Cell Limiter(const StaticView& statics) {
  if (const auto limit = statics.Limit())
    return fmt::format("{} ({})", limit->resource, Format(limit->blocks_per_sm, kCount));
  return Number{};
}

// Occupancy is stored as a fraction and read as a percentage.
Cell ValueCell(std::string_view name, const Measured& value) {
  if (name == "theoretical_occupancy") return {Measured(100) * value, kPercent};
  return {value, UnitOfAttribute(name)};
}

}  // namespace

Unit UnitOfAttribute(std::string_view name) { return name.ends_with("_bytes") ? kCapacity : kCount; }

ReportTable MakeStaticTable(std::span<const BuildRecord> builds) {
  const auto get = [](const char* name) {
    return [name](const BuildRecord& b) { return ValueCell(name, StaticView(b.attributes).Get(name)); };
  };
  ReportTable table = Tabulate<BuildRecord>(
      "static", "", builds,
      {{"stage", "Kernel", &BuildRecord::stage},
       {"arch", "Arch", &BuildRecord::arch},
       {"registers", "Registers", get("registers")},
       {"stack_frame_bytes", "Stack frame", get("stack_frame_bytes")},
       {"spill_store_bytes", "Spill stores", get("spill_store_bytes")},
       {"spill_load_bytes", "Spill loads", get("spill_load_bytes")},
       {"static_shared_bytes", "Shared", get("static_shared_bytes")},
       {"code_bytes", "Code", get("code_bytes")},
       {"max_threads", "Max threads", get("max_threads")},
       {"theoretical_occupancy_pct", "Occupancy", get("theoretical_occupancy")},
       {"limiter", "Limited by (blocks/SM)", [](const auto& b) { return Limiter(StaticView(b.attributes)); }}});
  for (const BuildRecord& build : builds) {
    const StaticView statics(build.attributes);
    for (const StaticFact& fact : statics.Facts())
      if (fact.disagrees)
        table.notes.push_back(fmt::format("{} for {}: the sources disagree about {} (see culprit show {}).",
                                          build.stage, build.arch, fact.name, build.stage));
  }
  return table;
}

Section MakeStaticSection(const StaticView& statics, const std::string& arch) {
  Section section{"static", "Static attributes" + (arch.empty() ? std::string() : " (" + arch + ")")};
  if (statics.Facts().empty()) {
    section.notes.push_back(
        "None were recorded for this kernel; the kernels of a library have no cubin that we could read.");
    return section;
  }
  ReportTable table{
      "attributes", "", {{"name", "Attribute"}, {"value", "Value"}, {"source", "Source"}, {"agreement", "Agreement"}}};
  bool from_launch_alone = true;
  for (const StaticFact& fact : statics.Facts()) {
    std::vector<std::string> sources, words;
    for (const auto& statement : fact.statements) {
      from_launch_alone &= statement.source == "launch";
      if (!statement.value) continue;
      sources.push_back(statement.source);
      words.push_back(statement.source + " " + Format(ValueCell(fact.name, statement.value)));
    }
    const std::string agreement = sources.size() > 1 ? "agree" : "";
    table.rows.push_back({fact.name, ValueCell(fact.name, fact.value), Joined(sources),
                          fact.disagrees ? "DISAGREE: " + Joined(words) : agreement});
  }
  section.tables.push_back(std::move(table));
  if (from_launch_alone)
    section.notes.push_back(
        "These are of the loaded kernel: no build of this kernel was recorded, as the kernels of a library have no "
        "cubin that we could read.");
  if (const auto limit = statics.Limit())
    section.notes.push_back(fmt::format("Occupancy is limited by {}: {} block{} per SM.", limit->resource,
                                        Format(limit->blocks_per_sm, kCount), limit->blocks_per_sm == 1 ? "" : "s"));
  return section;
}

Report MakeStaticReport(const RunSummary& run, const StageRecord& stage, std::span<const BuildRecord> builds,
                        const std::vector<Warning>& warnings) {
  Report report{.kind = "show", .title = stage.id + ": " + stage.idea};
  AddRunHeader(run, warnings, report);
  report.identity.push_back({"stage", "", stage.id});
  report.sections = {
      {.key = "time",
       .title = "Time",
       .notes = {"Times and counters were not measured in this run: it launched nothing of this stage. " +
                 HowToMeasure()}},
      {.key = "static", .title = "Static attributes, for each architecture built"}};
  Section& section = report.sections.back();
  if (builds.empty())
    section.notes = {"No build of this kernel was recorded."};
  else
    section.tables = {MakeStaticTable(builds)};
  return report;
}

}  // namespace culprit
