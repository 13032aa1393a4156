// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/static_report.h"

#include <fmt/core.h>

#include "analysis/render/format.h"
#include "analysis/render/tabulate.h"
#include "analysis/report/run_header.h"

namespace culprit {
namespace {

Cell Limiter(const StaticView& statics) {
  if (const auto limit = statics.Limit())
    return fmt::format("{} ({})", limit->resource, Format(limit->blocks_per_sm, Unit::kCount));
  return Number{};
}

// Occupancy is stored as a fraction and read as a percentage.
Cell ValueCell(std::string_view name, const Measured& value) {
  if (name == "theoretical_occupancy") return Number{Measured(100) * value, Unit::kPercent};
  return Number{value, UnitOfAttribute(name)};
}

}  // namespace

Unit UnitOfAttribute(std::string_view name) { return name.ends_with("_bytes") ? Unit::kCapacity : Unit::kCount; }

ReportTable MakeStaticTable(std::span<const BuildRecord> builds) {
  const auto get = [](const char* name) {
    return [name](const BuildRecord& b) { return ValueCell(name, StaticView(b.attributes).Get(name)); };
  };
  ReportTable table = Tabulate<BuildRecord>(
      "static", "", builds,
      {{"stage", "Stage", &BuildRecord::stage},
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
        "None were recorded for this stage; the kernels of a library have no cubin that we could read.");
    return section;
  }
  ReportTable table{
      "attributes", "", {{"name", "Attribute"}, {"value", "Value"}, {"source", "Source"}, {"agreement", "Agreement"}}};
  bool from_launch_alone = true;
  for (const StaticFact& fact : statics.Facts()) {
    std::string sources, agreement;
    for (const auto& statement : fact.statements) {
      from_launch_alone &= statement.source == "launch";
      if (!statement.value) continue;
      sources += (sources.empty() ? "" : ", ") + statement.source;
      agreement +=
          (agreement.empty() ? "" : ", ") + statement.source + " " + Format(ValueCell(fact.name, statement.value));
    }
    const bool several = sources.find(',') != sources.npos;
    table.rows.push_back({fact.name, ValueCell(fact.name, fact.value), sources,
                          fact.disagrees ? "DISAGREE: " + agreement : std::string(several ? "agree" : "")});
  }
  section.tables.push_back(std::move(table));
  if (from_launch_alone)
    section.notes.push_back(
        "These are of the loaded kernel: no build of this stage was recorded, as the kernels of a library have no "
        "cubin "
        "that we could read.");
  if (const auto limit = statics.Limit())
    section.notes.push_back(fmt::format("Occupancy is limited by {}: {} block{} per SM.", limit->resource,
                                        Format(limit->blocks_per_sm, Unit::kCount),
                                        limit->blocks_per_sm == 1 ? "" : "s"));
  return section;
}

Report MakeStaticReport(const RunSummary& run, const StageRecord& stage, std::span<const BuildRecord> builds,
                        const std::vector<Warning>& warnings) {
  Report report;
  report.kind = "show";
  report.title = stage.id + ": " + stage.idea;
  AddRunHeader(run, warnings, report);
  report.identity.push_back({"stage", "", stage.id});
  Section time{"time", "Time"};
  time.notes.push_back("Times and counters were not measured in this run: it launched nothing of this stage. " +
                       HowToMeasure());
  report.sections.push_back(std::move(time));
  Section section{"static", "Static attributes, for each architecture built"};
  if (builds.empty())
    section.notes.push_back("No build of this stage was recorded.");
  else
    section.tables.push_back(MakeStaticTable(builds));
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace culprit
